"""Agreement coefficients; None where undefined."""

import math
from typing import NamedTuple, cast

import numpy as np
from inspect_ai.scorer import MetricProtocol, SampleScore, Score, krippendorff_alpha
from numpy.typing import NDArray
from scipy.stats import kendalltau, pearsonr, spearmanr

from .estimates import Floats

_ALPHA = cast(MetricProtocol, krippendorff_alpha("ordinal"))


class Correlation(NamedTuple):
    """Pearson's r with its 95 % interval and p."""

    r: float
    low: float
    high: float
    p: float


def alpha(verdicts: Floats) -> float | None:
    """Return Krippendorff's alpha of ordinal verdicts.

    Args:
        verdicts: Shape (answers, judges); NaN if missing.

    Returns:
        Alpha; None if no answer has two verdicts.
    """
    units = [row[~np.isnan(row)].tolist() for row in verdicts]
    scores = [SampleScore(score=Score(value=unit)) for unit in units if len(unit) > 1]
    return _finite(cast(float, _ALPHA(scores))) if scores else None


def kappa(a: Floats | NDArray[np.bool_], b: Floats | NDArray[np.bool_]) -> float | None:
    """Return quadratically weighted Cohen's kappa of rounded verdicts; None if undefined.

    For binary verdicts, it equals the unweighted kappa. With quadratic weights, the disagreement
    expected of independent raters depends only on their means and variances.
    """
    first, second = (np.rint(np.asarray(verdicts, np.float64)) for verdicts in (a, b))
    if not len(first):
        return None
    expected = first.var() + second.var() + (first.mean() - second.mean()) ** 2
    return None if expected == 0 else float(1 - np.mean((first - second) ** 2) / expected)


def tau(a: Floats, b: Floats) -> float | None:
    """Return Kendall's tau-b; None if either does not vary."""
    correlation = kendall(a, b)
    return None if correlation is None else correlation[0]


def kendall(a: Floats, b: Floats) -> tuple[float, float] | None:
    """Return Kendall's tau-b with its p; None if either does not vary.

    p is exact for few values without ties.
    """
    if len(a) < 2 or not (varies(a) and varies(b)):
        return None
    result = kendalltau(a, b)
    return float(result.statistic), float(result.pvalue)


def spearman(a: Floats, b: Floats) -> float | None:
    """Return Spearman's rho; None if either does not vary."""
    if len(a) < 3 or not (varies(a) and varies(b)):
        return None
    return _finite(float(spearmanr(a, b).statistic))


def pearson(a: Floats, b: Floats) -> Correlation | None:
    """Return Pearson's r; None if either does not vary."""
    if len(a) < 4 or not (varies(a) and varies(b)):
        return None
    result = pearsonr(a, b)
    low, high = result.confidence_interval(0.95)
    return Correlation(float(result.statistic), float(low), float(high), float(result.pvalue))


def varies(values: Floats) -> bool:
    """Return whether there are two different values, ignoring NaN."""
    numbers = values[~np.isnan(values)]
    return numbers.size > 1 and float(np.ptp(numbers)) > 1e-12


def both_known(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the pairs without NaN."""
    mask = ~(np.isnan(a) | np.isnan(b))
    return a[mask], b[mask]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
