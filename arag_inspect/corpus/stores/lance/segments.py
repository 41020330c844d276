"""Indices of a dataset, built in segments by workers."""

from typing import Any

import numpy as np

from .. import lance as datasets

_SAMPLES = 256
"""Vectors per partition from which the centres are learned; Lance's own number."""


def create_in_segments(ray: Any, dataset: Any, column: str, kind: str, **options: Any) -> None:
    """Build an index on the workers of a cluster, which the driver commits.

    A lost worker costs its segment. The partitions of vectors and their rounding are learned on one
    worker (on a GPU if the cluster has one) and shared by all segments.

    Args:
        ray: The module `ray`, connected.
        dataset: The Lance dataset.
        column: Column to index.
        kind: Type of the index, as Lance names it.
        options: Options of the index.
    """
    resources = ray.cluster_resources()
    name = f"{column}_idx"
    if kind == "IVF_RQ":
        gpus = min(1, int(resources.get("GPU", 0)))
        learn = ray.remote(num_cpus=1, num_gpus=gpus, max_retries=5)(_shared_model)
        options |= ray.get(learn.remote(dataset.uri, column, bool(gpus), **options))
    fragments = [fragment.fragment_id for fragment in dataset.get_fragments()]
    workers = min(len(fragments), max(1, int(resources.get("CPU", 1))))
    build = ray.remote(num_cpus=1, max_retries=5)(_segment)
    segments = [
        build.remote(dataset.uri, column, kind, options | {"name": name, "fragment_ids": ids})
        for ids in map(np.ndarray.tolist, np.array_split(fragments, workers))
    ]
    dataset.commit_existing_index_segments(name, column, ray.get(segments))


def _segment(uri: str, column: str, kind: str, options: dict[str, Any]) -> Any:
    """Index some fragments, and return Lance's description of the segment."""
    return datasets.open_dataset(uri).create_index_uncommitted(column, kind, **options)


def _shared_model(
    uri: str, column: str, gpu: bool, *, metric: str, num_partitions: int, num_bits: int
) -> dict[str, Any]:
    """Learn the index options that all segments of a vector index share."""
    dataset = datasets.open_dataset(uri)
    from lance.indices import IndicesBuilder
    from lance.lance import indices

    learned = IndicesBuilder(dataset, column).train_ivf(
        num_partitions,
        distance_type=metric,
        sample_rate=min(_SAMPLES, dataset.count_rows() // num_partitions),
        accelerator="cuda" if gpu else None,
    )
    dimension = dataset.schema.field(column).type.list_size
    return {
        "ivf_centroids": learned.centroids,
        "rabitq_model": indices.build_rq_model(dimension=dimension, num_bits=num_bits),
    }
