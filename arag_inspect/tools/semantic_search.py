"""Tool: search by meaning."""

from collections.abc import Sequence

from inspect_ai.tool import Tool, ToolError, tool

from arag_inspect.tools._corpus import opener
from arag_inspect.tools._search_results import check_top_k, report
from arag_inspect.tools.retrieval import Retriever, check_retriever, retrieve


@tool(max_output=0)
def semantic_search(
    *,
    corpus: str,
    top_k: int = 5,
    doc_ids: Sequence[str] | None = None,
    retriever: Retriever = "dense",
    rerank: str | None = None,
) -> Tool:
    """Find chunks by meaning.

    Args:
        corpus: Prepared corpus to search, by name or path.
        top_k: How many chunks to return where the model does not say.
        doc_ids: Documents to search; None for all of the corpus.
        retriever: Ranking of the chunks behind the tool: dense, bm25 or hybrid.
        rerank: Cross-encoder of sentence-transformers, by name or folder, that orders the first 50
            chunks again.
    """
    check_retriever(retriever, rerank)
    default_top_k = top_k
    open_corpus = opener(corpus, doc_ids)

    async def execute(query: str, top_k: int = default_top_k) -> str:
        """Find chunks with sentences closest in meaning to a query, best match first.

        Use this for topics and questions whose exact wording you do not know ("what is expected for next year", "reasons for the decision"). Name in the query what the document is about, as its prefix does, or chunks of other documents will come up. For exact names, figures or line items use keyword_search. Returns the chunk id, the prefix and the nearest sentences; read promising chunks in full with chunk_read.

        Args:
            query: A phrase or question in natural language, e.g. "AAN Q3_2021 outlook for the full year".
            top_k: Number of chunks to return, from 1 to 20.
        """
        check_top_k(top_k)
        if not query.strip():
            raise ToolError("query is empty; say what to look for.")
        opened, allowed = await open_corpus()
        hits = await retrieve(opened, query.strip(), top_k, allowed, retriever, rerank)
        return report(opened, "semantic_search", query.strip(), hits)

    return execute
