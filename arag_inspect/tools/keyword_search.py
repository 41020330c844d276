"""Tool: exact keyword search."""

from collections.abc import Sequence

from inspect_ai.tool import Tool, ToolError, tool

from arag_inspect.tools._corpus import opener
from arag_inspect.tools._search_results import check_top_k, report


@tool(max_output=0)
def keyword_search(*, corpus: str, top_k: int = 5, doc_ids: Sequence[str] | None = None) -> Tool:
    """Find chunks that hold exact keywords.

    Args:
        corpus: Prepared corpus to search, by name or path.
        top_k: Number of chunks to return if the model sets none.
        doc_ids: Documents to search; None for the whole corpus.
    """
    default_top_k = top_k
    open_corpus = opener(corpus, doc_ids)

    async def execute(keywords: list[str], top_k: int = default_top_k) -> str:
        """Find chunks that contain exact keywords (case-insensitive substrings), best match first.

        Use this for what is written literally: names and dates as they stand in prefixes, line items ("free cash flow"), defined terms, figures. A chunk scores the sum over keywords of occurrences times keyword length, so long, specific keywords count most. Does not find synonyms: for meaning use semantic_search. Returns the chunk id, the prefix and the sentences that hold the keywords; read promising chunks in full with chunk_read.

        Args:
            keywords: One to a few exact keywords or short phrases, e.g. ["Q3_2021", "free cash flow"].
            top_k: Number of chunks to return, from 1 to 20.
        """
        check_top_k(top_k)
        terms = [keyword.strip() for keyword in keywords if keyword.strip()]
        if not terms:
            raise ToolError("keywords is empty; give at least one word or phrase to look for.")
        opened, allowed = await open_corpus()
        hits = await opened.keyword_search(terms, top_k, allowed)
        results = report(opened, "keyword_search", terms, hits)
        return results or (
            f"No chunk contains any of {terms}. Try shorter or other keywords, or semantic_search."
        )

    return execute
