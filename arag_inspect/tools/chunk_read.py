"""Tool: read chunks in full."""

from collections.abc import Sequence
from typing import Literal

from inspect_ai.tool import Tool, ToolError, tool

from arag_inspect.corpus import Chunk, Corpus, Filter
from arag_inspect.prompts import fence
from arag_inspect.tools._corpus import MAX_RESULTS, lazy_corpus
from arag_inspect.types.trace import Passage, current_loop, current_trace


@tool(max_output=0)
def chunk_read(*, corpus: str, doc_ids: Sequence[str] | None = None) -> Tool:
    """Read chunks in full, each once per sample.

    Args:
        corpus: Prepared corpus to read from, by name or path.
        doc_ids: Documents to read from; None for the whole corpus.
    """
    open_corpus = lazy_corpus(corpus, doc_ids)

    async def execute(chunk_ids: list[int]) -> str:
        """Read the full text of chunks that a search has found.

        Use this before you rely on a chunk: snippets leave out context, dates and qualifications. Read several at once where several look relevant. A chunk that you have read before is not shown again, look above. Neighbouring ids are usually neighbouring passages of the same document.

        Args:
            chunk_ids: Ids from search results, at most 20, e.g. [12, 13].
        """
        opened, allowed = await open_corpus()
        await check_ids(chunk_ids, opened, allowed)
        trace, loop = current_trace(), current_loop()
        unread = trace.unread(chunk_ids)
        chunks = [opened.chunk(chunk_id) for chunk_id in unread]
        trace.add(passage(chunk, loop) for chunk in chunks)
        texts = [show_passage(chunk) for chunk in chunks]
        repeats = [str(chunk_id) for chunk_id in dict.fromkeys(chunk_ids) if chunk_id not in unread]
        if repeats:
            texts.append(f"Already read, see above: {', '.join(repeats)}.")
        return "\n\n".join(texts)

    return execute


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


async def check_ids(chunk_ids: list[int], corpus: Corpus, allowed: Filter | None = None) -> None:
    """Refuse ids that cannot be read, and read the others, so that they are cached.

    Raises:
        ToolError: There are none or too many, or one is unknown or of another document.
    """
    if not chunk_ids:
        raise ToolError("chunk_ids is empty; give ids from search results.")
    if len(chunk_ids) > MAX_RESULTS:
        raise ToolError(f"at most {MAX_RESULTS} chunks can be read at once, got {len(chunk_ids)}.")
    unknown = [chunk_id for chunk_id in chunk_ids if not 0 <= chunk_id < len(corpus)]
    if unknown:
        raise ToolError(
            f"no chunk has id {unknown[0]}; ids go from 0 to {len(corpus) - 1}, take them from "
            "search results."
        )
    chunks = await corpus.chunks(chunk_ids)
    for chunk in chunks:
        if allowed is not None and not allowed.allows(chunk):
            raise ToolError(
                f"chunk {chunk.chunk_id} is of another document; take ids from search results."
            )
