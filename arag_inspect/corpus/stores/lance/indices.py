"""Indices of both datasets, with the cheapest search settings that reach a recall."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...embedding.models import Vectors
from ...prepared.manifest import LANCE_VERSION, LanceData
from ...search.ranking import ROUNDING, Hit
from .store import best_chunks

UNINDEXED = 100_000
"""Maximum sentences for which every vector is compared, which is then fast and exact."""

LEAST_RECALL = 0.99
"""Minimum recall@5 of chunks on the build's queries, so that other queries reach 0.98."""

_BITS = 5

_QUERIES = 200


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


def build_indices(
    chunks: Any,
    sentences: Any,
    folder: str,
    digest: str,
    create: Callable[..., None] = create_index,
) -> LanceData:
    """Index both datasets, and measure the search against exact search.

    Args:
        chunks: Dataset of the chunks.
        sentences: Dataset of the sentences.
        folder: Name of the folder that contains them.
        digest: SHA-256 that identifies the chunks.
        create: Builds an index; see `create_index`.

    Returns:
        Location and search settings; exact search for few sentences, or where no settings reach
        the recall.
    """
    create(chunks, "lower", "NGRAM")
    for dataset in (chunks, sentences):
        create(dataset, "doc_id", "BTREE")
        for name in ("company", "period"):
            create(dataset, name, "BITMAP")
    data = LanceData(
        format_version=LANCE_VERSION,
        folder=folder,
        chunks_sha256=digest,
        index="none",
        recall_at_5=1.0,
    )
    count = sentences.count_rows()
    if count <= UNINDEXED:
        return data
    partitions = max(16, round(math.sqrt(count)))
    create(sentences, "vector", "IVF_RQ", metric="dot", num_partitions=partitions, num_bits=_BITS)
    return _tune(sentences, data, partitions)


def _tune(sentences: Any, data: LanceData, partitions: int) -> LanceData:
    """Find the cheapest settings that reach the recall.

    Queries are sums of two consecutive sentences and a third: close to the corpus, but farther from
    its sentences than their neighbours.
    """
    count = sentences.count_rows()
    random = np.random.default_rng(0)
    rows = np.sort(random.choice(count - 1, _QUERIES, replace=False))
    elsewhere = random.permutation(rows)
    queries = sum(_vectors(sentences, part) for part in (rows, rows + 1, elsewhere))
    queries /= np.maximum(np.linalg.norm(queries, axis=1, keepdims=True), 1e-12)
    exact = best_by_scan(sentences, queries, 5)
    doubled = [(2**power, 20) for power in range(6, (partitions - 1).bit_length())]
    for nprobes, refine in [(16, 5), (32, 10), *doubled, (partitions, 20), (partitions, 100)]:
        settings = {"index": "IVF_RQ", "nprobes": nprobes, "refine_factor": refine}
        tuned = data.model_copy(update=settings)
        recall = _recall(sentences, queries, exact, tuned)
        if recall >= LEAST_RECALL:
            return tuned.model_copy(update={"recall_at_5": round(recall, 4)})
    return data


def _recall(sentences: Any, queries: Any, exact: list[dict[int, float]], data: LanceData) -> float:
    """Return the recall of the five exact results; 0 as soon as it cannot reach the target."""
    missed = 0.0
    for query, best in zip(queries, exact, strict=True):
        missed += 1 - share_found(best_chunks(sentences, query, 5, data)[0], best)
        if missed > (1 - LEAST_RECALL) * len(queries):
            return 0.0
    return 1 - missed / len(queries)


def _vectors(sentences: Any, rows: Any) -> Any:
    column = sentences.take(rows.tolist(), columns=["vector"])["vector"].combine_chunks()
    return column.flatten().to_numpy().reshape(len(rows), -1)


def best_by_scan(sentences: Any, queries: Vectors, top_k: int) -> list[dict[int, float]]:
    """Find the best chunks for many query vectors in one pass over the sentences.

    Args:
        sentences: The Lance dataset.
        queries: Unit vectors, shape (queries, dimension).
        top_k: Number of chunks.

    Returns:
        For each query its best chunks: the score of the best sentence, by id.
    """
    results: list[dict[int, float]] = [{} for _ in queries]
    for batch in sentences.to_batches(columns=["chunk_id", "vector"]):
        chunk_ids = batch["chunk_id"].to_numpy()
        vectors = batch["vector"].flatten().to_numpy().reshape(len(chunk_ids), -1)
        starts = np.flatnonzero(np.diff(chunk_ids, prepend=-1))
        scores = np.maximum.reduceat(queries @ vectors.T, starts, axis=1)
        count = min(top_k, len(starts))
        columns = np.argpartition(-scores, count - 1, axis=1)[:, :count]
        for position, best in enumerate(results):
            for column in columns[position]:  # a chunk may lie in two batches
                chunk_id = int(chunk_ids[starts[column]])
                score = float(scores[position, column])
                best[chunk_id] = max(score, best.get(chunk_id, score))
            ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))
            results[position] = dict(ranked[:top_k])
    return results


def share_found(hits: Sequence[Hit], best: dict[int, float]) -> float:
    """Return the share of the best chunks that a search found.

    Args:
        hits: Result of the search.
        best: Scores of the best chunks, as `best_by_scan` returns them; chunks that score the
            same are interchangeable.
    """
    least = min(best.values()) - ROUNDING
    return sum(hit.score >= least for hit in hits[: len(best)]) / len(best)
