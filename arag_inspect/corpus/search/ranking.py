"""Exact ranking of chunks for a query vector, identical on every processor."""

from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..embedding.models import Vectors

ROUNDING = 1e-5
"""Largest difference between two float32 computations of a cosine."""

_DIGITS = 6
"""Digits to which cosines are rounded before they are compared."""

_PER_CHUNK = 8
"""Sentences ranked, and at first fetched, per requested chunk."""

_SPARE = 16
"""Extra sentences fetched to rule out further ties with the last ranked sentence."""

_GROWTH = 4
"""Factor by which more sentences are ranked or fetched if the first ones do not suffice."""

_BLOCK = 4096
"""Vectors compared at a time."""

_SENTENCES_SHOWN = 3
"""Maximum sentences that a search returns per chunk."""


class Hit(NamedTuple):
    """A chunk found by a search."""

    chunk_id: int
    score: float
    sentences: tuple[int, ...] = ()
    """Positions in the chunk of its best sentences, best first; empty for a keyword search."""


class KeywordPage(NamedTuple):
    """A part of the chunks found by a keyword search, and their total number."""

    hits: list[Hit]
    hold_all: int
    """Chunks that contain every keyword."""

    hold_any: int
    """Chunks that contain at least one keyword."""

    complete: bool = True
    """Whether all chunks were counted; else there may be more."""


class Candidates(NamedTuple):
    """The sentences nearest to a query by an index, in any order."""

    chunks: npt.NDArray[np.int64]
    """Chunk of each."""

    positions: npt.NDArray[np.int64]
    """Position of each in its chunk."""

    vectors: Vectors
    complete: bool
    """Whether these are all sentences."""


def first_fetch(top_k: int) -> int:
    """Return how many sentences to fetch first for the best chunks."""
    return _PER_CHUNK * top_k + _SPARE


def next_fetch(fetched: int) -> int:
    """Return how many sentences to fetch after too few were fetched."""
    return _GROWTH * fetched


def cosines(query: npt.NDArray[np.floating], vectors: Vectors) -> npt.NDArray[np.float64]:
    """Return the cosines of unit vectors with a query, rounded, shape (vectors,).

    Products are exact in float64, and are added in order on every processor.
    """
    sums = np.zeros(len(vectors), np.float64)
    for start in range(0, len(vectors), _BLOCK):
        products = vectors[start : start + _BLOCK].astype(np.float64) * query.astype(np.float64)
        sums[start : start + _BLOCK] = np.cumsum(products, axis=1)[:, -1]
    return sums.round(_DIGITS)


def rank(query: npt.NDArray[np.floating], candidates: Candidates, top_k: int) -> list[Hit] | None:
    """Rank the chunks of candidate sentences; a chunk scores as its best sentence does.

    The first 8 sentences per requested chunk are pooled, then four times as many, and so on, until
    there are enough chunks. Ties are ordered by chunk id, then by sentence.

    Args:
        query: Unit vector.
        candidates: The sentences.
        top_k: Maximum chunks.

    Returns:
        Chunks, best first; None if sentences that were not fetched could be among the pooled ones.
    """
    scores = cosines(query, candidates.vectors)
    order = np.lexsort((candidates.positions, candidates.chunks, -scores))
    scores = scores[order]
    decided = len(order)
    if not candidates.complete:  # sentences that were not fetched may score like the last of these
        decided = int(np.count_nonzero(scores > scores[-1] + ROUNDING))
    pooled = _PER_CHUNK * top_k
    while pooled <= decided:
        hits = _pool(scores, candidates, order[:pooled], top_k)
        if len(hits) == top_k:
            return hits
        pooled *= _GROWTH
    return _pool(scores, candidates, order, top_k) if candidates.complete else None


def _pool(
    scores: npt.NDArray[np.float64],
    candidates: Candidates,
    order: npt.NDArray[np.int64],
    top_k: int,
) -> list[Hit]:
    """Gather ranked sentences into chunks."""
    chunks = candidates.chunks[order]
    positions = candidates.positions[order]
    best: dict[int, tuple[float, list[int]]] = {}
    for score, chunk, position in zip(
        scores.tolist(), chunks.tolist(), positions.tolist(), strict=False
    ):
        best.setdefault(chunk, (score, []))[1].append(position)
    return [
        Hit(chunk, score, tuple(sentences[:_SENTENCES_SHOWN]))
        for chunk, (score, sentences) in islice(best.items(), top_k)
    ]
