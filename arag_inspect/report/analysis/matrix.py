"""Values of a benchmark as arrays: one per sample, clustered by company.

Epochs of a sample are averaged.
"""

from collections.abc import Sequence
from functools import cached_property
from statistics import fmean
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...stats.estimates import (
    RESAMPLES,
    Bounds,
    Codes,
    Estimate,
    Floats,
    Paired,
    compare,
    estimate,
)
from ..load.records import Benchmark, Run, SampleResult


class SystemPair(NamedTuple):
    """The values of two systems by sample, NaN for both where they were measured differently."""

    a: Floats
    b: Floats
    left_out: int
    """Samples that were measured differently."""

    nowhere_alike: bool
    """Whether all samples were; then no value is left out."""


class ScoreMatrix:
    """Every measure of every system of a benchmark, aligned by sample."""

    def __init__(self, benchmark: Benchmark) -> None:
        self._benchmark = benchmark
        self._known: dict[tuple[str, str], Floats] = {}
        self._pairs: dict[tuple[str, str, str], SystemPair] = {}

    @cached_property
    def clusters(self) -> Codes:
        """Company of each sample as a number, shape (samples,).

        A sample without company is its own cluster.
        """
        names: dict[str, str] = {}
        for _, sample in self._benchmark.samples():
            names.setdefault(sample.id, sample.company or f"sample {sample.id}")
        ordered = [names[sample_id] for sample_id in self._benchmark.sample_ids]
        return np.unique(ordered, return_inverse=True)[1].astype(np.int64)

    def of(self, system: str, name: str) -> Floats:
        """Return the values of a measure by sample of the benchmark; NaN if missing."""
        key = system, name
        if key not in self._known:
            self._known[key] = self._read(self._benchmark.run(system), name)
        return self._known[key]

    def pair(self, a: str, b: str, name: str) -> SystemPair:
        """Return the values of two systems where these were measured in the same way."""
        if (a, b, name) not in self._pairs:
            self._pairs[a, b, name] = self._pair(a, b, name)
        return self._pairs[a, b, name]

    def _pair(self, a: str, b: str, name: str) -> SystemPair:
        first, second = self.of(a, name), self.of(b, name)
        runs, scorer = [self._benchmark.run(system) for system in (a, b)], name.split(".")[0]
        both = ~(np.isnan(first) | np.isnan(second))
        unlike = both & ~np.array([alike(runs, scorer, key) for key in self._benchmark.sample_ids])
        if nowhere := bool(unlike.any() and unlike.sum() == both.sum()):
            return SystemPair(first, second, 0, nowhere)
        first, second = (np.where(unlike, np.nan, values) for values in (first, second))
        return SystemPair(first, second, int(unlike.sum()), nowhere)

    def estimate(self, system: str, name: str) -> Estimate | None:
        """Return the mean of a measure with its interval; None without values."""
        spec = self._benchmark.spec(name)
        return self.mean(self.of(system, name), (spec.low, spec.high))

    def compare(
        self,
        a: str,
        b: str,
        name: str,
        *,
        among: NDArray[np.bool_] | None = None,
        resamples: int = RESAMPLES,
    ) -> Paired | None:
        """Compare two systems where measured alike; the measure's spec says which values tie.

        Args:
            a: One system.
            b: The other.
            name: Measure.
            among: Samples that count, shape (samples,); None for all.
            resamples: Random swaps.

        Returns:
            The comparison; None if the two have no sample in common.
        """
        spec = self._benchmark.spec(name)
        own = self.pair(a, b, name)
        return compare(
            own.a if among is None else np.where(among, own.a, np.nan),
            own.b,
            self.clusters,
            tie=spec.tie,
            span=spec.span,
            resamples=resamples,
        )

    def mean(self, values: Floats, bounds: Bounds = (None, None)) -> Estimate | None:
        """Return the mean of values by sample of the benchmark; None without values."""
        return None if np.isnan(values).all() else estimate(values, self.clusters, bounds)

    def pooled(self, name: str) -> Floats:
        """Return the values of all systems, concatenated."""
        return np.concatenate([self.of(system, name) for system in self._benchmark.systems])

    def _read(self, run: Run, name: str) -> Floats:
        ids = self._benchmark.sample_ids
        return np.array(
            [_mean(run.by_id.get(sample_id, ()), name) for sample_id in ids], dtype=float
        )


def signatures(run: Run, scorer: str, sample_id: str) -> frozenset[str]:
    """Return the signatures with which a scorer measured a sample, as far as they are known."""
    scorings = (epoch.scorings.get(scorer) for epoch in run.by_id.get(sample_id, ()))
    return frozenset(scoring.signature for scoring in scorings if scoring and scoring.signature)


def alike(runs: Sequence[Run], scorer: str, sample_id: str) -> bool:
    """Return whether a scorer measured a sample in the same way in all runs.

    A score without a signature, e.g. of an empty answer, counts as measured like the others
    of its run.
    """
    ways = [(signatures(run, scorer, sample_id), run.signatures.get(scorer)) for run in runs]
    return len({own for own, of_run in ways if own or not of_run}) <= 1


def _mean(epochs: tuple[SampleResult, ...], name: str) -> float:
    values = [value for epoch in epochs if (value := epoch.value(name)) is not None]
    return fmean(values) if values else float("nan")
