"""Cluster bootstrap of means, with the same draws for every column of values."""

import numpy as np
import numpy.typing as npt

from .estimates import CONFIDENCE, Floats
from .strata import Codes

_DRAWS = 1_999
_SEED = 20261127


def resample_means(values: Floats, clusters: Codes) -> Floats:
    """Return the mean of each column after drawing clusters with replacement.

    A draw takes as many clusters as exist, with all their samples. It is the same for every column,
    so that means of columns can be added and subtracted draw by draw.

    Args:
        values: Shape (samples, columns); NaN if missing.
        clusters: Cluster of each sample, shape (samples,).

    Returns:
        Shape (draws, columns); NaN if all clusters of a draw lack a value of the column.
    """
    is_known = ~np.isnan(values)
    _, codes = np.unique(clusters, return_inverse=True)
    count = int(codes.max()) + 1
    sums, sizes = np.zeros((2, count, values.shape[1]))
    np.add.at(sums, codes, np.where(is_known, values, 0.0))
    np.add.at(sizes, codes, is_known)
    generator = np.random.default_rng(_SEED)
    drawn = generator.multinomial(count, np.full(count, 1 / count), size=_DRAWS)
    with np.errstate(invalid="ignore"):
        means: Floats = (drawn @ sums) / (drawn @ sizes)
    return means


def percentile_interval(draws: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return the central 95 % of resampled means, shape (resamples,)."""
    tail = (1 - CONFIDENCE) / 2
    low, high = np.nanquantile(draws, (tail, 1 - tail))
    return float(low), float(high)
