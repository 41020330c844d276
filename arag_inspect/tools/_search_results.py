"""Show search results and record them in the trace."""

from collections.abc import Sequence

from inspect_ai.tool import ToolError

from ..corpus import Corpus, Hit
from ..prompts import fence
from ..types.trace import Search, current_loop, current_trace

MAX_RESULTS = 20


def check_top_k(top_k: int) -> None:
    """Raise if the number of results is out of range.

    Raises:
        ToolError: It is not within 1 to 20.
    """
    if not 1 <= top_k <= MAX_RESULTS:
        raise ToolError(f"top_k must be from 1 to {MAX_RESULTS}, got {top_k}.")


def report(corpus: Corpus, tool: str, query: str | list[str], hits: Sequence[Hit]) -> str:
    """Record a search in the trace and show its results."""
    trace = current_trace()
    trace.searches.append(
        Search(
            tool=tool,
            query=query,
            chunk_ids=[hit.chunk_id for hit in hits],
            scores=[round(hit.score, 4) for hit in hits],
            loop=current_loop(),
        )
    )
    read = {passage.chunk_id for passage in trace.passages}
    keywords = query if isinstance(query, list) else []
    return "\n\n".join(_show(corpus, hit, keywords, hit.chunk_id in read) for hit in hits)


def _show(corpus: Corpus, hit: Hit, keywords: Sequence[str], read: bool) -> str:
    chunk = corpus.chunk(hit.chunk_id)
    attributes = {
        "chunk_id": hit.chunk_id,
        "source": chunk.prefix,
        "score": f"{hit.score:.4g}",
        **({"already_read": "yes"} if read else {}),
    }
    return fence("snippet", " [...] ".join(corpus.snippets(hit, keywords)), **attributes)
