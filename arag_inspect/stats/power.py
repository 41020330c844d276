"""Samples and clusters that a comparison needs, and its detectable difference."""

import math
from statistics import NormalDist

from scipy.special import nctdtr

from .estimates import Paired, t_quantile

ALPHA = 0.05
"""Conventional significance level."""

_POWER = 0.8
"""Conventional power."""


def samples_needed(
    difference: float,
    deviation: float,
    design_effect: float = 1.0,
    *,
    alpha: float = ALPHA,
    power: float = _POWER,
) -> int | None:
    """Return the number of samples a paired comparison needs to detect a difference.

    Args:
        difference: Mean difference to detect.
        deviation: Standard deviation of the differences between samples.
        design_effect: See `Paired`.
        alpha: Chance of a false positive.
        power: Chance of detecting the difference.

    Returns:
        Number of samples; None if the differences do not vary or are 0.
    """
    if not deviation or not difference:
        return None
    size = abs(difference) / deviation
    # Guenther, 1981; below a thousand, the exact power corrects an error of one or two
    tails = NormalDist().inv_cdf(1 - alpha / 2), NormalDist().inv_cdf(power)
    n = max(2, math.ceil((sum(tails) / size) ** 2 + tails[0] ** 2 / 2))
    if n > 1_000:
        return math.ceil(n * design_effect)
    while n > 2 and _power(size, n - 1, alpha) >= power:
        n -= 1
    while _power(size, n, alpha) < power:
        n += 1
    return math.ceil(n * design_effect)


def samples_for(paired: Paired, difference: float) -> int | None:
    """Return how many samples would show a difference with 80 % power, before any correction.

    The number suffices for the clusters that a significant p requires.

    Args:
        paired: Two systems that were compared: their spread, and samples per cluster.
        difference: Mean difference to detect.

    Returns:
        Number of samples; None as for `samples_needed`.
    """
    needed = samples_needed(difference, paired.deviation, paired.design_effect)
    if needed is None:
        return None
    return max(needed, math.ceil(clusters_needed(1) * paired.n / paired.clusters))


def smallest_detectable(paired: Paired, *, alpha: float = ALPHA) -> float | None:
    """Return the smallest difference that a comparison would have detected with 80 % power.

    A design effect below 1 does not count, as for `samples_needed`: samples of a cluster may vary
    less together than separately by chance.

    Args:
        paired: Two systems that were compared.
        alpha: Chance of a false positive.

    Returns:
        The difference; None with a single cluster, or if all samples are equal.
    """
    if not paired.error or not paired.freedom:
        return None
    tails = [t_quantile(share, paired.freedom) for share in (1 - alpha / 2, _POWER)]
    independent_error = paired.deviation / math.sqrt(paired.n)
    return sum(tails) * max(paired.error, independent_error)


def clusters_needed(comparisons: int) -> int:
    """Return the minimum number of clusters for one of several comparisons to be significant.

    The smallest p of swapping k clusters is 2 / 2**k, which Holm's correction multiplies by the
    number of comparisons.
    """
    return math.floor(math.log2(2 * comparisons / ALPHA)) + 1


def _power(size: float, n: int, alpha: float) -> float:
    """Return the power of a two-sided t test of n differences.

    Args:
        size: Mean difference in standard deviations.
        n: Number of differences.
        alpha: Chance of a false positive.
    """
    critical_value = t_quantile(1 - alpha / 2, n - 1)
    shift = size * math.sqrt(n)
    return float(1 - nctdtr(n - 1, shift, critical_value) + nctdtr(n - 1, shift, -critical_value))
