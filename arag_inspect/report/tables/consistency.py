"""Whether a system gives the same answer again: several epochs of a sample."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from ..benchmark import Benchmark
from ..primary import primary_measures
from ..table import Cell, Signed, tabled

_LISTED = 5
"""Most samples named in a cell."""


@tabled("consistency")
def consistency(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return pass^k, flips and spread of every primary measure; None with a single epoch."""
    for measure, system, values in _repeated(benchmark):
        spec = benchmark.spec(measure)
        low, span = spec.low or 0.0, spec.span or 1.0
        passed = values >= low + 0.75 * span
        if spec.higher_is_better is False:
            passed = values <= low + 0.25 * span
        flips = passed.any(axis=1) & ~passed.all(axis=1)
        names = list(values.index[flips])
        listed = ", ".join(map(str, names[:_LISTED])) + (" ..." if len(names) > _LISTED else "")
        yield (
            system,
            spec.label,
            values.shape[1],
            len(values),
            _mean(benchmark, passed.mean(axis=1)),
            _mean(benchmark, passed.all(axis=1).astype(float)),
            _mean(benchmark, flips.astype(float)),
            listed or None,
            float(values.std(axis=1, ddof=1).mean()),
            _half_width(values),
        )


@tabled("beyond_chance")
def beyond_chance(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Compare differences with what repetition alone would give; None with a single epoch."""
    by_measure: dict[str, dict[str, pd.DataFrame]] = {}
    for measure, system, values in _repeated(benchmark):
        by_measure.setdefault(measure, {})[system] = values
    for measure, systems in by_measure.items():
        for a, b in combinations(systems, 2):
            both = systems[a].index.intersection(systems[b].index)
            if len(both):
                first, second = systems[a].loc[both], systems[b].loc[both]
                gap = float((first.mean(axis=1) - second.mean(axis=1)).mean())
                noise = float(np.hypot(_half_width(first), _half_width(second)))
                larger = "yes" if abs(gap) > noise else "no"
                yield benchmark.spec(measure).label, a, b, Signed(gap), noise, larger


def _repeated(benchmark: Benchmark) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield the values of each primary measure and system, shape (samples, epochs), if several."""
    for measure in primary_measures(benchmark):
        own = benchmark.scores[benchmark.scores["measure"] == measure]
        for system, rows in benchmark.by_system(own):
            values = rows.pivot_table(index="id", columns="epoch", values="value", sort=False)
            values = values.dropna()
            if values.shape[1] > 1 and len(values):
                yield measure, system, values


def _half_width(values: pd.DataFrame) -> float:
    """Return the half-width that the variance within samples gives the mean of all."""
    samples, epochs = values.shape
    variance = float(values.var(axis=1, ddof=1).mean())
    return float(1.96 * np.sqrt(variance / (samples * epochs)))


def _mean(benchmark: Benchmark, values: "pd.Series[float]") -> Cell:
    aligned = values.reindex(list(benchmark.sample_ids)).to_numpy(float)
    return benchmark.mean(aligned, (0, 1))
