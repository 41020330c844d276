"""Coverage of the report's 95 % intervals, and its rate of falsely reported differences.

Values are drawn from a latent normal that samples of a company partly share: cut into grades or
shares, unchanged, or stretched to heavy tails; so the true mean is known. Running
`measurements.intervals` prints the figures of `docs/statistics.md`.
"""

import sys
from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.stats import norm, t

from arag_inspect.stats.estimates import Bounds, Floats, Paired, estimate, paired_difference
from arag_inspect.stats.multiple_tests import holm
from arag_inspect.stats.strata import Codes

from .measure import Row

REPLICATES = 10_000
_WITHIN = 0.3
"""Correlation of two samples of one company."""


class Kind(NamedTuple):
    """A kind of measure."""

    values: Callable[[Floats], Floats]
    """From the latent normal."""

    mean: float
    bounds: Bounds


def _cut(*cuts: float) -> Kind:
    def values(latent: Floats) -> Floats:
        return np.asarray(np.searchsorted(cuts, latent) / len(cuts))

    return Kind(values, float(norm.sf(cuts).mean()), (0, 1))


KINDS = {
    "grades, mean 3.2": _cut(-1.5, -0.6, 0.2, 1.1),
    "grades, mean 4.9": _cut(-3.0, -2.6, -2.1, -1.4),
    "share of 0.50": _cut(0.0),
    "share of 0.05": _cut(1.645),
    "share of 0.02": _cut(2.054),
    "continuous": Kind(np.asarray, 0.0, (None, None)),
    "heavy tails": Kind(lambda latent: np.asarray(t.ppf(norm.cdf(latent), 3)), 0.0, (None, None)),
}


def intervals(quick: bool) -> list[Row]:
    """Measure coverage for 20 companies; `table` has more."""
    replicates = 200 if quick else REPLICATES
    least, most = (None, None) if quick else (0.93, 0.06)
    rows = []
    for name, kind in KINDS.items():
        mean = 1 - sum(_misses(kind, 20, replicates))
        covered, called = _null(kind, 20, replicates)
        rows += [
            Row(f"coverage, {name}", f"{mean:.3f}", ratio=mean, target=least),
            Row(f"coverage of a difference, {name}", f"{covered:.3f}", ratio=covered, target=least),
            Row(f"calls of no difference, {name}", f"{called:.3f}", "-", called, most, True),
        ]
    return rows


def table(replicates: int = REPLICATES) -> str:
    """Return the figures of the docs for each number of companies, in Markdown."""
    lines = [
        "| measure | companies | coverage, mean | truth below / above | coverage, difference | "
        "called, no difference | called, family of 9 |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, kind in KINDS.items():
        for companies in (12, 20, 50):
            covered, called = _null(kind, companies, replicates)
            below, above = _misses(kind, companies, replicates)
            family = _family(kind, companies, replicates * 2 // 5)
            lines.append(
                f"| {name} | {companies} | {1 - below - above:.3f} | {below:.3f} / {above:.3f} | "
                f"{covered:.3f} | {called:.3f} | {family:.3f} |"
            )
    return "\n".join(lines)


def _codes(random: np.random.Generator, companies: int) -> Codes:
    """Companies of one to six samples each."""
    return np.repeat(np.arange(companies), random.integers(1, 7, size=companies))


def _values(random: np.random.Generator, kind: Kind, codes: Codes) -> Floats:
    shared = random.normal(size=codes.max() + 1)[codes]
    return kind.values(
        _WITHIN**0.5 * shared + (1 - _WITHIN) ** 0.5 * random.normal(size=len(codes))
    )


def _misses(kind: Kind, companies: int, replicates: int) -> tuple[float, float]:
    """Shares of replicates in which the true mean lies below the interval, and above it."""
    random = np.random.default_rng(1)
    below = above = 0
    for _ in range(replicates):
        codes = _codes(random, companies)
        found = estimate(_values(random, kind, codes), codes, kind.bounds)
        if found.low is None or found.high is None:
            raise AssertionError("samples of several companies have an interval")
        below += kind.mean < found.low
        above += kind.mean > found.high
    return below / replicates, above / replicates


def _null(kind: Kind, companies: int, replicates: int) -> tuple[float, float]:
    """Coverage of the interval, and share of calls, where two systems are alike."""
    random, covered, called = np.random.default_rng(2), 0, 0
    for _ in range(replicates):
        codes = _codes(random, companies)
        found = _compare(_values(random, kind, codes), _values(random, kind, codes), codes)
        covered += not _excludes_zero(found)
        called += _excludes_zero(found) and found.p < 0.05
    return covered / replicates, called / replicates


def _family(kind: Kind, companies: int, replicates: int) -> float:
    """Share of reports on three alike systems and three measures in which any winner is named."""
    random, called = np.random.default_rng(3), 0
    for _ in range(replicates):
        codes = _codes(random, companies)
        found = [
            _compare(a, b, codes)
            for _ in range(3)
            for a, b in combinations([_values(random, kind, codes) for _ in range(3)], 2)
        ]
        adjusted = holm([one.p for one in found])
        called += any(
            p < 0.05 and _excludes_zero(one) for p, one in zip(adjusted, found, strict=True)
        )
    return called / replicates


def _compare(a: Floats, b: Floats, codes: Codes) -> Paired:
    found = paired_difference(a, b, codes, resamples=1_999)
    if found is None:
        raise AssertionError("two systems with samples in common can be compared")
    return found


def _excludes_zero(found: Paired) -> bool:
    return found.low is not None and found.high is not None and not found.low <= 0 <= found.high


if __name__ == "__main__":
    print(table(int(sys.argv[1]) if len(sys.argv) > 1 else REPLICATES))
