"""The corpus behind a tool."""

from collections.abc import Awaitable, Callable

from ..corpus import Corpus


def opener(corpus: str) -> Callable[[], Awaitable[Corpus]]:
    """A function that opens the corpus at the first call, in a worker thread, and keeps it."""
    opened: list[Corpus] = []

    async def open_once() -> Corpus:
        if not opened:
            opened.append(await Corpus.open_async(corpus))
        return opened[0]

    return open_once
