"""Mean human mark, estimated from human marks of some answers and a judge's verdicts on all."""

import math

import numpy as np
from scipy.special import stdtrit

from .estimates import Bounds, Estimate, Floats, wilson_interval


def corrected_mean(marks: Floats, verdicts: Floats, bounds: Bounds) -> Estimate | None:
    """Estimate a mean by prediction-powered inference.

    PPI++ (Angelopoulos, Duchi and Zrnic, 2023).

    The judge's mean over unmarked answers, times lambda, plus the mean of mark - lambda * verdict
    over marked ones; lambda, from 0 to 1, minimises the variance of the estimate, so that an
    uninformative judge does not bias it.

    Args:
        marks: Human marks, shape (answers,); NaN if missing.
        verdicts: The judge's verdicts, shape (answers,); answers without one are ignored.
        bounds: Lowest and highest possible mark.

    Returns:
        The mean with Student's 95 % interval clipped to the bounds, `n` being the marked answers;
        None with fewer than two, or if a mark is out of bounds and so on another scale. If all
        marks equal one end of the scale, the interval is Wilson's; if they equal another value,
        there is none.
    """
    judged = ~np.isnan(verdicts)
    marked = judged & ~np.isnan(marks)
    y, f, unmarked_verdicts = marks[marked], verdicts[marked], verdicts[judged & ~marked]
    n, unmarked = len(y), len(unmarked_verdicts)
    low, high = bounds
    lower_bound, upper_bound = -math.inf if low is None else low, math.inf if high is None else high
    if n < 2 or y.min() < lower_bound or y.max() > upper_bound:
        return None
    weight = _weight(y, f, unmarked_verdicts) if unmarked > 1 else 0.0
    differences = y - weight * f
    mean, variance = float(differences.mean()), float(differences.var(ddof=1) / n)
    if weight:
        mean += float(weight * unmarked_verdicts.mean())
        variance += float(weight**2 * unmarked_verdicts.var(ddof=1) / unmarked)
    mean, quantile = min(max(mean, lower_bound), upper_bound), float(stdtrit(n - 1, 0.975))
    if not variance and mean in bounds and None not in bounds:
        start, end = wilson_interval(
            (mean - lower_bound) / (upper_bound - lower_bound), quantile**2 / n
        )
        span = upper_bound - lower_bound
        return Estimate(mean, lower_bound + start * span, lower_bound + end * span, n, n)
    if not variance:
        return Estimate(mean, None, None, n, n)
    half_width = quantile * math.sqrt(variance)
    return Estimate(
        mean, max(mean - half_width, lower_bound), min(mean + half_width, upper_bound), n, n
    )


def _weight(y: Floats, f: Floats, unmarked_verdicts: Floats) -> float:
    spread = float(np.concatenate([f, unmarked_verdicts]).var(ddof=1))
    if not spread:
        return 0.0
    covariance = float(((y - y.mean()) * (f - f.mean())).mean())
    return min(1.0, max(0.0, covariance / ((1 + len(y) / len(unmarked_verdicts)) * spread)))
