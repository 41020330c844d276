"""Sample answers to read, chosen by rule."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..stats.estimates import Floats
from ..types.measures import MeasureSpec
from .benchmark import Benchmark, once
from .primary import primary_measures
from .table import Cell, tabled


@dataclass(frozen=True)
class Example:
    """A sample and the rule that chose it."""

    title: str
    rule: str
    measure: MeasureSpec
    sample_id: str | None
    """None if no sample fits the rule."""

    answers: tuple[dict[str, Any], ...] = ()
    """First answer of each system to the sample, by column of the frame."""


@once
def choose_examples(benchmark: Benchmark) -> tuple[Example, ...]:
    """Choose two wins of A-RAG, one of stuffing, and one failure of A-RAG.

    A win is the sample with the largest lead on the main measure over the best
    of the other systems, a failure the one whose lowest primary measure is lowest, as
    a share of its scale; of equal samples the first by id. If A-RAG or stuffing was not run, the first
    system of the benchmark and the second replace them. A rule that no sample fits
    gives an example without a sample, so that the report can say so.
    """
    primary = primary_measures(benchmark)
    main = _main_measure(benchmark, primary)
    if main is None:
        return ()
    systems = {run.solver: run.system for run in benchmark.runs[::-1].itertuples(index=False)}
    first = systems.get("arag", benchmark.systems[0])
    examples: list[Example] = []
    if len(benchmark.systems) > 1:
        other = systems.get("stuffing", benchmark.systems[1])
        for system, count in ((first, 2), (other, 1)):
            leads = _largest(_lead(benchmark, main, system), count, main.tie)
            rule = f"largest lead of {system} over the best of the others on {main.label}"
            title = f"{system}: win"
            examples += [_example(benchmark, title, rule, main, index) for index in leads]
            if len(leads) < count:
                more = "other " if leads else ""
                rule = f"no {more}sample where {system} leads the others on {main.label}"
                examples.append(Example(title, rule, main, None))
    decisive = [benchmark.spec(name) for name in primary] or [main]
    return (*examples, _failure(benchmark, decisive, first))


@tabled("examples")
def listed(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """List the chosen samples, and rules without a sample; None without examples."""
    return ((choice.title, choice.sample_id, choice.rule) for choice in choose_examples(benchmark))


def reasoning(benchmark: Benchmark, answer: int, main: MeasureSpec) -> Any | None:
    """Return a judge's verdict with reasoning on an answer for the main measure, else for any."""
    verdicts = benchmark.first_verdicts
    own = verdicts[verdicts["answer"] == answer]
    rows = [row for row in own.itertuples(index=False) if row.text]
    return next((row for row in rows if row.scorer == main.scorer), rows[0] if rows else None)


def _main_measure(benchmark: Benchmark, primary: Sequence[str]) -> MeasureSpec | None:
    """Return the first main or primary measure that all systems have, else that any has."""
    measures = (*benchmark.main, *map(benchmark.spec, primary))
    for enough in (all, any):
        for measure in measures:
            if enough(~np.isnan(benchmark.of(s, measure.key)).all() for s in benchmark.systems):
                return measure
    return None


def _lead(benchmark: Benchmark, main: MeasureSpec, system: str) -> Floats:
    """Return the lead over the best of the others; NaN if one of the two has no value."""
    others = [benchmark.of(other, main.key) for other in benchmark.systems if other != system]
    lead: Floats = benchmark.of(system, main.key) - np.fmax.reduce(others)
    return lead


def _largest(values: Floats, count: int, above: float) -> list[int]:
    """Return the positions of the largest values above a bound."""
    order = np.argsort(-values, kind="stable")
    return [int(index) for index in order[:count] if values[index] > above]


def _failure(benchmark: Benchmark, measures: Sequence[MeasureSpec], system: str) -> Example:
    """Return the answer that is worst in any measure, of equal ones that with the worse mean."""
    title, labels = f"{system}: failure", ", ".join(measure.label for measure in measures)
    shares = np.array([_share(benchmark.of(system, spec.key), spec) for spec in measures])
    taken = np.flatnonzero(~np.isnan(shares).all(axis=0))
    lowest, means = np.nanmin(shares[:, taken], axis=0), np.nanmean(shares[:, taken], axis=0)
    if not (lowest < 1 - 1e-9).any():
        rule = f"no answer of {system} below the best value of {labels}"
        return Example(title, rule, measures[0], None)
    index = int(taken[np.lexsort((means, lowest))[0]])
    measure = measures[int(np.nanargmin(shares[:, index]))]
    several = f" of {labels}: here" if len(measures) > 1 else ""
    return _example(
        benchmark, title, f"lowest{several} {measure.label} of {system}", measure, index
    )


def _share(values: Floats, measure: MeasureSpec) -> Floats:
    """Return values as shares of their scale, 1 being the best; NaN if neither end is better.

    A scale without an end ends at the values.
    """
    if measure.higher_is_better is None or np.isnan(values).all():
        return np.full(len(values), np.nan)
    low = np.nanmin(values) if measure.low is None else measure.low
    high = np.nanmax(values) if measure.high is None else measure.high
    best, worst = (high, low) if measure.higher_is_better else (low, high)
    return (values - worst) / (best - worst) if best != worst else values - best + 1


def _example(
    benchmark: Benchmark, title: str, rule: str, measure: MeasureSpec, index: int
) -> Example:
    sample = benchmark.sample_ids[index]
    first: dict[str, dict[str, Any]] = {}
    for answer in benchmark.records:
        if answer["id"] == sample:
            first.setdefault(answer["system"], answer)
    return Example(title, rule, measure, sample, tuple(first.values()))
