"""Statements that a judge finds no support for, and what is wrong with each."""

from collections.abc import Sequence
from typing import Literal

from rapidfuzz import fuzz

from .parsing import StrictModel

Kind = Literal["absent", "contradicted"]
GroundingError = Literal["invented", "not_retrieved", "misread"]
FAULTS: tuple[GroundingError, ...] = ("invented", "not_retrieved", "misread")

_SAME = 85
"""Similarity (rapidfuzz, 0 to 100) from which two quotations of a summary are the same statement."""


class Unsupported(StrictModel):
    """A statement of a summary that the material does not support."""

    statement: str
    kind: Kind
    """Not in the material at all, or against it."""


def faults(read: Sequence[Unsupported], source: Sequence[Unsupported]) -> dict[str, GroundingError]:
    """Tell what is wrong with each statement from what two judgements leave unsupported.

    1. What the passages read contradict was `misread`.
    2. What is not in them, and not borne out by the whole source either, was `invented`.
    3. What is not in them but borne out by the whole source was `not_retrieved`: true, but not known to the system.
    4. What only the whole source leaves unsupported was `invented`, as the source has the last word.

    Args:
        read: Not borne out by what the system has read.
        source: Not borne out by the whole source.

    Returns:
        Fault by statement.
    """
    found: dict[str, GroundingError] = {}
    for one in read:
        if one.kind == "contradicted":
            found[one.statement] = "misread"
        else:
            found[one.statement] = "invented" if _among(one, source) else "not_retrieved"
    found |= {one.statement: "invented" for one in source if not _among(one, read)}
    return found


def _among(one: Unsupported, others: Sequence[Unsupported]) -> bool:
    return any(
        fuzz.partial_ratio(one.statement.casefold(), other.statement.casefold()) >= _SAME
        for other in others
    )
