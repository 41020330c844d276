"""The chunks with the evidence of questions, and its copies elsewhere."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from typing import NamedTuple

from arag_inspect.corpus import Alignment, Chunk, align
from arag_inspect.corpus.evidence import Evidence, align_evidence, figures_agree

from .gold_pages import is_on_page

_SHORT = 40
"""Shortest evidence, in characters, compared without punctuation: "4.2" is not "42"."""

_WORDS = 4
"""Fewest words of an evidence text with a search for copies: "4.2" occurs in many places."""

_NEARBY = 12
"""Maximum chunks, with most words in common, searched for an evidence text."""

_WORD = re.compile(r"\w{3,}")


class QuestionEvidence(NamedTuple):
    """An evidence text and the documents to search."""

    text: str
    doc_ids: Sequence[str]
    """Documents; empty means all."""

    pages: Sequence[int]
    """Its pages in the documents, from 1; empty if not known."""

    def chunks_on_pages(self, chunks: Sequence[Chunk]) -> list[Chunk]:
        """Return the chunks with text of its pages, if its document is known."""
        if len(self.doc_ids) != 1:
            return []
        return [chunk for chunk in chunks if any(is_on_page(chunk, page) for page in self.pages)]


def align_passage(passage: QuestionEvidence, nearby: Sequence[Chunk]) -> Alignment:
    """Find the chunks with a passage: on its pages, else anywhere in its documents."""
    page_chunks = passage.chunks_on_pages(nearby)
    if page_chunks:
        alignment = _align_among(passage, page_chunks)
        if alignment.chunk_ids:
            return alignment
    return _align_among(passage, nearby)


def _align_among(passage: QuestionEvidence, nearby: Sequence[Chunk]) -> Alignment:
    doc_id = passage.doc_ids[0] if len(passage.doc_ids) == 1 else ""
    if len(passage.text) >= _SHORT:
        return align_evidence(Evidence(passage.text, doc_id, None), nearby)
    alignment = align(passage.text, nearby)
    if alignment.match == "none" and len(passage.text.split()) >= _WORDS:  # a row of a table
        return align_evidence(Evidence(passage.text, doc_id, None), nearby)
    matches = [chunk for chunk in nearby if chunk.chunk_id in alignment.chunk_ids]
    if all(figures_agree(passage.text, chunk.text) for chunk in matches):
        return alignment.model_copy(update={"doc_id": doc_id})
    return Alignment(sentence=passage.text, doc_id=doc_id)


def find_copies(
    passage: QuestionEvidence, alignment: Alignment, nearby: Sequence[Chunk]
) -> Iterator[tuple[int, ...]]:
    """Yield the chunks of each other place where a passage occurs verbatim."""
    seen_ids = {*alignment.chunk_ids}
    if not seen_ids or len(passage.text.split()) < _WORDS:
        return
    for doc_id in dict.fromkeys(chunk.doc_id for chunk in nearby):
        unseen = [chunk for chunk in nearby if chunk.doc_id == doc_id]
        while True:
            unseen = [chunk for chunk in unseen if chunk.chunk_id not in seen_ids]
            copy = align_passage(passage, unseen) if unseen else None
            if copy is None or copy.match != "exact":
                break
            seen_ids.update(copy.chunk_ids)
            yield copy.chunk_ids


def copies_by_chunk(
    located: Iterable[tuple[Alignment, Sequence[tuple[int, ...]]]],
) -> dict[int, tuple[int, ...]]:
    """Return the copies of each gold chunk: all chunks of a copy that is chunked differently."""
    copies: dict[int, list[int]] = {}
    for alignment, copy_groups in located:
        for copy_ids in copy_groups:
            is_same_length = len(copy_ids) == len(alignment.chunk_ids)
            for index, chunk_id in enumerate(alignment.chunk_ids):
                copies_of_chunk = copies.setdefault(chunk_id, [])
                if is_same_length:
                    copies_of_chunk.append(copy_ids[index])
                else:
                    copies_of_chunk += copy_ids
    return {chunk_id: tuple(dict.fromkeys(ids)) for chunk_id, ids in copies.items()}


def nearby_chunks(
    passages: Sequence[QuestionEvidence], chunks: Mapping[str, Sequence[Chunk]]
) -> Iterator[list[Chunk]]:
    """Yield the chunks that share most words with each text; read each document once."""
    words = [_distinct_words(passage.text) for passage in passages]
    anywhere = [index for index, passage in enumerate(passages) if not passage.doc_ids]
    indices_by_document: dict[str, list[int]] = {}
    for index, passage in enumerate(passages):
        for doc_id in set(passage.doc_ids):
            indices_by_document.setdefault(doc_id, []).append(index)
    best: list[list[tuple[int, int, Chunk]]] = [[] for _ in passages]
    for doc_id in chunks:
        if not anywhere and doc_id not in indices_by_document:
            continue
        worded = [(chunk, _distinct_words(chunk.text)) for chunk in chunks[doc_id]]
        for index in (*anywhere, *indices_by_document.get(doc_id, ())):
            entries = [
                (len(words[index] & terms), -chunk.chunk_id, chunk) for chunk, terms in worded
            ]
            best[index] = nlargest(_NEARBY, best[index] + entries)
    for nearest_group in best:
        yield sorted((chunk for _, _, chunk in nearest_group), key=lambda chunk: chunk.chunk_id)


def _distinct_words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))
