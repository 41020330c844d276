"""How often the report's 95 % intervals cover the truth, and how often it calls a difference that is none.

Grades are drawn by company from a latent normal that companies share in part, and
cut into grades; the true mean is known from the cuts. `benchmarks.intervals` run by
itself prints the table of `docs/statistics.md`.
"""

import sys

import numpy as np
from scipy.stats import norm

from arag_inspect.stats.estimates import Codes, Floats, compare, estimate

from .measure import Row

REPLICATES = 5_000
_WITHIN = 0.3
"""Correlation of two samples of one company."""

CUTS = {
    "grades, mean 3.2": [-1.5, -0.6, 0.2, 1.1],
    "grades, mean 4.9": [-3.0, -2.6, -2.1, -1.4],
    "share of 0.50": [0.0],
    "share of 0.05": [1.645],
    "share of 0.02": [2.054],
}


def intervals(quick: bool) -> list[Row]:
    """Measure coverage for 20 companies; the table of the docs has more."""
    replicates = 200 if quick else REPLICATES
    least, most = (None, None) if quick else (0.93, 0.06)
    rows = []
    for name, cuts in CUTS.items():
        mean = 1 - sum(_misses(cuts, 20, replicates))
        covered, called = _null(cuts, 20, replicates)
        rows += [
            Row(f"coverage, {name}", f"{mean:.3f}", ratio=mean, target=least),
            Row(f"coverage of a difference, {name}", f"{covered:.3f}", ratio=covered, target=least),
            Row(f"calls of no difference, {name}", f"{called:.3f}", "-", called, most, True),
        ]
    return rows


def table(replicates: int = REPLICATES) -> str:
    """The table of the docs, in Markdown."""
    lines = [
        "| measure | companies | coverage, mean | truth below / above | coverage, difference | "
        "called, no difference |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, cuts in CUTS.items():
        for companies in (12, 20, 50):
            covered, called = _null(cuts, companies, replicates)
            below, above = _misses(cuts, companies, replicates)
            lines.append(
                f"| {name} | {companies} | {1 - below - above:.3f} | {below:.3f} / {above:.3f} | "
                f"{covered:.3f} | {called:.3f} |"
            )
    return "\n".join(lines)


def _draw(random: np.random.Generator, cuts: list[float], companies: int) -> tuple[Floats, Codes]:
    """Values from 0 to 1 of one to six samples a company."""
    codes = np.repeat(np.arange(companies), random.integers(1, 7, size=companies))
    return _values(random, cuts, codes), codes


def _values(random: np.random.Generator, cuts: list[float], codes: Codes) -> Floats:
    shared = random.normal(size=codes.max() + 1)[codes]
    latent = _WITHIN**0.5 * shared + (1 - _WITHIN) ** 0.5 * random.normal(size=len(codes))
    return np.asarray(np.searchsorted(cuts, latent) / len(cuts))


def _misses(cuts: list[float], companies: int, replicates: int) -> tuple[float, float]:
    """Shares of replicates in which the true mean lies below the interval, and above it."""
    random, truth = np.random.default_rng(1), float(norm.sf(cuts).mean())
    below = above = 0
    for _ in range(replicates):
        found = estimate(*_draw(random, cuts, companies), (0, 1))
        if found.low is None or found.high is None:
            raise AssertionError("samples of several companies have an interval")
        below += truth < found.low
        above += truth > found.high
    return below / replicates, above / replicates


def _null(cuts: list[float], companies: int, replicates: int) -> tuple[float, float]:
    """Coverage of the interval, and share of calls, where two systems are alike."""
    random, covered, called = np.random.default_rng(2), 0, 0
    for _ in range(replicates):
        a, codes = _draw(random, cuts, companies)
        found = compare(a, _values(random, cuts, codes), codes, resamples=1_999)
        if found is None or found.low is None or found.high is None:
            raise AssertionError("two systems with samples of several companies have an interval")
        inside = found.low <= 0 <= found.high
        covered += inside
        called += not inside and found.p < 0.05
    return covered / replicates, called / replicates


if __name__ == "__main__":
    print(table(int(sys.argv[1]) if len(sys.argv) > 1 else REPLICATES))
