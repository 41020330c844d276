"""Tests of search over a prepared corpus, against brute force."""

from typing import Any

import anyio
import numpy as np
import pytest

from arag_inspect.corpus import Corpus, Hit
from arag_inspect.corpus.embedding.models import EmbeddingModel
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
    values_by_field: Any = {
        "doc_ids": [chunk.doc_id],
        "company": chunk.company,
        "period": chunk.period,
    }[field]
    allowed = corpus.filter(**{field: values_by_field})
    assert allowed is not None and 0 < len(corpus.chunk_ids(allowed)) < len(corpus)
    searches: list[tuple[Any, Any]] = [
        (corpus.semantic_search, "cash"),
        (corpus.keyword_search, ["the"]),
    ]
    for search, query in searches:
        hits = anyio.run(search, query, 10, allowed)
        assert hits and all(allowed.allows(corpus.chunk(hit.chunk_id)) for hit in hits)


def test_keyword_search_matches_prefix(corpus: Corpus) -> None:
    chunk = corpus.chunk(0)
    hits = anyio.run(
        corpus.keyword_search, [f"COMPANY: {chunk.company} ", f"PERIOD: {chunk.period}"], 3
    )
    assert {corpus.chunk(hit.chunk_id).doc_id for hit in hits} == {chunk.doc_id}


def test_concurrent_queries_find_what_each_finds_alone(corpus: Corpus) -> None:
    queries = [corpus.chunk(number).text[:80] for number in range(20)]
    hits_by_query: dict[str, list[Hit]] = {}

    async def ask(query: str) -> None:
        hits_by_query[query] = await corpus.semantic_search(query, 3)

    async def everyone() -> None:
        async with anyio.create_task_group() as group:
            for query in queries:
                group.start_soon(ask, query)

    anyio.run(everyone)
    for query in queries:
        assert hits_by_query[query] == anyio.run(corpus.semantic_search, query, 3)


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
