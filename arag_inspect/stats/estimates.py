"""Intervals and tests for means over samples that come in clusters, e.g. calls of one company.

Samples of a company are alike, so companies are resampled, not samples:
counting samples as independent makes intervals too narrow (Miller, 2024,
"Adding Error Bars to Evals"). Everything takes one value a sample; epochs are
averaged before.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm
from statsmodels.stats.power import TTestPower

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

RESAMPLES = 9_999
CONFIDENCE = 0.95
_SEED = 20_260_101


class Estimate(NamedTuple):
    """A mean with its interval."""

    mean: float
    low: float | None
    """None where there are fewer than two clusters to resample."""

    high: float | None
    n: int
    """Samples."""

    clusters: int


class Paired(NamedTuple):
    """How a system does against another on the samples that both answered."""

    n: int
    clusters: int
    mean_a: float
    mean_b: float
    difference: float
    """Mean of a - b."""

    low: float | None
    high: float | None
    p: float
    """Two-sided, by approximate randomisation of whole clusters."""

    effect: float
    """Cohen's d of paired differences: their mean / their standard deviation."""

    deviation: float
    """Standard deviation of the differences."""

    design_effect: float
    """How many times as variable the mean is as it would be were samples independent; at least 1."""

    wins: int
    """Samples on which a has the higher value."""

    ties: int
    losses: int


def estimate(values: Floats, clusters: Codes, *, resamples: int = RESAMPLES) -> Estimate:
    """Mean with a 95 % interval by bootstrap over clusters (BCa; Efron, 1987).

    Args:
        values: One a sample, shape (samples,); NaN where there is none.
        clusters: Cluster of each sample, shape (samples,).
        resamples: Bootstrap samples.

    Raises:
        ValueError: There is no value.
    """
    sums, counts = _by_cluster(values, clusters)
    if not sums.size:
        raise ValueError("there is no value to estimate a mean from")
    mean = float(sums.sum() / counts.sum())
    low, high = _interval(sums, counts, resamples)
    return Estimate(mean, low, high, int(counts.sum()), len(sums))


def compare(a: Floats, b: Floats, clusters: Codes, *, resamples: int = RESAMPLES) -> Paired | None:
    """Compare two systems on the samples for which both have a value.

    The interval is that of the paired bootstrap over clusters; p is that of
    approximate randomisation (Noreen, 1989): what the two systems got on all
    samples of a cluster is swapped or not, at random, and p is the share of
    swaps with a difference as large as the one seen. All swaps are counted
    where there are no more of them than resamples.

    Args:
        a: One value a sample, shape (samples,); NaN where there is none.
        b: The same for the other system, in the same order.
        clusters: Cluster of each sample, shape (samples,).
        resamples: Bootstrap samples, and random swaps.

    Returns:
        The comparison; None where the two have no sample in common.
    """
    differences = a - b
    known = ~np.isnan(differences)
    if not known.any():
        return None
    kept = differences[known]
    sums, counts = _by_cluster(differences, clusters)
    n, mean = len(kept), float(kept.mean())
    low, high = _interval(sums, counts, resamples)
    deviation = float(kept.std(ddof=1)) if n > 1 else 0.0
    tolerance = 1e-12 * max(1.0, float(np.abs(kept).max()))
    wins, losses = int((kept > tolerance).sum()), int((kept < -tolerance).sum())
    return Paired(
        n=n,
        clusters=len(sums),
        mean_a=float(a[known].mean()),
        mean_b=float(b[known].mean()),
        difference=mean,
        low=low,
        high=high,
        p=_randomisation(sums, resamples),
        effect=mean / deviation if deviation > tolerance else 0.0,
        deviation=deviation,
        design_effect=_design_effect(sums, counts, deviation),
        wins=wins,
        ties=n - wins - losses,
        losses=losses,
    )


def holm(ps: Sequence[float]) -> list[float]:
    """Adjust p-values of a family of comparisons (Holm, 1979).

    As `statsmodels.stats.multitest.multipletests` does, which collects garbage
    at every call: seconds, with many logs in memory.
    """
    order = np.argsort(ps, kind="stable")
    stepped = np.asarray(ps, dtype=np.float64)[order] * (len(ps) - np.arange(len(ps)))
    adjusted = np.empty(len(ps))
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return [float(p) for p in adjusted]


def samples_needed(
    difference: float,
    deviation: float,
    design_effect: float = 1.0,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
) -> int | None:
    """How many samples a paired comparison needs to show a difference.

    Args:
        difference: Mean difference to be shown.
        deviation: Standard deviation of the differences between samples.
        design_effect: See `Paired`.
        alpha: Chance of calling a difference that is none.
        power: Chance of calling this one.

    Returns:
        Number of samples; None where the differences do not vary, or there is no difference.
    """
    if not deviation or not difference:
        return None
    size = abs(difference) / deviation
    # Guenther, 1981; below a thousand statsmodels says whether that is off by one or two
    tails = norm.ppf(1 - alpha / 2), norm.ppf(power)
    n: int = max(2, math.ceil((sum(tails) / size) ** 2 + tails[0] ** 2 / 2))
    if n > 1_000:
        return math.ceil(n * design_effect)
    while n > 2 and TTestPower().power(size, n - 1, alpha) >= power:
        n -= 1
    while TTestPower().power(size, n, alpha) < power:
        n += 1
    needed: int = math.ceil(n * design_effect)
    return needed


def _by_cluster(values: Floats, clusters: Codes) -> tuple[Floats, Floats]:
    """Sum and number of the values of each cluster that has any."""
    known = ~np.isnan(values)
    _, codes = np.unique(clusters[known], return_inverse=True)
    sums = np.bincount(codes, weights=values[known])
    return sums.astype(np.float64), np.bincount(codes).astype(np.float64)


def _interval(sums: Floats, counts: Floats, resamples: int) -> tuple[float | None, float | None]:
    """BCa interval of sums / counts over resampled clusters."""
    if len(sums) < 2:
        return None, None
    mean = sums.sum() / counts.sum()
    weights = _bootstrap_weights(len(sums), resamples)
    means = (weights @ sums) / (weights @ counts)
    spread = float(np.ptp(means))
    if spread <= 1e-12 * max(1.0, abs(float(mean))):
        return float(mean), float(mean)
    below = (means < mean).mean() / 2 + (means <= mean).mean() / 2
    bias = norm.ppf(np.clip(below, 1 / (resamples + 1), resamples / (resamples + 1)))
    tails = norm.ppf([(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    shares = norm.cdf(bias + (bias + tails) / (1 - _acceleration(sums, counts) * (bias + tails)))
    low, high = np.quantile(means, shares)
    return float(low), float(high)


def _acceleration(sums: Floats, counts: Floats) -> float:
    """Skewness of the mean, by leaving out each cluster in turn."""
    left = (sums.sum() - sums) / (counts.sum() - counts)
    deviations = left.mean() - left
    scale = float((deviations**2).sum()) ** 1.5
    return float((deviations**3).sum()) / (6 * scale) if scale else 0.0


def _randomisation(sums: Floats, resamples: int) -> float:
    """Share of swaps of clusters whose difference is at least as large as the one seen."""
    seen = abs(float(sums.sum()))
    swapped = np.abs(_signs(len(sums), resamples) @ sums)
    as_large = int((swapped >= seen - 1e-9 * max(1.0, seen)).sum())
    if 2 ** len(sums) <= resamples:
        return as_large / len(swapped)
    return (as_large + 1) / (len(swapped) + 1)  # Phipson and Smyth, 2010: p is never 0


def _design_effect(sums: Floats, counts: Floats, deviation: float) -> float:
    n, k = counts.sum(), len(sums)
    if k < 2 or not deviation:
        return 1.0
    residuals = sums - counts * (sums.sum() / n)
    clustered = k / (k - 1) * float((residuals**2).sum()) / n**2
    return max(1.0, float(clustered * n / deviation**2))


@lru_cache(maxsize=4)
def _bootstrap_weights(clusters: int, resamples: int) -> Floats:
    """How often each cluster is drawn, shape (resamples, clusters)."""
    random = np.random.default_rng(_SEED)
    drawn = random.multinomial(clusters, np.full(clusters, 1 / clusters), size=resamples)
    return drawn.astype(float)


@lru_cache(maxsize=4)
def _signs(clusters: int, resamples: int) -> Floats:
    """Which clusters are swapped (-1) and which are not (1), shape (swaps, clusters)."""
    if 2**clusters <= resamples:
        chosen = np.arange(2**clusters)[:, None] >> np.arange(clusters) & 1
    else:
        chosen = np.random.default_rng(_SEED).integers(0, 2, size=(resamples, clusters))
    return 1.0 - 2.0 * chosen.astype(np.float64)
