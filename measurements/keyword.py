"""Time keyword search: a vocabulary look-up against reading every chunk."""

from collections.abc import Sequence
from functools import partial
from time import perf_counter

import numpy as np

from arag_inspect.corpus import Hit
from arag_inspect.corpus.search.keyword_index import KeywordIndex
from arag_inspect.corpus.stores.local import _largest

from . import plain
from .material import keyword_queries, pieces
from .measure import Row, best

_TOP_K = 5
_TARGETS = {2_000: 50.0, 40_000: 200.0}


def keyword_search(quick: bool) -> list[Row]:
    """Time distinct queries, after checking that all scores and the best chunks are equal."""
    sizes = {300: None, 1_000: None} if quick else _TARGETS
    found: list[Row] = []
    for size, target in sizes.items():
        texts = pieces(size)
        found += compare(texts, keyword_queries(texts, 20 if quick else 80), "", target)
    return found


def compare(
    texts: Sequence[str], queries: list[list[str]], kind: str, target: float | None
) -> list[Row]:
    """Time queries over texts, ours against the plain way; the results are the same.

    Args:
        texts: Chunks.
        queries: Distinct ones, keywords each.
        kind: What the chunks are of, e.g. ` of filings`.
        target: Least ratio, nothing cached.
    """
    size = len(texts)
    start = perf_counter()
    index = KeywordIndex(texts)
    built = perf_counter() - start
    repeats = 2 if size > 10_000 else 4
    (cold, ours), (slow, reference) = best(
        [partial(_search_cold, index, queries), partial(_search_plainly, texts, queries)], repeats
    )
    [(warm, _)] = best([partial(_search, index, queries)], repeats)
    for query, hits, (scores, chunks) in zip(queries, ours, reference, strict=True):
        assert np.array_equal(index.scores(query), scores), query
        assert [hit.chunk_id for hit in hits] == chunks, query
    each = 1000 / len(queries)
    what = f"keyword search, {size:,} chunks{kind}, {len(queries)} distinct queries"
    plainly = f"{slow * each:.2f} ms"
    return [
        Row(f"{what}, nothing cached", f"{cold * each:.2f} ms", plainly, slow / cold, target,
            repeats=repeats),
        Row(f"{what}, asked before", f"{warm * each:.2f} ms", plainly, slow / warm,
            repeats=repeats),
        Row(f"keyword index, {size:,} chunks{kind}: built in", f"{built:.2f} s"),
    ]  # fmt: skip


def _search(index: KeywordIndex, queries: list[list[str]]) -> list[list[Hit]]:
    return [_hits(index, query) for query in queries]


def _search_cold(index: KeywordIndex, queries: list[list[str]]) -> list[list[Hit]]:
    """Search with the cache of keywords emptied before each query: queries share some keywords."""
    found = []
    for query in queries:
        index._find.cache_clear()
        found.append(_hits(index, query))
    return found


def _hits(index: KeywordIndex, query: list[str]) -> list[Hit]:
    """What `Corpus.keyword_search` does in its worker thread, but for the order of ties."""
    scores = index.scores(query)
    best = _largest(scores, _TOP_K)
    return [Hit(int(chunk), float(scores[chunk])) for chunk in best]


def _search_plainly(
    texts: Sequence[str], queries: list[list[str]]
) -> list[tuple[list[int], list[int]]]:
    found = []
    for query in queries:
        scores = plain.keyword_scores(texts, query)
        found.append((scores, plain.best_chunks(scores, _TOP_K)))
    return found
