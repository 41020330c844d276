"""The corpus behind a tool."""

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from ..corpus import Corpus, Filter

MAX_RESULTS = 20
"""Most chunks that a tool shows at once."""


class ScopedCorpus(NamedTuple):
    """A corpus and the chunks that a tool may show."""

    corpus: Corpus
    allowed: Filter | None
    """None for all."""


def lazy_corpus(
    corpus: str, doc_ids: Sequence[str] | None = None
) -> Callable[[], Awaitable[ScopedCorpus]]:
    """Return a function that opens the corpus once, in a worker thread.

    Args:
        corpus: Name or path.
        doc_ids: Documents to search; None for all.
    """
    cache: list[ScopedCorpus] = []

    async def open_once() -> ScopedCorpus:
        if not cache:
            opened = await Corpus.open_async(corpus)
            cache.append(ScopedCorpus(opened, opened.filter(doc_ids=doc_ids)))
        return cache[0]

    return open_once
