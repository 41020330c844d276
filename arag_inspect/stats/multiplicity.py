"""p-values of many comparisons at once."""

import math
from collections.abc import Sequence

import numpy as np


def holm(ps: Sequence[float]) -> list[float]:
    """Adjust p-values so that any false call is as rare as alpha (Holm, 1979).

    As `statsmodels.stats.multitest.multipletests` does, which collects garbage
    at every call: seconds, with many logs in memory.
    """
    order = np.argsort(ps, kind="stable")
    stepped = np.asarray(ps, dtype=np.float64)[order] * (len(ps) - np.arange(len(ps)))
    adjusted = np.empty(len(ps))
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return [float(p) for p in adjusted]


def benjamini_hochberg(ps: Sequence[float]) -> list[float]:
    """Adjust p-values so that the share of false calls is alpha (Benjamini and Hochberg, 1995)."""
    order = np.argsort(ps, kind="stable")[::-1]
    stepped = np.asarray(ps, dtype=np.float64)[order] * len(ps) / np.arange(len(ps), 0, -1)
    adjusted = np.empty(len(ps))
    adjusted[order] = np.minimum(np.minimum.accumulate(stepped), 1.0)
    return [float(p) for p in adjusted]


def clusters_needed(comparisons: int, alpha: float = 0.05) -> int:
    """How many clusters a permutation test needs to call one of so many comparisons.

    The smallest p of swapping k clusters is 2 / 2**k, which Holm's correction
    multiplies by the number of comparisons.
    """
    return math.floor(math.log2(2 * comparisons / alpha)) + 1
