"""Where a given sentence stands in the chunks of its documents."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from .chunking import Chunk

TOLERANCE = 50
"""Most characters by which a sentence may differ from the text it is found in."""

_SHARE = 0.3
"""Most characters by which it may differ, as a share of its own length."""


class Alignment(BaseModel):
    """Where a key sentence was found."""

    sentence: str
    chunk_id: int | None
    """Chunk that holds it; None where it was not found."""

    match: Literal["exact", "fuzzy", "none"]
    distance: int | None
    """Characters to change (Levenshtein) between the sentence and the text; None where it was not found."""


def align(sentence: str, chunks: Sequence[Chunk], tolerance: int = TOLERANCE) -> Alignment:
    """Find the chunk that holds a sentence.

    Verbatim first, white space aside; then the stretch of text that is nearest
    by edit distance, if it differs by no more than `tolerance` characters and
    no more than 30 % of the sentence.

    Args:
        sentence: What to find.
        chunks: Where to look, in order; the first verbatim match wins.
        tolerance: Most characters by which a fuzzy match may differ.
    """
    wanted = _plain(sentence)
    texts = [_plain(chunk.text) for chunk in chunks]
    for chunk, text in zip(chunks, texts, strict=True):
        if wanted and wanted in text:
            return Alignment(sentence=sentence, chunk_id=chunk.chunk_id, match="exact", distance=0)
    limit = min(tolerance, int(_SHARE * len(wanted)))
    best: tuple[int, int] | None = None
    for chunk, text in zip(chunks, texts, strict=True):
        place = fuzz.partial_ratio_alignment(wanted, text, score_cutoff=100 * (1 - 2 * _SHARE))
        if place is None:
            continue
        part, whole = (
            wanted[place.src_start : place.src_end],
            text[place.dest_start : place.dest_end],
        )
        outside = len(wanted) - len(part)
        distance = Levenshtein.distance(part, whole, score_cutoff=limit) + outside
        if distance <= limit and (best is None or distance < best[0]):
            best = distance, chunk.chunk_id
    if best is None:
        return Alignment(sentence=sentence, chunk_id=None, match="none", distance=None)
    return Alignment(sentence=sentence, chunk_id=best[1], match="fuzzy", distance=best[0])


def _plain(text: str) -> str:
    return " ".join(text.split())
