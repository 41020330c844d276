"""Tool: read chunks in full."""

from collections.abc import Sequence
from typing import Literal

from inspect_ai.tool import Tool, tool

from arag_inspect.corpus import Chunk, Corpus, Filter
from arag_inspect.prompts import fence
from arag_inspect.tools._corpus import Ids, lazy_corpus, requested
from arag_inspect.types.trace import Passage, current_loop, current_trace


@tool(max_output=0)
def chunk_read(*, corpus: str, doc_ids: Sequence[str] | None = None) -> Tool:
    """Read chunks in full, each once per sample.

    Args:
        corpus: Prepared corpus to read from, by name or path.
        doc_ids: Documents to read from; None for the whole corpus.
    """
    open_corpus = lazy_corpus(corpus, doc_ids)

    async def execute(chunk_ids: Ids) -> str:
        """Read the full text of chunks that a search has found.

        Use this before you rely on a chunk: snippets leave out context, dates and qualifications. Read several at once where several look relevant. A chunk that you have read before is not shown again, look above. Neighbouring ids are usually neighbouring passages of the same document.

        Args:
            chunk_ids: Ids from search results, at most 20, e.g. [12, 13].
        """
        opened, allowed = await open_corpus()
        return await show_unread(chunk_ids, opened, allowed)

    return execute


async def show_unread(ids: Ids, corpus: Corpus, allowed: Filter | None) -> str:
    """Record chunks as read, and show those that were not before.

    Raises:
        ToolError: None of them can be read.
    """
    chunks, note = await requested(ids, corpus, allowed)
    trace, loop = current_trace(), current_loop()
    unread = trace.unread([chunk.chunk_id for chunk in chunks])
    new = [chunk for chunk in chunks if chunk.chunk_id in unread]
    trace.add(passage(chunk, loop) for chunk in new)
    texts = [show_passage(chunk) for chunk in new]
    if repeats := [str(chunk.chunk_id) for chunk in chunks if chunk not in new]:
        texts.append(f"Already read, see above: {', '.join(repeats)}.")
    return "\n\n".join([*texts, *[note] * bool(note)])


def passage(chunk: Chunk, loop: int, how: Literal["read", "summarized"] = "read") -> Passage:
    """Return a chunk in the trace's form."""
    return Passage(
        chunk_id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        prefix=chunk.prefix,
        text=chunk.text,
        loop=loop,
        how=how,
    )


def show_passage(chunk: Chunk) -> str:
    """Return a chunk as shown to a model, marked as data."""
    return fence("passage", chunk.text, chunk_id=chunk.chunk_id, source=chunk.prefix)
