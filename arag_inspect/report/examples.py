"""Sample answers to read, chosen by rule."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..stats.estimates import Floats
from ..types.measures import MeasureSpec
from .benchmark import Benchmark, once
from .primary import primary_measures
from .table import Cell, tabled


class Example(NamedTuple):
    """A sample and the rule that chose it."""

    title: str
    rule: str
    measure: MeasureSpec
    sample_id: str | None
    """None if no sample fits the rule."""


@once
def choose_examples(benchmark: Benchmark) -> tuple[Example, ...]:
    """Choose two wins of A-RAG, one of stuffing, and one failure of A-RAG.

    A win is the sample with the largest lead on the main measure over the best of the other
    systems, a failure the one whose lowest primary measure is lowest, as a share of its scale; of
    equal samples the first by id. The main measure is the first that all systems
    have, else that any has. If A-RAG or stuffing was not run, the first system of the benchmark
    and the second replace them.
    """
    primary = [benchmark.spec(name) for name in primary_measures(benchmark)]
    scored = {
        spec: sum(not np.isnan(benchmark.of(name, spec.key)).all() for name in benchmark.systems)
        for spec in (*benchmark.main, *primary)
    }
    if not any(scored.values()):
        return ()
    main = next((m for m, count in scored.items() if count == len(benchmark.systems)), None)
    main = main or next(measure for measure, count in scored.items() if count)
    by_solver = {run.solver: run.system for run in benchmark.rows[::-1]}
    first = by_solver.get("arag", benchmark.systems[0])
    other = by_solver.get("stuffing", benchmark.systems[min(1, len(benchmark.systems) - 1)])
    wins = (*_wins(benchmark, main, first, 2), *_wins(benchmark, main, other, 1))
    return (*dict.fromkeys(wins), _failure(benchmark, primary or [main], first))


@tabled("examples")
def listed(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """List the chosen samples, and rules without a sample; None without examples."""
    return ((choice.title, choice.sample_id, choice.rule) for choice in choose_examples(benchmark))


def _wins(benchmark: Benchmark, main: MeasureSpec, system: str, count: int) -> Iterator[Example]:
    """Yield the samples with the largest leads over the best of the other systems."""
    sign = -1 if main.higher_is_better is False else 1
    others = [sign * benchmark.of(name, main.key) for name in benchmark.systems if name != system]
    if others:
        leads = sign * benchmark.of(system, main.key) - np.fmax.reduce(others)
        rule = f"largest lead of {system} over the best of the others on {main.label}"
        for index in np.argsort(-leads, kind="stable")[:count]:
            sample = benchmark.sample_ids[index] if leads[index] > main.tie else None
            yield Example(f"{system}: win", rule, main, sample)


def _failure(benchmark: Benchmark, measures: Sequence[MeasureSpec], system: str) -> Example:
    """Return the answer that is worst in any measure, of equal ones that with the worse mean."""
    shares = pd.DataFrame(
        {n: _share(benchmark.of(system, spec.key), spec) for n, spec in enumerate(measures)},
        list(benchmark.sample_ids),
    )
    worst = pd.DataFrame({"lowest": shares.min(axis=1), "mean": shares.mean(axis=1)})
    worst = worst[worst["lowest"] < 1 - 1e-9].sort_values(["lowest", "mean"], kind="stable")
    title = f"{system}: failure"
    rule = f"lowest of {', '.join(measure.label for measure in measures)}"
    if worst.empty:
        return Example(title, rule, measures[0], None)
    sample = str(worst.index[0])
    measure = measures[int(shares.loc[sample].idxmin())]
    return Example(title, f"{rule}: here {measure.label} of {system}", measure, sample)


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
