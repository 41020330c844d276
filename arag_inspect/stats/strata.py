"""Clusters of samples that are not independent, and strata of a mean.

Strata are the parts of a task, whose level differences do not add to the uncertainty of its mean.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]
"""Number of the group of each sample."""


def cluster_codes(groups: Iterable[str], samples: Iterable[object]) -> Codes:
    """Number the clusters of samples; a sample without a group is its own cluster.

    Args:
        groups: Name of the group of each sample; empty without one.
        samples: Id of each sample.

    Returns:
        Cluster of each sample, shape (samples,).
    """
    names = [group or f"sample {sample}" for group, sample in zip(groups, samples, strict=True)]
    return number_names(names)


def number_names(names: Iterable[str]) -> Codes:
    """Return the number of each name among the sorted distinct ones, shape (names,)."""
    return np.unique(list(names), return_inverse=True)[1].astype(np.int64)


def merge_strata(parts: Codes, clusters: Codes) -> Codes:
    """Merge parts until no cluster is in two of them and each has at least two clusters.

    Parts that share a cluster are one stratum, since their means vary together. Parts with a single
    cluster, whose variance cannot be estimated, are merged, if necessary with the largest stratum.

    Args:
        parts: Part of each sample as a number, shape (samples,).
        clusters: Cluster of each sample, shape (samples,).

    Returns:
        Stratum of each sample, shape (samples,).
    """
    from scipy.sparse import coo_array  # slow to import, and scorers load this package
    from scipy.sparse.csgraph import connected_components

    _, first = np.unique(parts, return_inverse=True)
    _, second = np.unique(clusters, return_inverse=True)
    size = first.max() + second.max() + 2
    edges = (first, first.max() + 1 + second)
    graph = coo_array((np.ones(len(first)), edges), shape=(size, size))
    strata: Codes = connected_components(graph, directed=False)[1][first].astype(np.int64)
    pairs = np.unique(np.column_stack([strata, clusters]), axis=0)
    names, counts = np.unique(pairs[:, 0], return_counts=True)
    lone = names[counts == 1]
    if len(lone) == 1:
        lone = np.append(lone, names[counts.argmax()])
    if len(lone):
        strata[np.isin(strata, lone)] = lone[0]
    return strata
