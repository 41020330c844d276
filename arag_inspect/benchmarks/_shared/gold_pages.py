"""Pages with the evidence of a question: gold that does not depend on the chunks."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from arag_inspect.corpus import Chunk
from arag_inspect.types.sample import GoldPage


def is_on_page(chunk: Chunk, page: int) -> bool:
    """Return whether a chunk has text of a page, counted from 1."""
    if chunk.first_page is None or chunk.last_page is None:
        return False
    return chunk.first_page <= page - 1 <= chunk.last_page


def gold_pages(
    pages: Sequence[int], doc_id: str, chunks: Mapping[str, Sequence[Chunk]]
) -> Iterator[GoldPage]:
    """Yield the pages that occur in the document's chunks.

    Args:
        pages: Numbers, from 1.
        doc_id: The document.
        chunks: Chunks of each document.
    """
    for page in pages:
        page_chunk_ids = [
            chunk.chunk_id for chunk in chunks.get(doc_id, ()) if is_on_page(chunk, page)
        ]
        if page_chunk_ids:
            yield GoldPage(doc_id=doc_id, page=page, chunk_ids=tuple(page_chunk_ids))


def locate_pages(
    pages: Sequence[int],
    doc_ids: Sequence[str],
    chunks: Mapping[str, Sequence[Chunk]],
    gold: Collection[int],
) -> list[GoldPage]:
    """Return the pages of a question; none if their document is ambiguous.

    They belong to the question's document or, unless it has exactly one, to the document with its
    evidence.

    Args:
        pages: Numbers, from 1.
        doc_ids: Documents of the question; empty means all.
        chunks: Chunks of each document.
        gold: Chunks with the evidence.
    """
    if not pages:
        return []
    documents = doc_ids or tuple(chunks)
    if len(documents) > 1:
        gold_of = {name: {chunk.chunk_id for chunk in chunks.get(name, ())} for name in documents}
        documents = [name for name in documents if not gold_of[name].isdisjoint(gold)]
    return list(gold_pages(pages, documents[0], chunks)) if len(documents) == 1 else []
