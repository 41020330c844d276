"""Tools: exact keyword search, and search by meaning."""

import re
from collections.abc import Sequence

from inspect_ai.tool import Tool, ToolError, tool

from arag_inspect.corpus import Corpus, Hit
from arag_inspect.prompts import fence
from arag_inspect.tools._corpus import lazy_corpus, within
from arag_inspect.tools.retrieval import Retriever, check_retriever, retrieve
from arag_inspect.types.trace import Search, current_loop, current_trace


@tool(max_output=0)
def keyword_search(*, corpus: str, top_k: int = 5, doc_ids: Sequence[str] | None = None) -> Tool:
    """Find chunks that hold exact keywords.

    Args:
        corpus: Prepared corpus to search, by name or path.
        top_k: Number of chunks to return if the model sets none.
        doc_ids: Documents to search; None for the whole corpus.
    """
    default_top_k = top_k
    open_corpus = lazy_corpus(corpus, doc_ids)

    async def execute(keywords: list[str] | str, top_k: int | str = default_top_k) -> str:
        """Find chunks that contain exact keywords (case-insensitive substrings), best match first.

        Use this for what is written literally: names and dates as they stand in prefixes, line items ("free cash flow"), defined terms, figures. A chunk scores the sum over keywords of occurrences times keyword length, so long, specific keywords count most. Does not find synonyms: for meaning use semantic_search. Returns the chunk id, the prefix and the sentences that hold the **keywords**, marked so; read promising chunks in full with chunk_read.

        Args:
            keywords: One to a few exact keywords or short phrases, e.g. ["Q3_2021", "free cash flow"].
            top_k: Number of chunks to return, from 1 to 20.
        """
        several = [keywords] if isinstance(keywords, str) else keywords
        terms = [" ".join(keyword.split()) for keyword in several if keyword.strip()]
        if not terms:
            raise ToolError("keywords is empty; give at least one word or phrase to look for.")
        opened, allowed = await open_corpus()
        hits = await opened.keyword_search(terms, within(top_k, default_top_k), allowed)
        results = _report(opened, "keyword_search", terms, hits)
        return results or (
            f"No chunk contains any of {terms}. Try shorter or other keywords, or semantic_search."
        )

    return execute


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
    open_corpus = lazy_corpus(corpus, doc_ids)

    async def execute(query: str, top_k: int | str = default_top_k) -> str:
        """Find chunks with sentences closest in meaning to a query, best match first.

        Use this for topics and questions whose exact wording you do not know ("what is expected for next year", "reasons for the decision"). Name in the query what the document is about, as its prefix does, or chunks of other documents will come up. For exact names, figures or line items use keyword_search. Returns the chunk id, the prefix and the nearest sentences; read promising chunks in full with chunk_read.

        Args:
            query: A phrase or question in natural language, e.g. "AAN Q3_2021 outlook for the full year".
            top_k: Number of chunks to return, from 1 to 20.
        """
        if not query.strip():
            raise ToolError("query is empty; say what to look for.")
        opened, allowed = await open_corpus()
        most = within(top_k, default_top_k)
        hits = await retrieve(opened, query.strip(), most, allowed, retriever, rerank)
        return _report(opened, "semantic_search", query.strip(), hits)

    return execute


def _report(corpus: Corpus, tool: str, query: str | list[str], hits: Sequence[Hit]) -> str:
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
    text = " [...] ".join(corpus.snippets(hit, keywords))
    return fence("snippet", _marked(text, keywords), **attributes)


def _marked(text: str, keywords: Sequence[str]) -> str:
    """Return a text with its keywords between `**`, the longest first."""
    longest = sorted(keywords, key=len, reverse=True)
    pattern = "|".join(r"\s+".join(map(re.escape, keyword.split())) for keyword in longest)
    return re.sub(f"({pattern})", r"**\1**", text, flags=re.IGNORECASE) if keywords else text
