"""Intervals and tests for means over clustered samples, e.g. calls of one company.

Samples of one company are correlated; treating them as independent makes intervals too narrow
(Miller, 2024, "Adding Error Bars to Evals"). Variances are therefore cluster-robust, with the
small-sample correction of Bell and McCaffrey (2002, "CR2") and their degrees of freedom. All
functions take one value per sample; average epochs first. `python -m measurements intervals`
measures how often the intervals cover the truth.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .strata import Codes, merge_strata

Floats = NDArray[np.float64]
Bounds = tuple[float | None, float | None]

RESAMPLES = 9_999
CONFIDENCE = 0.95
_SEED = 20_260_101
_ROUNDING = 1e-12
"""Relative size of differences caused only by floating-point arithmetic."""


class Estimate(NamedTuple):
    """A mean with its interval."""

    mean: float
    low: float | None
    """None with fewer than two clusters."""

    high: float | None
    n: int
    """Samples."""

    clusters: int


class Paired(NamedTuple):
    """Difference of two systems on the samples that both answered."""

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
    """Cohen's d of paired differences: their mean / their standard deviation.

    NaN if all differences are equal, but not 0.
    """

    deviation: float
    """Standard deviation of the differences."""

    error: float
    """Standard error of the difference; 0 with a single cluster."""

    freedom: float
    """Degrees of freedom of the standard error."""

    design_effect: float
    """Variance of the mean relative to independent samples; at least 1."""

    wins: int
    """Samples on which `a` has the higher value."""

    ties: int
    losses: int
    differing: int
    """Clusters whose differences do not add up to 0; the others never change p."""

    @property
    def estimate(self) -> Estimate:
        """The difference as a mean with its interval."""
        return Estimate(self.difference, self.low, self.high, self.n, self.clusters)

    @property
    def spans_zero(self) -> bool:
        """Whether the interval includes zero; false without an interval."""
        return self.low is not None and self.high is not None and self.low <= 0 <= self.high

    def swap(self) -> "Paired":
        """Return the same comparison with the two systems exchanged."""
        low, high = (None if end is None else 0.0 - end for end in (self.high, self.low))
        return self._replace(
            mean_a=self.mean_b,
            mean_b=self.mean_a,
            difference=0.0 - self.difference,  # no negative zero
            low=low,
            high=high,
            effect=0.0 - self.effect,
            wins=self.losses,
            losses=self.wins,
        )


class _Mean(NamedTuple):
    """A mean over clusters with its standard error."""

    mean: float
    variance: float
    """Variance of the mean; 0 with a single cluster."""

    freedom: float
    n: int
    clusters: int


def estimate(
    values: Floats, clusters: Codes, bounds: Bounds = (None, None), parts: Codes | None = None
) -> Estimate:
    """Return the mean with its 95 % interval over clusters, within the bounds.

    For an unbounded measure the interval is Student's. For a measure with two bounds (a share, a
    scale of grades) it is Wilson's, with the number of independent samples that the variance
    between clusters implies. Unlike Student's, it covers the truth near the bounds too (Korn and
    Graubard, 1998; Dean and Pagano, 2015). If all values are equal, a cluster counts as one sample,
    and the interval allows for other values as Wilson's interval of 0 % does. The variance is at
    least as for independent samples, because few clusters with similar means by chance would make
    the interval too narrow.

    Args:
        values: One per sample, shape (samples,); NaN if missing.
        clusters: Cluster of each sample, shape (samples,).
        bounds: Lowest and highest possible value of the measure, each None without a bound.
        parts: Part of the task of each sample, shape (samples,), as strata; None without parts.

    Raises:
        ValueError: All values are missing.
    """
    if np.isnan(values).all():
        raise ValueError("there is no value to estimate a mean from")
    moments = _moments(values, clusters, parts)
    independent = _moments(values, np.arange(len(values)), parts)
    moments = moments._replace(variance=max(moments.variance, independent.variance))
    low, high = bounds
    ends = (
        _student(moments, low, high) if low is None or high is None else _wilson(moments, low, high)
    )
    return Estimate(moments.mean, *ends, moments.n, moments.clusters)


def paired_difference(
    a: Floats,
    b: Floats,
    clusters: Codes,
    *,
    tie: float = 0.0,
    span: float | None = None,
    resamples: int = RESAMPLES,
    parts: Codes | None = None,
) -> Paired | None:
    """Return the difference of two systems on the samples with a value of both.

    The interval is Student's over clusters; p comes from approximate randomisation (Noreen, 1989).
    The values of the two systems on all samples of a cluster are swapped at random, and p is the
    share of swaps with a difference as large as the observed one. Up to `resamples` possible swaps
    are all counted.

    Args:
        a: One value per sample, shape (samples,); NaN if missing.
        b: Values of the other system, in the same order.
        clusters: Cluster of each sample, shape (samples,).
        tie: Smallest difference of two values that counts; smaller differences are set to 0.
        span: Largest possible difference of two values; None if unbounded.
        resamples: Random swaps.
        parts: Part of the task of each sample, shape (samples,), as strata; None without parts.

    Returns:
        The difference; None if the systems share no sample.
    """
    differences = a - b
    mask = ~np.isnan(differences)
    if not mask.any():
        return None
    differences[np.abs(differences) < max(tie, _ROUNDING * max(1.0, np.nanmax(np.abs(a))))] = 0.0
    values = differences[mask]
    n = len(values)
    mean = float(values.mean())
    moments = _moments(differences, clusters, parts)
    low, high = _student(moments, None if span is None else -span, span)
    deviation = float(values.std(ddof=1)) if n > 1 else 0.0
    if deviation < _ROUNDING * max(1.0, float(np.abs(values).max())):
        deviation = 0.0
    wins = int((values > 0).sum())
    losses = int((values < 0).sum())
    sums = _cluster_sums(differences, clusters)[0]
    return Paired(
        n=n,
        clusters=moments.clusters,
        mean_a=float(a[mask].mean()),
        mean_b=float(b[mask].mean()),
        difference=mean,
        low=low,
        high=high,
        p=_randomisation(sums, resamples),
        effect=mean / deviation if deviation else (math.nan if mean else 0.0),
        deviation=deviation,
        error=math.sqrt(moments.variance),
        freedom=moments.freedom,
        design_effect=max(1.0, moments.variance * n / deviation**2) if deviation else 1.0,
        wins=wins,
        ties=n - wins - losses,
        losses=losses,
        differing=int((np.abs(sums) > 1e-9 * max(1.0, abs(float(sums.sum())))).sum()),
    )


def t_quantile(share: float, freedom: float) -> float:
    """Return a quantile of Student's t distribution."""
    from scipy.special import stdtrit  # slow to import, and not needed until something is scored

    return float(stdtrit(freedom, share))


def wilson_interval(share: float, squared: float) -> tuple[float, float]:
    """Return Wilson's score interval of a share (1927).

    Args:
        share: Observed share, from 0 to 1.
        squared: Squared quantile divided by the number of samples.
    """
    centre = (share + squared / 2) / (1 + squared)
    half_width = math.sqrt(squared * (share * (1 - share) + squared / 4)) / (1 + squared)
    return max(0.0, centre - half_width), min(1.0, centre + half_width)


def _moments(values: Floats, clusters: Codes, parts: Codes | None) -> _Mean:
    """Return the mean over all samples; parts of the task, if any, are strata of its variance."""
    has_value = ~np.isnan(values)
    if parts is None or len(np.unique(parts[has_value])) < 2:
        return _stratum_moments(values, clusters)
    values = values[has_value]
    clusters = clusters[has_value]
    strata = merge_strata(parts[has_value], clusters)
    masks = [strata == stratum for stratum in np.unique(strata)]
    means = [_stratum_moments(values[mask], clusters[mask]) for mask in masks]
    n = sum(mean.n for mean in means)
    variances = np.array([mean.variance * (mean.n / n) ** 2 for mean in means])
    freedoms = np.array([mean.freedom for mean in means])
    variance = float(variances.sum())
    freedom = float(freedoms.sum())
    if variance:  # Satterthwaite, 1946
        freedom = float(variance**2 / (variances**2 / freedoms).sum())
    groups = sum(mean.clusters for mean in means)
    return _Mean(float(values.mean()), variance, freedom, n, groups)


def _stratum_moments(values: Floats, clusters: Codes) -> _Mean:
    """Return the mean, its variance between clusters (CR2) and its degrees of freedom.

    If only samples within clusters differ, the variance is for independent samples.
    """
    sums, counts = _cluster_sums(values, clusters)
    n = counts.sum()
    k = len(sums)
    mean = float(sums.sum() / n)
    if k < 2:
        return _Mean(mean, 0.0, 0.0, int(n), k)
    weights = counts / n
    residuals = sums - counts * mean
    tolerance = _ROUNDING * max(1.0, float(np.abs(sums).max()))
    residuals[np.abs(residuals) < tolerance] = 0.0
    variance = float((residuals**2 / (1 - weights)).sum() / n**2)
    if not variance and np.nanmax(values) - np.nanmin(values) > tolerance:
        variance = float(np.nanvar(values, ddof=1) / n)
    spill = weights**2 / (1 - weights)
    freedom = float(1 / ((weights**2).sum() + spill.sum() ** 2 - (spill**2).sum()))
    return _Mean(mean, variance, freedom, int(n), k)


def _cluster_sums(values: Floats, clusters: Codes) -> tuple[Floats, Floats]:
    """Return the sum and the count of the values of each cluster with values."""
    mask = ~np.isnan(values)
    _, codes = np.unique(clusters[mask], return_inverse=True)
    sums = np.bincount(codes, weights=values[mask])
    return sums.astype(np.float64), np.bincount(codes).astype(np.float64)


def _student(
    moments: _Mean, low: float | None, high: float | None
) -> tuple[float | None, float | None]:
    if moments.clusters < 2:
        return None, None
    half_width = t_quantile((1 + CONFIDENCE) / 2, moments.freedom) * math.sqrt(moments.variance)
    start = moments.mean - half_width
    end = moments.mean + half_width
    if low is not None:
        start = max(low, start)
    if high is not None:
        end = min(high, end)
    return start, end


def _wilson(moments: _Mean, low: float, high: float) -> tuple[float | None, float | None]:
    """Return Wilson's interval of the mean, scaled to the range from low to high."""
    if moments.clusters < 2:
        return None, None
    span = high - low
    share = min(max((moments.mean - low) / span, 0.0), 1.0)
    variance = moments.variance / span**2
    squared_quantile = t_quantile((1 + CONFIDENCE) / 2, moments.freedom) ** 2
    spread = share * (1 - share)
    if variance and spread > 1e-12:
        n = spread / variance
        start, end = wilson_interval(share, squared_quantile / n)
    else:
        other_values = wilson_interval(0.0, squared_quantile / moments.clusters)[1]
        start = share - other_values * share
        end = share + other_values * (1 - share)
    return low + span * start, low + span * end


def _randomisation(sums: Floats, resamples: int) -> float:
    """Return the share of cluster swaps with at least the observed difference."""
    observed = abs(float(sums.sum()))
    swapped = np.abs(_signs(len(sums), resamples) @ sums)
    large_swaps = int((swapped >= observed - 1e-9 * max(1.0, observed)).sum())
    if 2 ** len(sums) <= resamples:
        return large_swaps / len(swapped)
    return (large_swaps + 1) / (len(swapped) + 1)  # Phipson and Smyth, 2010: p is never 0


@lru_cache(maxsize=4)
def _signs(clusters: int, resamples: int) -> Floats:
    """Return -1 for swapped clusters and 1 for others, shape (swaps, clusters)."""
    if 2**clusters <= resamples:
        swapped = np.arange(2**clusters)[:, None] >> np.arange(clusters) & 1
    else:
        swapped = np.random.default_rng(_SEED).integers(0, 2, size=(resamples, clusters))
    return 1.0 - 2.0 * swapped.astype(np.float64)
