"""Sample answers to read, chosen by rule."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...stats.estimates import Floats
from ...types.measures import MeasureSpec
from ..load.records import Benchmark, Judgement, Run, SampleResult
from ..tables.table import Table
from .matrix import ScoreMatrix


@dataclass(frozen=True)
class Example:
    """A sample and the rule that chose it."""

    title: str
    rule: str
    measure: MeasureSpec
    sample_id: str | None
    """None if no sample fits the rule."""

    answers: tuple[tuple[str, SampleResult], ...]
    """First answer of each system to the sample."""


def choose_examples(
    benchmark: Benchmark, values: ScoreMatrix, primary: Sequence[str]
) -> tuple[Example, ...]:
    """Choose two wins of A-RAG, one of stuffing, and one failure of A-RAG.

    A win is the sample with the largest lead on the main measure over the best
    of the other systems, a failure the one whose lowest primary measure is lowest, as
    a share of its scale; of equal samples the first by id. If A-RAG or stuffing was not run, the first
    system of the benchmark and the second replace them. A rule that no sample fits
    gives an example without a sample, so that the report can say so.
    """
    main = main_measure(benchmark, values, primary)
    if main is None:
        return ()
    first = _system(benchmark, "arag", 0)
    other = _system(benchmark, "stuffing", 1) if len(benchmark.runs) > 1 else None
    examples: list[Example] = []
    if other is not None:
        for system, count in ((first, 2), (other, 1)):
            leads = _largest(_lead(benchmark, values, main, system), count, main.tie)
            rule = f"largest lead of {system} over the best of the others on {main.label}"
            title = f"{system}: win"
            examples += [_example(benchmark, title, rule, main, index) for index in leads]
            if len(leads) < count:
                examples.append(_missing(main, system, "other " if leads else ""))
    decisive = [benchmark.spec(name) for name in primary] or [main]
    return (*examples, _failure(benchmark, values, decisive, first))


def listed(examples: Sequence[Example]) -> Table | None:
    """List the chosen samples, and rules without a sample; None without examples."""
    if not examples:
        return None
    return Table(
        "examples",
        "Samples worth reading",
        "Chosen by rule; of equal samples the first by id.",
        ("example", "sample", "rule"),
        tuple((example.title, example.sample_id, example.rule) for example in examples),
    )


def reasoning(answer: SampleResult, main: MeasureSpec) -> Judgement | None:
    """Return a judge's reasoning on an answer for the main measure, else for any."""
    own = [
        judgement
        for judgement in answer.judgements
        if judgement.reasoning and judgement.repeat == 0
    ]
    return next(
        (judgement for judgement in own if judgement.scorer == main.scorer), own[0] if own else None
    )


def main_measure(
    benchmark: Benchmark, values: ScoreMatrix, primary: Sequence[str]
) -> MeasureSpec | None:
    """Return the first main or primary measure that all systems have, else that any has."""
    measures = (*benchmark.main, *map(benchmark.spec, primary))
    for quantifier in (all, any):
        for measure in measures:
            if quantifier(not np.isnan(values.of(s, measure.key)).all() for s in benchmark.systems):
                return measure
    return None


def _system(benchmark: Benchmark, solver: str, index: int) -> str:
    systems = [run.system for run in benchmark.runs if run.solver == solver]
    return systems[0] if systems else benchmark.systems[index]


def _lead(benchmark: Benchmark, values: ScoreMatrix, main: MeasureSpec, system: str) -> Floats:
    """Return the lead over the best of the others; NaN if one of the two has no value."""
    others = [values.of(other, main.key) for other in benchmark.systems if other != system]
    best = np.fmax.reduce(others)
    lead: Floats = values.of(system, main.key) - best
    return lead


def _largest(values: Floats, count: int, above: float) -> list[int]:
    """Return the positions of the largest values above a bound."""
    order = np.argsort(-values, kind="stable")
    return [int(index) for index in order[:count] if values[index] > above]


def _failure(
    benchmark: Benchmark, values: ScoreMatrix, measures: Sequence[MeasureSpec], system: str
) -> Example:
    """Return the answer that is worst in any measure, of equal ones that with the worse mean."""
    title, labels = f"{system}: failure", ", ".join(measure.label for measure in measures)
    shares = np.array([_share(values.of(system, spec.key), spec) for spec in measures])
    taken = np.flatnonzero(~np.isnan(shares).all(axis=0))
    lowest, means = np.nanmin(shares[:, taken], axis=0), np.nanmean(shares[:, taken], axis=0)
    if not (lowest < 1 - 1e-9).any():
        rule = f"no answer of {system} below the best value of {labels}"
        return Example(title, rule, measures[0], None, ())
    index = int(taken[np.lexsort((means, lowest))[0]])
    measure = measures[int(np.nanargmin(shares[:, index]))]
    several = f" of {labels}: here" if len(measures) > 1 else ""
    rule = f"lowest{several} {measure.label} of {system}"
    return _example(benchmark, title, rule, measure, index)


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
    sample_id = benchmark.sample_ids[index]
    runs: Sequence[Run] = benchmark.runs
    answers = tuple((run.system, run.by_id[sample_id][0]) for run in runs if sample_id in run.by_id)
    return Example(title, rule, measure, sample_id, answers)


def _missing(main: MeasureSpec, system: str, other: str) -> Example:
    rule = f"no {other}sample where {system} leads the others on {main.label}"
    return Example(f"{system}: win", rule, main, None, ())
