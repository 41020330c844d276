"""Indices of the Lance datasets, and search settings that reach the target recall."""

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from ...manifest import LANCE_VERSION, LanceData
from .vectors import best_by_scan, best_chunks, share_found

UNINDEXED = 100_000
"""Up to this many sentences every vector is compared, which is fast and exact."""

LEAST_RECALL = 0.99
"""Recall@5 of chunks that search must reach on the build's queries, so that others reach 0.98."""

_BITS = 5
_QUERIES = 200


class Built(NamedTuple):
    """Settings of the sentence search; see `LanceData`."""

    kind: Literal["none", "IVF_RQ"]
    nprobes: int | None
    refine_factor: int | None
    recall_at_5: float


def create_index(dataset: Any, column: str, kind: str, **options: Any) -> None:
    """Build an index of a column in this process.

    Args:
        dataset: The Lance dataset.
        column: Column to index.
        kind: Type of the index, as Lance names it.
        options: Options of the index.
    """
    create = dataset.create_index if kind == "IVF_RQ" else dataset.create_scalar_index
    create(column, kind, **options)


def build_indices(chunks: Any, sentences: Any, create: Callable[..., None] = create_index) -> Built:
    """Index both datasets, and measure the search against exact search.

    Args:
        chunks: Dataset of the chunks.
        sentences: Dataset of the sentences.
        create: Builds an index; see `create_index`.
    """
    create(chunks, "lower", "NGRAM")
    for dataset in (chunks, sentences):
        create(dataset, "doc_id", "BTREE")
        for name in ("company", "period"):
            create(dataset, name, "BITMAP")
    return _build_vector_index(sentences, create)


def _build_vector_index(sentences: Any, create: Callable[..., None]) -> Built:
    """Index the vectors if there are many, with settings that reach the recall."""
    count = sentences.count_rows()
    if count <= UNINDEXED:
        return Built("none", None, None, 1.0)
    partitions = max(16, round(math.sqrt(count)))
    create(sentences, "vector", "IVF_RQ", metric="dot", num_partitions=partitions, num_bits=_BITS)
    return tune(sentences, _settings(partitions))


def _settings(partitions: int) -> list[tuple[int, int]]:
    """Return pairs of partitions visited and candidates refined, cheapest first."""
    doubled = [(2**power, 20) for power in range(6, (partitions - 1).bit_length())]
    return [(16, 5), (32, 10), *doubled, (partitions, 20), (partitions, 100)]


def tune(sentences: Any, settings: list[tuple[int, int]]) -> Built:
    """Find the cheapest settings that reach the recall; exact search if none does.

    Queries are sums of two consecutive sentences and one from elsewhere: close to the corpus, but
    farther from its sentences than these are from their neighbours.
    """
    count = sentences.count_rows()
    random = np.random.default_rng(0)
    rows = np.sort(random.choice(count - 1, _QUERIES, replace=False))
    elsewhere = random.permutation(rows)
    queries = sum(_vectors(sentences, part) for part in (rows, rows + 1, elsewhere))
    queries /= np.maximum(np.linalg.norm(queries, axis=1, keepdims=True), 1e-12)
    exact = best_by_scan(sentences, queries, 5)
    for nprobes, refine in settings:
        recall = _recall(sentences, queries, exact, _data(nprobes, refine))
        if recall >= LEAST_RECALL:
            return Built("IVF_RQ", nprobes, refine, round(recall, 4))
    return Built("none", None, None, 1.0)


def _recall(sentences: Any, queries: Any, exact: list[dict[int, float]], data: LanceData) -> float:
    """Return the recall of the exact five; 0 as soon as it cannot reach the target."""
    missed = 0.0
    for query, best in zip(queries, exact, strict=True):
        missed += 1 - share_found(best_chunks(sentences, query, 5, data)[0], best)
        if missed > (1 - LEAST_RECALL) * len(queries):
            return 0.0
    return 1 - missed / len(queries)


def _vectors(sentences: Any, rows: Any) -> Any:
    column = sentences.take(rows.tolist(), columns=["vector"])["vector"].combine_chunks()
    return column.flatten().to_numpy().reshape(len(rows), -1)


def _data(nprobes: int, refine: int) -> LanceData:
    return LanceData(
        format_version=LANCE_VERSION,
        folder="data-0",
        chunks_sha256="",
        index="IVF_RQ",
        nprobes=nprobes,
        refine_factor=refine,
        recall_at_5=0,
    )
