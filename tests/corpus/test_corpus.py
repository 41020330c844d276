"""Tests of search over a prepared corpus, against brute force."""

from typing import Any

import anyio
import numpy as np
import pytest

from arag_inspect.corpus import Corpus, embedding_model
from arag_inspect.corpus.embedding.models import EmbeddingModel
from arag_inspect.corpus.search.dense_index import DenseIndex, DenseSearch, new_index, write_index
from tests.handshake import Handshake


def test_semantic_search_returns_k_chunks_or_all_when_fewer(corpus: Corpus) -> None:
    for top_k in (1, 5, 20):
        hits = anyio.run(corpus.semantic_search, "revenue", top_k)
        assert len({hit.chunk_id for hit in hits}) == len(hits) == top_k
    document = corpus.doc_ids[0]
    inside = corpus.filter(doc_ids=[document])
    hits = anyio.run(corpus.semantic_search, "revenue", 1000, inside)
    assert sorted(hit.chunk_id for hit in hits) == [
        chunk.chunk_id for chunk in corpus.document_chunks([document])
    ]


@pytest.mark.parametrize("field", ["doc_ids", "company", "period"])
def test_filter_applies_to_semantic_and_keyword_search(corpus: Corpus, field: str) -> None:
    chunk = corpus.chunk(len(corpus) - 1)
    chosen: Any = {"doc_ids": [chunk.doc_id], "company": chunk.company, "period": chunk.period}[
        field
    ]
    allowed = corpus.filter(**{field: chosen})
    assert allowed is not None and 0 < len(corpus.chunk_ids(allowed)) < len(corpus)
    searches: list[tuple[Any, Any]] = [
        (corpus.semantic_search, "cash"),
        (corpus.keyword_search, ["the"]),
    ]
    for search, query in searches:
        hits = anyio.run(search, query, 10, allowed)
        assert hits and all(allowed.allows(corpus.chunk(hit.chunk_id)) for hit in hits)


def test_keyword_search_matches_prefix_and_returns_snippets(corpus: Corpus) -> None:
    chunk = corpus.chunk(0)
    hits = anyio.run(
        corpus.keyword_search, [f"COMPANY: {chunk.company} ", f"PERIOD: {chunk.period}"], 3
    )
    assert {corpus.chunk(hit.chunk_id).doc_id for hit in hits} == {chunk.doc_id}
    hit = anyio.run(corpus.keyword_search, ["Revenue"], 1)[0]
    snippets = corpus.snippets(hit, ["revenue"])
    assert 1 <= len(snippets) <= 5 and all("revenue" in text.lower() for text in snippets)


class CountingModel:
    """Wraps the real model and counts its batches."""

    def __init__(self) -> None:
        self.batches: list[int] = []
        self._model = embedding_model()

    def encode_queries(self, texts: list[str]) -> np.ndarray:
        self.batches.append(len(texts))
        return self._model.encode_queries(texts)


def _index(tmp_path, vectors: np.ndarray) -> DenseIndex:  # type: ignore[no-untyped-def]
    index = new_index(vectors.shape[1])
    index.add(vectors)
    write_index(index, tmp_path / "i.faiss")
    return DenseIndex(tmp_path / "i.faiss", np.arange(len(vectors)))


def test_concurrent_queries_are_embedded_in_batches(tmp_path) -> None:  # type: ignore[no-untyped-def]
    model = CountingModel()
    queries = [f"question number {i}" for i in range(40)]
    search = DenseSearch(_index(tmp_path, embedding_model().encode(queries)).search, model)  # type: ignore[arg-type]
    found: dict[int, int] = {}

    async def ask(number: int) -> None:
        found[number] = (await search.search(queries[number], 1))[0].chunk_id

    async def everyone() -> None:
        async with anyio.create_task_group() as group:
            for number in range(40):
                group.start_soon(ask, number)

    anyio.run(everyone)
    assert found == {number: number for number in range(40)}
    assert len(model.batches) <= 3 and sum(model.batches) == 40
    anyio.run(everyone)  # search still works in a second event loop
    assert len(found) == 40


def test_cancelled_search_does_not_block_other_searches(tmp_path) -> None:  # type: ignore[no-untyped-def]
    vectors = embedding_model().encode(["alpha", "beta"])
    search = DenseSearch(_index(tmp_path, vectors).search, embedding_model())
    found: list[int] = []

    async def main() -> None:
        async def ask() -> None:
            found.append((await search.search("beta", 1))[0].chunk_id)

        async with anyio.create_task_group() as group:
            with anyio.CancelScope() as scope:
                scope.cancel()
                await search.search("alpha", 1)
            group.start_soon(ask)
            group.start_soon(ask)

    anyio.run(main)
    assert found == [1, 1]


def test_semantic_search_does_not_block_event_loop(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    handshake, batches = Handshake(), list[int]()
    encode = EmbeddingModel.encode_queries

    def waiting(model: EmbeddingModel, texts: list[str]) -> np.ndarray:
        handshake.wait_for_loop()
        batches.append(len(texts))
        return encode(model, texts)

    async def main() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(handshake.meet)
            group.start_soon(corpus.semantic_search, "a question about revenue", 5)

    monkeypatch.setattr(EmbeddingModel, "encode_queries", waiting)
    anyio.run(main)
    assert batches == [1]
