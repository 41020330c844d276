"""Retrievers: ways to rank chunks for a question, by name."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, get_args

import anyio.to_thread
import numpy as np

from arag_inspect._util.errors import InputError, check_choice
from arag_inspect._util.extras import extra
from arag_inspect.corpus import EVERYTHING, Corpus, Filter, Hit
from arag_inspect.corpus.embedding.models import cross_encoder
from arag_inspect.text.folding import bigrams, fold
from arag_inspect.types.trace import current_trace

if TYPE_CHECKING:
    from bm25s import BM25

Retriever = Literal["dense", "bm25", "hybrid"]
"""By meaning, by words, or both."""

Scope = Literal["corpus", "sample_documents"]
"""Search scope: the whole corpus, or the documents of the sample."""

_CANDIDATES = 50
"""Chunks of each ranking that are fused, or reranked by a cross-encoder."""

_SMOOTHING = 60
"""The constant of reciprocal rank fusion, as published."""

_MOST_IN_MEMORY = 100_000
"""Maximum chunks of a corpus whose words are indexed in memory."""

_INDEXING = threading.Lock()


@dataclass(frozen=True)
class Retrieval:
    """How chunks are ranked for a question.

    `dense`: cosine with the nearest sentence of the chunk. `bm25`: Lucene's BM25 over words of
    prefix and text, folded and without English stop words; `Q3_2021` is two words, and pairs of
    letters are the words of Chinese, Japanese and Thai. `hybrid`: both rankings by
    reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009), k = 60, over the first 50 of
    each.
    """

    retriever: Retriever = "dense"
    rerank: str | None = None
    """Cross-encoder, by name or folder, that reranks the first 50 by prefix and text."""

    def __post_init__(self) -> None:
        """Raise on an unknown retriever, and on a reranking model without a name.

        Raises:
            InputError: Lists the known retrievers.
        """
        check_choice("retriever", self.retriever, get_args(Retriever))
        rerank: object = self.rerank
        if rerank is not None and not (isinstance(rerank, str) and rerank.strip()):
            raise InputError(
                f"rerank must be the name or folder of a cross-encoder, got {rerank!r}"
            )

    async def load(self, corpus: Corpus) -> None:
        """Load or build models and indices in a worker thread, once.

        Raises:
            InputError: The reranking model cannot be loaded.
        """
        if self.rerank is not None:
            await anyio.to_thread.run_sync(cross_encoder, self.rerank)
        if self.retriever != "bm25":
            await corpus.load()
        if self.retriever != "dense":
            await anyio.to_thread.run_sync(_bm25, corpus)

    async def search(
        self, corpus: Corpus, query: str, top_k: int, allowed: Filter = EVERYTHING
    ) -> list[Hit]:
        """Rank the chunks of a corpus for a question, best first.

        Args:
            corpus: Corpus to search.
            query: The question.
            top_k: Maximum chunks to return.
            allowed: Made by `Corpus.filter`.
        """
        if self.rerank is None:
            return await self._rank(corpus, query, top_k, allowed)
        hits = await self._rank(corpus, query, max(top_k, _CANDIDATES), allowed)
        return (await anyio.to_thread.run_sync(_rerank, corpus, query, hits, self.rerank))[:top_k]

    async def _rank(self, corpus: Corpus, query: str, top_k: int, allowed: Filter) -> list[Hit]:
        if self.retriever == "dense":
            return await corpus.semantic_search(query, top_k, allowed)
        if self.retriever == "bm25":
            return await anyio.to_thread.run_sync(_search_by_words, corpus, query, top_k, allowed)
        candidate_count = max(top_k, _CANDIDATES)
        dense = await corpus.semantic_search(query, candidate_count, allowed)
        words = await anyio.to_thread.run_sync(
            _search_by_words, corpus, query, candidate_count, allowed
        )
        return _fuse_rankings([dense, words])[:top_k]


def _fuse_rankings(rankings: Sequence[Sequence[Hit]]) -> list[Hit]:
    """Order chunks by the sum of 1 / (60 + rank); ties by the first ranking."""
    scores: dict[int, float] = {}
    sentences: dict[int, tuple[int, ...]] = {}
    for ranking in rankings:
        for rank, hit in enumerate(ranking, start=1):
            scores[hit.chunk_id] = scores.get(hit.chunk_id, 0.0) + 1 / (_SMOOTHING + rank)
            sentences[hit.chunk_id] = sentences.get(hit.chunk_id) or hit.sentences
    best = sorted(scores, key=lambda chunk_id: -scores[chunk_id])
    return [Hit(chunk_id, scores[chunk_id], sentences[chunk_id]) for chunk_id in best]


def _rerank(corpus: Corpus, query: str, hits: Sequence[Hit], model: str) -> list[Hit]:
    chunks = [corpus.chunk(hit.chunk_id) for hit in hits]
    texts = [f"{chunk.prefix} {chunk.text}" for chunk in chunks]
    encoder = cross_encoder(model)
    scores = encoder.scores(query, texts)
    current_trace().reranked_in = encoder.arithmetic
    order = np.argsort(-scores, kind="stable").tolist()
    return [hits[position]._replace(score=float(scores[position])) for position in order]


def _search_by_words(corpus: Corpus, query: str, top_k: int, allowed: Filter) -> list[Hit]:
    scores = _bm25(corpus).get_scores(_words([query])[0])
    ids = corpus.chunk_ids(allowed) if allowed else np.arange(len(corpus))
    best = ids[np.argsort(-scores[ids], kind="stable")[:top_k]]
    return [Hit(int(chunk), float(scores[chunk])) for chunk in best if scores[chunk] > 0]


def _bm25(corpus: Corpus) -> "BM25":
    with _INDEXING:
        return _index(corpus)


@lru_cache(maxsize=4)
def _index(corpus: Corpus) -> "BM25":
    with extra("retrieval"):
        from bm25s import BM25
    if len(corpus) > _MOST_IN_MEMORY:
        raise InputError(
            f"the retrievers bm25 and hybrid index the whole corpus in memory, up to "
            f"{_MOST_IN_MEMORY:,} chunks, and this one has {len(corpus):,}; choose dense"
        )
    chunks = (corpus.chunk(chunk_id) for chunk_id in range(len(corpus)))
    index = BM25()
    index.index(_words([f"{chunk.prefix} {chunk.text}" for chunk in chunks]), show_progress=False)
    return index


def _words(texts: list[str]) -> list[list[str]]:
    from bm25s import tokenize

    words: list[list[str]] = tokenize(
        [bigrams(fold(text)) for text in texts],
        token_pattern=r"(?u)[^\W_]+",
        return_ids=False,
        show_progress=False,
    )
    return words
