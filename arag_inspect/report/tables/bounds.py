"""Where each system stands between the floor and the ceiling."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..advice import BOUNDS
from ..benchmark import Benchmark
from ..primary import primary_measures
from ..table import Cell, Signed, tabled

_MORE = ("fact_coverage.facts",)
"""Measures besides the primary ones."""


class Position(NamedTuple):
    """A system between the closed book and the oracle of its model."""

    measure: str
    system: str
    floor: float
    mean: float
    ceiling: float
    share: Signed
    """Share of the way from floor to ceiling."""


def positions(benchmark: Benchmark, only: str | None = None) -> Iterator[Position]:
    """Yield the place of every system whose model has a closed book and an oracle.

    On the samples of all three. The interval is that of the ratio of two means over companies
    (linearised). Where the ceiling is not above the floor there is no place.

    Args:
        benchmark: The benchmark.
        only: The only measure; None for the primary ones and the share of facts stated.
    """
    keys = [key for key in (*primary_measures(benchmark), *_MORE) if key in benchmark.measures]
    for measure in [only] if only else dict.fromkeys(keys):
        for run in benchmark.rows:
            low, high = (_bound(benchmark, solver, run.model) for solver in BOUNDS[:2])
            if run.solver in BOUNDS or low is None or high is None:
                continue
            floor, own, ceiling = (benchmark.of(name, measure) for name in (low, run.system, high))
            answered = ~np.isnan(floor + own + ceiling)
            if not answered.any():
                continue
            least, mean, most = (float(values[answered].mean()) for values in (floor, own, ceiling))
            gap = most - least
            better = benchmark.spec(measure).higher_is_better is not False
            if gap == 0 or (gap > 0) != better:
                continue
            share = (mean - least) / gap
            rest = np.where(answered, (own - floor - share * (ceiling - floor)) / gap, np.nan)
            error = benchmark.mean(rest)
            position = Signed(share)
            if error is not None and error.low is not None and error.high is not None:
                position = Signed(share, share + error.low, share + error.high)
            yield Position(measure, run.system, least, mean, most, position)


@tabled("bounds")
def bounds(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return every system's place; None without a closed book and an oracle."""
    for own in positions(benchmark):
        label = benchmark.spec(own.measure).label
        yield label, own.system, own.floor, own.mean, own.ceiling, own.share


def _bound(benchmark: Benchmark, solver: str, model: str) -> str | None:
    return next(
        (run.system for run in benchmark.rows if (run.solver, run.model) == (solver, model)), None
    )
