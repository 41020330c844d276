"""The corpus behind a tool, and the forms in which models write arguments."""

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from inspect_ai.tool import ToolError

from ..corpus import Chunk, Corpus, Filter

MAX_RESULTS = 20
"""Most chunks that a tool shows at once."""

Ids = list[int | str] | int | str
"""Chunk ids as models write them: numbers or texts, several or one."""

_NUMBER = re.compile(r"(-?\d{1,18})(?:\.0+\b)?")


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


class Requested(NamedTuple):
    """Chunks that a model asks for, and what is said about the rest."""

    chunks: list[Chunk]
    note: str
    """Which ids were left out and why; empty if none."""


async def requested(ids: Ids, corpus: Corpus, allowed: Filter | None = None) -> Requested:
    """Read the chunks of the ids that a model gives: of `12`, `"12"` and `"[12, 13]"` alike.

    Args:
        ids: As the model wrote them; after `MAX_RESULTS` chunks the rest is left out.
        corpus: Corpus of the chunks.
        allowed: Chunks that may be shown; None for all.

    Raises:
        ToolError: No chunk is left.
    """
    numbers = dict.fromkeys(_numbers(ids if isinstance(ids, list) else [ids]))
    valid = [number for number in numbers if 0 <= number < len(corpus)]
    first, rest = valid[:MAX_RESULTS], valid[MAX_RESULTS:]
    chunks = await corpus.chunks(first) if first else []
    readable = [chunk for chunk in chunks if allowed is None or allowed.allows(chunk)]
    others = [chunk.chunk_id for chunk in chunks if chunk not in readable]
    unknown = [number for number in numbers if number not in valid]
    left_out = {
        f"no chunk has id {_listed(unknown)}; ids go from 0 to {len(corpus) - 1}": unknown,
        f"chunk {_listed(others)} is of another document": others,
        f"at most {MAX_RESULTS} are read at once; ask again for {_listed(rest)}": rest,
    }
    notes = [note for note, some in left_out.items() if some]
    if not readable:
        reasons = "; ".join(notes) or "chunk_ids has no id"
        raise ToolError(f"{reasons}; take ids from search results.")
    return Requested(readable, f"Left out: {'; '.join(notes)}." if notes else "")


def within(number: int | str, default: int, low: int = 1, high: int = MAX_RESULTS) -> int:
    """Return a number within bounds, the nearest to the model's."""
    return max(low, min(next(_numbers([number]), default), high))


def _numbers(values: Iterable[int | str]) -> Iterator[int]:
    return (int(number) for value in values for number in _NUMBER.findall(str(value)))


def _listed(ids: Sequence[int]) -> str:
    return ", ".join(map(str, ids[:MAX_RESULTS])) + (", ..." if len(ids) > MAX_RESULTS else "")
