"""Classify unsupported statements."""

from collections.abc import Sequence
from typing import Literal

from rapidfuzz import fuzz

from .parsing import StrictModel

Kind = Literal["absent", "contradicted"]
GroundingError = Literal["invented", "not_retrieved", "misread"]
FAULTS: tuple[GroundingError, ...] = ("invented", "not_retrieved", "misread")

_SAME = 85
"""Similarity (rapidfuzz, 0 to 100) above which two quotations are the same statement."""


class Unsupported(StrictModel):
    """A statement of a summary that the material does not support."""

    statement: str
    kind: Kind
    """Not in the material at all, or against it."""


def faults(read: Sequence[Unsupported], source: Sequence[Unsupported]) -> dict[str, GroundingError]:
    """Classify each unsupported statement by two judgements.

    1. `misread`: the passages that were read contradict it.
    2. `invented`: neither they nor the whole source support it.
    3. `not_retrieved`: the whole source supports it, but the system had not read that.
    4. Statements unsupported only by the whole source are `invented` too.

    Args:
        read: Statements not supported by the text the system has read.
        source: Statements not supported by the whole source.

    Returns:
        Fault by statement.
    """
    by_statement: dict[str, GroundingError] = {}
    for item in read:
        if item.kind == "contradicted":
            by_statement[item.statement] = "misread"
        else:
            invented = _is_among(item, source)
            by_statement[item.statement] = "invented" if invented else "not_retrieved"
    return by_statement | {
        item.statement: "invented" for item in source if not _is_among(item, read)
    }


def _is_among(item: Unsupported, others: Sequence[Unsupported]) -> bool:
    return any(
        fuzz.partial_ratio(item.statement.casefold(), other.statement.casefold()) >= _SAME
        for other in others
    )
