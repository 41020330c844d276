"""The corpus behind a tool."""

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from ..corpus import Corpus, Filter


class Opened(NamedTuple):
    """A corpus and the chunks that a tool may show."""

    corpus: Corpus
    allowed: Filter | None
    """None for all."""


def opener(corpus: str, doc_ids: Sequence[str] | None = None) -> Callable[[], Awaitable[Opened]]:
    """Return a function that opens the corpus once, in a worker thread.

    Args:
        corpus: Name or path.
        doc_ids: Documents to search; None for all.
    """
    cache: list[Opened] = []

    async def open_once() -> Opened:
        if not cache:
            opened_corpus = await Corpus.open_async(corpus)
            cache.append(Opened(opened_corpus, opened_corpus.filter(doc_ids=doc_ids)))
        return cache[0]

    return open_once
