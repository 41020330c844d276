"""Corrections of p-values for multiple testing."""

from collections.abc import Sequence

import numpy as np
from scipy.stats import false_discovery_control


def holm(ps: Sequence[float]) -> list[float]:
    """Adjust p-values to control the family-wise error rate (Holm, 1979).

    Equal to `statsmodels.stats.multitest.multipletests`.
    """
    order = np.argsort(ps, kind="stable")
    stepped = np.asarray(ps, dtype=np.float64)[order] * (len(ps) - np.arange(len(ps)))
    adjusted = np.empty(len(ps))
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return [float(p) for p in adjusted]


def benjamini_hochberg(ps: Sequence[float]) -> list[float]:
    """Adjust p-values to control the false discovery rate (Benjamini and Hochberg, 1995)."""
    return list(map(float, false_discovery_control(ps))) if ps else []
