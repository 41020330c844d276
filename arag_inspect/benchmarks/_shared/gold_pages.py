"""Pages with the evidence of a question: gold that does not depend on the chunks."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

from arag_inspect.corpus import Chunk, Document
from arag_inspect.types.sample import GoldPage


def is_on_page(chunk: Chunk, page: int) -> bool:
    """Return whether a chunk has text of a page, counted from 1."""
    if chunk.first_page is None or chunk.last_page is None:
        return False
    return chunk.first_page <= page - 1 <= chunk.last_page


def main_pages(document: Document, chunks: Sequence[Chunk]) -> dict[int, int]:
    """Return the page, from 1, that contains the middle of each chunk."""
    pages: dict[int, int] = {}
    remaining = list(chunks)
    for section in document.sections:
        end = 0
        while remaining and (start := section.text.find(remaining[0].text, end)) >= 0:
            chunk = remaining.pop(0)
            end = start + len(chunk.text)
            page = section.page_at((start + end) // 2)
            if page is not None:
                pages[chunk.chunk_id] = page + 1
    return pages


def gold_pages(
    pages: Sequence[int],
    doc_id: str,
    chunks: Mapping[str, Sequence[Chunk]],
    main: Mapping[int, int] = MappingProxyType({}),
) -> Iterator[GoldPage]:
    """Yield the pages that occur in the document's chunks.

    Args:
        pages: Numbers, from 1.
        doc_id: The document.
        chunks: Chunks of each document.
        main: Main page of chunks, as in `main_pages`. If a page is the main page of any chunk,
            chunks that only touch it do not count.
    """
    for page in pages:
        touching = [chunk.chunk_id for chunk in chunks.get(doc_id, ()) if is_on_page(chunk, page)]
        page_chunk_ids = [name for name in touching if main.get(name) == page] or touching
        if page_chunk_ids:
            yield GoldPage(doc_id=doc_id, page=page, chunk_ids=tuple(page_chunk_ids))


def locate_pages(
    pages: Sequence[int],
    doc_ids: Sequence[str],
    chunks: Mapping[str, Sequence[Chunk]],
    gold: Collection[int],
    main: Mapping[int, int],
) -> list[GoldPage]:
    """Return the pages of a question; none if their document is ambiguous.

    They belong to the question's document or, unless it has exactly one, to the document with its
    evidence.

    Args:
        pages: Numbers, from 1.
        doc_ids: Documents of the question; empty means all.
        chunks: Chunks of each document.
        gold: Chunks with the evidence.
        main: Main page of chunks, as in `main_pages`.
    """
    if not pages:
        return []
    documents = doc_ids or tuple(chunks)
    if len(documents) > 1:
        gold_of = {name: {chunk.chunk_id for chunk in chunks.get(name, ())} for name in documents}
        documents = [name for name in documents if not gold_of[name].isdisjoint(gold)]
    return list(gold_pages(pages, documents[0], chunks, main)) if len(documents) == 1 else []
