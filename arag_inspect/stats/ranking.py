"""Rates at which one of two texts scores better than the other."""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from .estimates import Floats

_NOTHING = 1e-9


class Rate(NamedTuple):
    """A rate with its 95 % interval."""

    value: float
    low: float
    high: float


def win_rate(better: Floats, worse: Floats) -> Rate | None:
    """Return the share of pairs that the better text wins, with Wilson's interval.

    A tie counts half. With half wins the variance is at most a binomial's, so the interval is
    conservative.

    Args:
        better: Scores, shape (pairs,).
        worse: Scores of the same cases, shape (pairs,).
    """
    if not better.size:
        return None
    wins = float(np.sum(better > worse) + np.sum(better == worse) / 2)
    return wilson(wins, len(better))


def auc(better: Floats, worse: Floats) -> Rate | None:
    """Area under the ROC curve for pairs of texts, with Obuchowski's interval (1997).

    The interval is DeLong's, adjusted for the correlation within a pair. If
    its variance is zero (the score separates all texts, or none), it is Wilson's
    for as many pairs.

    Args:
        better: Scores, shape (pairs,).
        worse: Scores of the same cases, shape (pairs,).
    """
    pairs = len(better)
    if not pairs:
        return None
    ahead = (better[:, None] > worse) + 0.5 * (better[:, None] == worse)
    area = float(ahead.mean())
    parts = ahead.mean(axis=1) + ahead.mean(axis=0) - 2 * area
    error = np.sqrt((parts**2).sum() / (pairs * max(1, pairs - 1)))
    if error < _NOTHING:
        return wilson(area * pairs, pairs)
    half = float(ndtri(0.975)) * float(error)
    return Rate(area, max(0.0, area - half), min(1.0, area + half))


def wilson(wins: float, trials: int) -> Rate:
    """Return Wilson's score interval of a share (1927), also for half wins."""
    share, squared = wins / trials, float(ndtri(0.975)) ** 2 / trials
    centre = (share + squared / 2) / (1 + squared)
    half = np.sqrt(squared * (share * (1 - share) + squared / 4)) / (1 + squared)
    return Rate(share, max(0.0, float(centre - half)), min(1.0, float(centre + half)))
