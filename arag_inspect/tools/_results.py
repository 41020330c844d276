"""What searches show and what they leave in the trace."""

from collections.abc import Sequence

import anyio.to_thread
from inspect_ai.tool import ToolError
from inspect_ai.util import store_as

from ..corpus import Corpus, Hit
from ..prompts import fence
from ..trace import RetrievalTrace, Search

MAX_RESULTS = 20


def check_top_k(top_k: int) -> None:
    """Refuse a number of results that no search gives.

    Raises:
        ToolError: It is not within 1 to 20.
    """
    if not 1 <= top_k <= MAX_RESULTS:
        raise ToolError(f"top_k must be from 1 to {MAX_RESULTS}, got {top_k}.")


async def report(corpus: Corpus, tool: str, query: str | list[str], hits: Sequence[Hit]) -> str:
    """Write a search into the trace and show what it found."""
    trace = store_as(RetrievalTrace)
    trace.searches.append(
        Search(
            tool=tool,
            query=query,
            chunk_ids=[hit.chunk_id for hit in hits],
            scores=[round(hit.score, 4) for hit in hits],
            loop=trace.loops + 1,
        )
    )
    read = {passage.chunk_id for passage in trace.passages}
    keywords = query if isinstance(query, list) else []
    return await anyio.to_thread.run_sync(_show, corpus, hits, keywords, read)


def _show(corpus: Corpus, hits: Sequence[Hit], keywords: Sequence[str], read: set[int]) -> str:
    shown = []
    for hit in hits:
        attributes = {
            "chunk_id": hit.chunk_id,
            "source": corpus.chunk(hit.chunk_id).prefix,
            "score": f"{hit.score:.4g}",
        }
        if hit.chunk_id in read:
            attributes["already_read"] = "yes"
        shown.append(fence("snippet", " [...] ".join(corpus.snippets(hit, keywords)), **attributes))
    return "\n\n".join(shown)
