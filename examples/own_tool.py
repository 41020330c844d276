"""A tool of one's own for A-RAG.

`-T system_args='{tools: [chunk_read, "examples/own_tool.py:find_outlook"]}'`
"""

from arag_inspect.corpus import Corpus


async def find_outlook(metric: str, corpus: Corpus) -> list[dict[str, object]]:
    """Find what management expects of a metric.

    Args:
        metric: Name of the metric, e.g. revenue.
        corpus: The prepared corpus, which the model does not see.
    """
    hits = await corpus.keyword_search([metric, "expect"], 3)
    return [{"chunk_id": hit.chunk_id, "text": corpus.chunk(hit.chunk_id).text} for hit in hits]
