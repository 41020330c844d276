"""Semantic search over the vectors of sentences in Lance."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...dense_index import Hit, pool
from ...embeddings import Vectors
from ...manifest import LanceData
from ..filter import Filter
from . import layout

_COLUMNS = ["chunk_id", "place", "_distance"]
_ROUNDING = 1e-5
"""Most that two computations of a cosine differ by."""


class LanceIndex:
    """Nearest sentences of a query, max-pooled to chunks."""

    def __init__(
        self,
        sentences: Any,
        data: LanceData | None,
        location: str,
        condition: Callable[[Filter | None], str | None],
        on_hit: Callable[[Hit], Hit],
    ) -> None:
        """Search a dataset of sentences.

        Args:
            sentences: The Lance dataset.
            data: Search settings of the index; None compares with every vector.
            location: Location of the data, for errors.
            condition: Returns the SQL of a filter.
            on_hit: Called with each hit, in the thread of the search.
        """
        self._sentences, self._data, self._location = sentences, data, location
        self._condition, self._on_hit = condition, on_hit

    def search(
        self, queries: Vectors, top_k: int, allowed: Filter | None = None
    ) -> list[list[Hit]]:
        """Find the best chunks for each query; see `DenseIndex.search`.

        Sentences are fetched until k distinct chunks are among them. With a vector index the
        best candidates are compared by their full vectors, and the share of chunks that exact
        search would have found is the manifest's `recall_at_5`.
        """
        condition = self._condition(allowed)
        # few rows: comparing all of them is fast and exact
        data = None if allowed is not None and allowed.doc_ids is not None else self._data
        with layout.lance_errors(self._location):
            return [
                [self._on_hit(hit) for hit in self._search_one(query, top_k, condition, data)]
                for query in queries
            ]

    def _search_one(
        self, query: Any, top_k: int, condition: str | None, data: LanceData | None
    ) -> list[Hit]:
        hits, complete = best_chunks(self._sentences, query, top_k, data, condition)
        if len(hits) < top_k and not complete:  # the visited partitions hold too few matches
            hits, _ = best_chunks(self._sentences, query, top_k, None, condition)
        return hits


def best_chunks(
    sentences: Any, query: Any, top_k: int, data: LanceData | None, condition: str | None = None
) -> tuple[list[Hit], bool]:
    """Return the best chunks for a query vector, and whether the search was exact."""
    fetch = 8 * top_k
    exact = data is None or data.index == "none"
    while True:
        table = nearest(sentences, query, fetch, data, condition)
        order = np.lexsort((table["chunk_id"].to_numpy(), table["_distance"].to_numpy()))
        table = table.take(order)
        scores = (1 - table["_distance"].to_numpy()).tolist()
        hits = pool(scores, table["chunk_id"].to_pylist(), table["place"].to_pylist(), top_k)
        if len(hits) == top_k or len(table) < fetch:
            return hits, exact
        fetch *= 4


def nearest(
    sentences: Any, query: Any, fetch: int, data: LanceData | None, condition: str | None = None
) -> Any:
    """Return an Arrow table of the `fetch` sentences nearest to a query vector."""
    search: dict[str, Any] = {"column": "vector", "q": query, "k": fetch, "metric": "dot"}
    if data is None or data.index == "none":
        search["use_index"] = False
    else:
        search |= {"nprobes": data.nprobes, "refine_factor": data.refine_factor}
    return sentences.scanner(
        columns=_COLUMNS, nearest=search, filter=condition, prefilter=True
    ).to_table()


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
                chunk_id, score = int(chunk_ids[starts[column]]), float(scores[position, column])
                best[chunk_id] = max(score, best.get(chunk_id, score))
            ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))
            results[position] = dict(ranked[:top_k])
    return results


def share_found(hits: Sequence[Hit], best: dict[int, float]) -> float:
    """Return the share of the best chunks that a search found.

    Args:
        hits: Result of the search.
        best: Scores of the best chunks, as `best_by_scan` returns them; chunks that score the
            same stand for each other.
    """
    least = min(best.values()) - _ROUNDING
    return sum(hit.score >= least for hit in hits[: len(best)]) / len(best)
