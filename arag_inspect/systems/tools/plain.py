"""Tools of an agent without a search index: a regular expression, and neighbours of a chunk."""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import anyio.to_thread
from inspect_ai.tool import Tool, ToolError, tool

from arag_inspect._util.bounds import shorten
from arag_inspect._util.encodable import encodable
from arag_inspect.corpus import Chunk, Corpus, Filter
from arag_inspect.prompts import fence
from arag_inspect.systems.tools.search import clamp, open_scoped, show_unread
from arag_inspect.text.sentences import sentences
from arag_inspect.types.trace import Search, current_loop, current_trace

SECONDS = 10.0
"""Longest time of a scan."""

_LONGEST = 1_000
"""Longest pattern, in characters."""

_MEMORY = 8 * 2**20
"""Maximum bytes of a compiled pattern."""

_MOST_AROUND = 10


class _Scan(NamedTuple):
    chunks: list[Chunk]
    """The first matching chunks, in the order of the corpus."""

    matches: int
    scanned: int
    total: int


@tool(max_output=0)
def grep(*, corpus: str, top_k: int = 5, doc_ids: Sequence[str] | None = None) -> Tool:
    """Find chunks by a regular expression, without any index.

    The engine is RE2, whose time is linear in the text; a scan ends after `SECONDS`.

    Args:
        corpus: Prepared corpus to search, by name or path.
        top_k: Number of chunks to show if the model sets none.
        doc_ids: Documents to search; None for the whole corpus.
    """
    default_top_k = top_k

    async def execute(
        pattern: str, around: int | str | None = 1, top_k: int | str | None = default_top_k
    ) -> str:
        """Find chunks that match a regular expression (RE2 syntax, any case), in the order of the documents.

        The expression sees the header of a chunk, a line break and its text. Returns for each chunk its id, its header as `source` and the matching sentences with their neighbours. Read promising chunks in full with read.

        Args:
            pattern: A regular expression, e.g. "free cash flow|FCF", or "(?s)AAN .*dividend" for a word in chunks whose header has a name.
            around: Sentences to show before and after each match, from 0 to 10.
            top_k: Number of chunks to show, from 1 to 20.
        """
        pattern = encodable(pattern)
        expression = _compile(pattern)
        opened, allowed = await open_scoped(corpus, doc_ids)
        max_chunks = clamp(top_k, default=default_top_k)
        context = clamp(around, default=1, low=0, high=_MOST_AROUND)
        scan = await anyio.to_thread.run_sync(_scan, opened, allowed, expression, max_chunks)
        ids = [chunk.chunk_id for chunk in scan.chunks]
        search = Search(tool="grep", query=pattern, chunk_ids=ids, scores=[], loop=current_loop())
        current_trace().searches.append(search)
        note = f"{scan.matches} chunks match; the first {len(ids)} are shown."
        if scan.scanned < scan.total:
            note += f" Stopped after {SECONDS:g} s: {scan.scanned} of {scan.total} chunks searched."
        parts = await opened.parts(scan.chunks)
        snippets = [
            _show(chunk, expression, context, parts[chunk.chunk_id]) for chunk in scan.chunks
        ]
        return "\n\n".join([note, *snippets])

    return execute


@tool(max_output=0)
def read(*, corpus: str, doc_ids: Sequence[str] | None = None) -> Tool:
    """Read a chunk in full with its neighbours, each once per sample.

    Args:
        corpus: Prepared corpus to read from, by name or path.
        doc_ids: Documents to read from; None for the whole corpus.
    """

    async def execute(
        chunk_id: int | str, before: int | str | None = 0, after: int | str | None = 0
    ) -> str:
        """Read the full text of a chunk, and of the chunks before and after it in its document.

        Use this before you rely on a chunk: the sentences that grep shows leave out context. A chunk that you have already read is not shown again; look above. `part="2/4"` says that a chunk is the second of four of its document.

        Args:
            chunk_id: Id from a result of grep.
            before: Number of preceding chunks to read too, from 0 to 10.
            after: Number of following chunks to read too, from 0 to 10.
        """
        opened, allowed = await open_scoped(corpus, doc_ids)
        number = clamp(chunk_id, default=-1, low=-1, high=len(opened))
        first = max(0, number - clamp(before, default=0, low=0, high=_MOST_AROUND))
        last = min(len(opened) - 1, number + clamp(after, default=0, low=0, high=_MOST_AROUND))
        nearby = await opened.chunks(range(first, last + 1))
        document = next((chunk.doc_id for chunk in nearby if chunk.chunk_id == number), None)
        ids: list[int | str] = [chunk.chunk_id for chunk in nearby if chunk.doc_id == document]
        return await show_unread(ids or chunk_id, opened, allowed)

    return execute


def _compile(pattern: str) -> Any:
    import re2

    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.max_mem = _MEMORY
    if not pattern or len(pattern) > _LONGEST:
        raise ToolError(f"pattern must have 1 to {_LONGEST} characters.")
    try:
        return re2.compile(pattern, options=options)
    except re2.error as error:
        reason = shorten(error.args[0].decode(errors="replace"))
        raise ToolError(f"pattern is not a regular expression of RE2: {reason}.") from None


def _scan(corpus: Corpus, allowed: Filter, expression: Any, max_chunks: int) -> _Scan:
    ids = corpus.chunk_ids(allowed).tolist() if allowed else range(len(corpus))
    end = time.monotonic() + SECONDS
    chunks: list[Chunk] = []
    matches = scanned = 0
    for chunk_id in ids:
        if time.monotonic() > end:
            break
        chunk = corpus.chunk(chunk_id)
        scanned += 1
        if expression.search(f"{chunk.prefix}\n{chunk.text}"):
            matches += 1
            if matches <= max_chunks:
                chunks.append(chunk)
    return _Scan(chunks, matches, scanned, len(ids))


def _show(chunk: Chunk, expression: Any, around: int, part: str) -> str:
    """Show the matching sentences with their neighbours; the first if none matches alone."""
    texts = sentences(chunk.text)
    hits = [number for number, text in enumerate(texts) if expression.search(text)]
    nearby: set[int] = set()
    for hit in hits or [0]:
        nearby.update(range(max(hit - around, 0), min(hit + around + 1, len(texts))))
    text = ""
    for number in sorted(nearby):
        gap = " [...] " if number - 1 not in nearby else " "
        text += (gap if text else "") + texts[number]
    return fence("snippet", text, chunk_id=chunk.chunk_id, source=chunk.prefix, part=part)
