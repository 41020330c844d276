"""Align key sentences and the evidence of questions with the chunks of their document."""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from typing import Literal, NamedTuple

from pydantic import BaseModel
from rapidfuzz.distance import Levenshtein

from ..text.matching import PassageSpan, locate
from .chunks import Chunk

_TOLERANCE = 50
"""Largest edit distance between a key sentence and its match, in characters."""

_SHARE = 0.3
"""Largest edit distance, as a share of the sentence's length."""

LEAST_RATIO = 80
"""Lowest similarity, of 100, between evidence and text (Indel, `rapidfuzz.fuzz`)."""

_LEAST_OVERLAP = 40
"""Minimum letters and digits of the evidence in a chunk, at most a tenth of all."""

_LEAST_LINE = 12
"""Minimum letters and digits of a line of evidence that is searched separately."""

_SCOPES = ("page", "neighbour", "document")
_FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")
_SIGNS = re.compile(r"[\W_]+")
_LETTER = re.compile(r"[^\W_]")


class Evidence(NamedTuple):
    """A passage that supports an answer."""

    text: str
    doc_id: str
    page: int | None
    """Page of the document, from 0; None if unknown."""


class Alignment(BaseModel):
    """Location of a key sentence or of a piece of evidence."""

    sentence: str
    doc_id: str = ""
    """Its stated document; empty if unknown."""

    page: int | None = None
    """Its stated page, from 0."""

    chunk_ids: tuple[int, ...] = ()
    """Chunks that contain it, in order; empty if not found."""

    place: Literal["page", "neighbour", "document"] | None = None
    """Where evidence was found: on its page, on a neighbouring one, or elsewhere."""

    match: Literal["exact", "fuzzy", "none"] = "none"
    ratio: float | None = None
    """Similarity of evidence with its match, from 0 to 100."""

    distance: int | None = None
    """Edit distance (Levenshtein) of a key sentence from its match, in characters."""

    @property
    def chunk_id(self) -> int | None:
        """The first of its chunks; None if not found."""
        return self.chunk_ids[0] if self.chunk_ids else None


def align(sentence: str, chunks: Sequence[Chunk]) -> Alignment:
    """Find the chunk that contains a sentence.

    A verbatim match, ignoring white space and cell borders, comes first; else the passage nearest
    by edit distance, if it differs by at most 50 characters and 30 % of the sentence.

    Args:
        sentence: The sentence.
        chunks: Chunks to search, in order; the first verbatim match wins.
    """
    words = _drop_borders(sentence)
    for chunk in chunks:
        if words and words in _drop_borders(chunk.text):
            chunk_ids = (chunk.chunk_id,)
            return Alignment(sentence=sentence, chunk_ids=chunk_ids, match="exact", distance=0)
    target = " ".join(sentence.split())
    texts = [" ".join(chunk.text.split()) for chunk in chunks]
    limit = min(_TOLERANCE, int(_SHARE * len(target)))
    best = Alignment(sentence=sentence)
    for chunk, text in zip(chunks, texts, strict=True):
        passage = locate(target, text, 100 * (1 - 2 * _SHARE))
        if passage is None:
            continue
        target_part = target[passage.target_start : passage.target_end]
        outside = len(target) - len(target_part)
        text_part = text[passage.start : passage.end]
        distance = Levenshtein.distance(target_part, text_part, score_cutoff=limit) + outside
        if distance <= limit and (best.distance is None or distance < best.distance):
            update = {"chunk_ids": (chunk.chunk_id,), "match": "fuzzy", "distance": distance}
            best = best.model_copy(update=update)
    return best


def align_evidence(evidence: Evidence, chunks: Sequence[Chunk]) -> Alignment:
    """Find the chunks that contain a piece of evidence.

    Only letters and digits are compared, because two PDF readers agree on little more. Searches its
    page, then the neighbouring pages, then the whole document, for a verbatim passage, else the
    most similar one. Figures must agree (see `figures_agree`): a similar sentence about another
    year or amount is not a match. Evidence of several lines that does not occur as a whole, such as
    non-adjacent rows of a table, is searched line by line.

    Args:
        evidence: The evidence.
        chunks: Chunks of its document, in order.
    """
    whole = _align_whole(evidence, chunks)
    lines = [line for line in evidence.text.split("\n") if len(_bare(line)) >= _LEAST_LINE]
    if whole.match != "none" or len(lines) < 2:
        return whole
    parts = [_align_whole(evidence._replace(text=line), chunks) for line in lines]
    chunk_ids = tuple(sorted({*chain.from_iterable(part.chunk_ids for part in parts)}))
    text = "\n".join(chunk.text for chunk in chunks if chunk.chunk_id in chunk_ids)
    if any(part.match == "none" for part in parts) or not figures_agree(evidence.text, text):
        return whole
    update = {
        "chunk_ids": chunk_ids,
        "place": max((part.place for part in parts if part.place), key=_SCOPES.index),
        "match": "fuzzy",
        "ratio": min(part.ratio or 0 for part in parts),
    }
    return whole.model_copy(update=update)


def _align_whole(evidence: Evidence, chunks: Sequence[Chunk]) -> Alignment:
    result = Alignment(sentence=evidence.text, doc_id=evidence.doc_id, page=evidence.page)
    target = _bare(evidence.text)
    if not target:
        return result
    for scope, candidates in _scopes(evidence.page, chunks):
        texts = [_bare(chunk.text) for chunk in candidates]
        joined = "".join(texts)
        passage = locate(target, joined, LEAST_RATIO) if len(joined) >= len(target) / 2 else None
        if passage is None:
            continue
        chunk_ids = _overlapping_ids(passage, candidates, texts)
        text = "\n".join(chunk.text for chunk in candidates if chunk.chunk_id in chunk_ids)
        if figures_agree(evidence.text, text):
            return result.model_copy(
                update={
                    "chunk_ids": chunk_ids,
                    "place": scope,
                    "match": "exact" if passage.exact else "fuzzy",
                    "ratio": 100.0 if passage.exact else round(min(passage.ratio, 99.9), 1),
                }
            )
    return result


class EvidenceText:
    """Text that a system read, in which evidence is looked up.

    Args:
        passages: Passages in the order of their documents.
    """

    def __init__(self, passages: Sequence[str]) -> None:
        self._text = "\n".join(passages).lower()
        self._offsets = [match.start() for match in _LETTER.finditer(self._text)]
        self._letters = "".join(self._text[offset] for offset in self._offsets)

    def holds(self, evidence: str) -> bool:
        """Return whether the text contains a piece of evidence, as a whole or line by line.

        As in `align_evidence`, only letters and digits are compared; four in five of them, and all
        figures, must agree. A passage that only touches the evidence does not contain it.
        """
        if self._holds_whole(evidence):
            return True
        lines = [line for line in evidence.split("\n") if len(_bare(line)) >= _LEAST_LINE]
        return len(lines) > 1 and all(map(self._holds_whole, lines))

    def _holds_whole(self, evidence: str) -> bool:
        target = _bare(evidence)
        passage = locate(target, self._letters, LEAST_RATIO)
        margin = len(target) * (100 - LEAST_RATIO) // 100
        # at an end of the text, the nearest passage may be two thirds of the evidence
        if passage is None or passage.end - passage.start < len(target) - margin:
            return False
        first = self._offsets[max(0, passage.start - margin)]
        last = self._offsets[min(len(self._offsets), passage.end + margin) - 1]
        return figures_agree(evidence, self._text[first : last + 1])


def figures_agree(wanted: str, text: str) -> bool:
    """Return whether a text has the figures of another: all of up to three, else nine in ten.

    A figure of three digits or more may be spaced differently or joined to its neighbour.
    """
    figures = _figures(wanted)
    bare_text = _bare(text)
    missing = sum(
        len(_bare(figure)) < 3 or _bare(figure) not in bare_text
        for figure in figures - _figures(text)
    )
    return missing == 0 if len(figures) <= 3 else 10 * missing <= len(figures)


def _figures(text: str) -> set[str]:
    return {figure.replace(",", "") for figure in _FIGURE.findall(text)}


def _scopes(page: int | None, chunks: Sequence[Chunk]) -> Iterator[tuple[str, Sequence[Chunk]]]:
    """Yield the places to search, the nearest first, with their chunks."""
    if page is not None:
        pages = [(chunk, chunk.first_page, chunk.last_page) for chunk in chunks]
        for scope, reach in (("page", 0), ("neighbour", 1)):
            near_chunks = []
            for chunk, first, last in pages:
                if first is not None and last is not None and first - reach <= page <= last + reach:
                    near_chunks.append(chunk)
            yield scope, near_chunks
    yield "document", chunks


def _overlapping_ids(
    passage: PassageSpan, chunks: Sequence[Chunk], texts: Sequence[str]
) -> tuple[int, ...]:
    """Return the ids of the chunks that a passage of their joined texts overlaps."""
    min_overlap = min(_LEAST_OVERLAP, (passage.end - passage.start) / 10)
    ends = accumulate(map(len, texts))
    return tuple(
        chunk.chunk_id
        for chunk, text, end in zip(chunks, texts, ends, strict=True)
        if min(end, passage.end) - max(end - len(text), passage.start) >= min_overlap
    )


def _drop_borders(text: str) -> str:
    """Return a text with single spaces, in which the cells of a row are words like others."""
    return " ".join(text.replace("|", " ").split())


def _bare(text: str) -> str:
    return _SIGNS.sub("", text.lower())
