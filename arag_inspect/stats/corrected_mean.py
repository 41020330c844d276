"""Mean human mark, estimated from human marks of some answers and a judge's verdicts on all."""

import math

import numpy as np
from scipy.special import stdtrit

from .estimates import Bounds, Estimate, Floats, wilson_interval


def corrected_mean(marks: Floats, verdicts: Floats, bounds: Bounds) -> Estimate | None:
    """Estimate a mean by prediction-powered inference.

    PPI++ (Angelopoulos, Duchi and Zrnic, 2023).

    The estimate is the judge's mean over unmarked answers, times lambda, plus the mean of mark -
    lambda * verdict over marked answers. Lambda, from 0 to 1, minimises its variance, so that an
    uninformative judge does not bias it.

    Args:
        marks: Human marks, shape (answers,); NaN if missing.
        verdicts: The judge's verdicts, shape (answers,); answers without one are ignored.
        bounds: Lowest and highest possible mark.

    Returns:
        The mean with Student's 95 % interval clipped to the bounds, `n` being the marked answers;
        None with fewer than two, or if a mark is out of bounds and thus on another scale. If all
        marks equal one end of the scale, the interval is Wilson's; if they equal another value, it
        is missing.
    """
    has_verdict = ~np.isnan(verdicts)
    has_mark = has_verdict & ~np.isnan(marks)
    human = marks[has_mark]
    judged = verdicts[has_mark]
    unmarked = verdicts[has_verdict & ~has_mark]
    n = len(human)
    lowest = -math.inf if bounds[0] is None else bounds[0]
    highest = math.inf if bounds[1] is None else bounds[1]
    if n < 2 or human.min() < lowest or human.max() > highest:
        return None
    weight = _weight(human, judged, unmarked) if len(unmarked) > 1 else 0.0
    differences = human - weight * judged
    mean = float(differences.mean())
    variance = float(differences.var(ddof=1) / n)
    if weight:
        mean += float(weight * unmarked.mean())
        variance += float(weight**2 * unmarked.var(ddof=1) / len(unmarked))
    mean = min(max(mean, lowest), highest)
    quantile = float(stdtrit(n - 1, 0.975))
    if variance:
        half_width = quantile * math.sqrt(variance)
        low = max(mean - half_width, lowest)
        high = min(mean + half_width, highest)
        return Estimate(mean, low, high, n, n)
    if mean not in bounds or None in bounds:
        return Estimate(mean, None, None, n, n)
    span = highest - lowest
    start, end = wilson_interval((mean - lowest) / span, quantile**2 / n)
    return Estimate(mean, lowest + start * span, lowest + end * span, n, n)


def most_wrong(n: int) -> float:
    """Return the upper 95 % limit of the share of wrong verdicts if none of `n` marks differs."""
    _, limit = wilson_interval(0.0, float(stdtrit(n - 1, 0.975)) ** 2 / n)
    return limit


def _weight(y: Floats, f: Floats, unmarked_verdicts: Floats) -> float:
    spread = float(np.concatenate([f, unmarked_verdicts]).var(ddof=1))
    if not spread:
        return 0.0
    covariance = float(((y - y.mean()) * (f - f.mean())).mean())
    return min(1.0, max(0.0, covariance / ((1 + len(y) / len(unmarked_verdicts)) * spread)))
