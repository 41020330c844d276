"""Values of a benchmark as arrays: one per sample, clustered by company.

Epochs of a sample are averaged.
"""

from functools import cached_property
from statistics import fmean

import numpy as np

from ...stats.estimates import Codes, Estimate, Floats, estimate
from ..load.records import Benchmark, Run, SampleResult


class ScoreMatrix:
    """Every measure of every system of a benchmark, aligned by sample."""

    def __init__(self, benchmark: Benchmark) -> None:
        self._benchmark = benchmark
        self._known: dict[tuple[str, str], Floats] = {}

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

    def estimate(self, system: str, name: str) -> Estimate | None:
        """Return the mean of a measure with its interval; None without values."""
        spec = self._benchmark.spec(name)
        bounds = None if spec.low is None or spec.high is None else (spec.low, spec.high)
        return self.mean(self.of(system, name), bounds)

    def mean(self, values: Floats, bounds: tuple[float, float] | None = None) -> Estimate | None:
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


def _mean(epochs: tuple[SampleResult, ...], name: str) -> float:
    values = [value for epoch in epochs if (value := epoch.value(name)) is not None]
    return fmean(values) if values else float("nan")
