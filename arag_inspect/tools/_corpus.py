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
    """Return a function that opens the corpus at the first call, in a worker thread, and caches it.

    Args:
        corpus: Name or path.
        doc_ids: Documents to search; None for all.
    """
    opened: list[Opened] = []

    async def open_once() -> Opened:
        if not opened:
            found = await Corpus.open_async(corpus)
            opened.append(Opened(found, found.filter(doc_ids=doc_ids)))
        return opened[0]

    return open_once
