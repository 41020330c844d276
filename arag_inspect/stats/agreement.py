"""Coefficients of agreement, None if they are not defined."""

import math
from typing import NamedTuple, cast

import numpy as np
from inspect_ai.scorer import MetricProtocol, SampleScore, Score, krippendorff_alpha
from scipy.stats import kendalltau, pearsonr, spearmanr

from .._util.extras import extra
from .estimates import Floats

with extra("report"):
    from sklearn.metrics import cohen_kappa_score

_ALPHA = cast(MetricProtocol, krippendorff_alpha("ordinal"))


class Correlation(NamedTuple):
    """Pearson's r with its 95 % interval and p."""

    r: float
    low: float
    high: float
    p: float


class RankCorrelation(NamedTuple):
    """Kendall's tau-b, and p of no association (exact for few values without ties)."""

    tau: float
    p: float


def alpha(verdicts: Floats) -> float | None:
    """Krippendorff's alpha of ordinal verdicts.

    Args:
        verdicts: Shape (answers, judges); NaN if missing.

    Returns:
        Alpha; None if no answer has two verdicts.
    """
    units = [row[~np.isnan(row)].tolist() for row in verdicts]
    scores = [SampleScore(score=Score(value=unit)) for unit in units if len(unit) > 1]
    return _finite(cast(float, _ALPHA(scores))) if scores else None


def kappa(a: Floats, b: Floats) -> float | None:
    """Quadratically weighted Cohen's kappa of rounded verdicts; None if not defined."""
    first, second = np.rint(a).astype(int), np.rint(b).astype(int)
    labels = list(range(min(*first, *second), max(*first, *second) + 1)) if len(first) else []
    if len(labels) < 2:
        return None
    return _finite(float(cohen_kappa_score(first, second, labels=labels, weights="quadratic")))


def tau(a: Floats, b: Floats) -> float | None:
    """Kendall's tau-b; None if one of the two does not vary."""
    correlation = kendall(a, b)
    return None if correlation is None else correlation.tau


def kendall(a: Floats, b: Floats) -> RankCorrelation | None:
    """Kendall's tau-b with its p; None if one of the two does not vary."""
    if len(a) < 2 or not (varies(a) and varies(b)):
        return None
    result = kendalltau(a, b)
    return RankCorrelation(float(result.statistic), float(result.pvalue))


def spearman(a: Floats, b: Floats) -> float | None:
    """Spearman's rho; None if one of the two does not vary."""
    if len(a) < 3 or not (varies(a) and varies(b)):
        return None
    return _finite(float(spearmanr(a, b).statistic))


def pearson(a: Floats, b: Floats) -> Correlation | None:
    """Pearson's r; None if one of the two does not vary."""
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
    """Return the pairs without a NaN."""
    mask = ~(np.isnan(a) | np.isnan(b))
    return a[mask], b[mask]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
