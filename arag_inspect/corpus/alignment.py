"""Align a given sentence with the chunks of its documents."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from .chunking import Chunk

TOLERANCE = 50
"""Largest edit distance between a sentence and its match, in characters."""

_SHARE = 0.3
"""Largest edit distance, as a share of the sentence's length."""


class Alignment(BaseModel):
    """Location of a key sentence."""

    sentence: str
    chunk_id: int | None
    """Chunk that holds it; None if not found."""

    match: Literal["exact", "fuzzy", "none"]
    distance: int | None
    """Edit distance (Levenshtein) in characters; None if not found."""


def align(sentence: str, chunks: Sequence[Chunk], tolerance: int = TOLERANCE) -> Alignment:
    """Find the chunk that holds a sentence.

    Verbatim first, ignoring white space; then the passage that is nearest
    by edit distance, if it differs by no more than `tolerance` characters and
    no more than 30 % of the sentence.

    Args:
        sentence: The sentence.
        chunks: Chunks to search, in order; the first verbatim match wins.
        tolerance: Largest edit distance of a fuzzy match, in characters.
    """
    target = _plain(sentence)
    texts = [_plain(chunk.text) for chunk in chunks]
    for chunk, text in zip(chunks, texts, strict=True):
        if target and target in text:
            return Alignment(sentence=sentence, chunk_id=chunk.chunk_id, match="exact", distance=0)
    limit = min(tolerance, int(_SHARE * len(target)))
    best: tuple[int, int] | None = None
    for chunk, text in zip(chunks, texts, strict=True):
        alignment = fuzz.partial_ratio_alignment(target, text, score_cutoff=100 * (1 - 2 * _SHARE))
        if alignment is None:
            continue
        target_part = target[alignment.src_start : alignment.src_end]
        text_part = text[alignment.dest_start : alignment.dest_end]
        outside = len(target) - len(target_part)
        distance = Levenshtein.distance(target_part, text_part, score_cutoff=limit) + outside
        if distance <= limit and (best is None or distance < best[0]):
            best = distance, chunk.chunk_id
    if best is None:
        return Alignment(sentence=sentence, chunk_id=None, match="none", distance=None)
    return Alignment(sentence=sentence, chunk_id=best[1], match="fuzzy", distance=best[0])


def _plain(text: str) -> str:
    return " ".join(text.split())
