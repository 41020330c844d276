"""Find the passage of a text that is nearest to another text."""

from typing import NamedTuple

from rapidfuzz import fuzz


class PassageSpan(NamedTuple):
    """A passage of a text, and the part of the target that it was aligned with."""

    start: int
    end: int
    ratio: float
    """Similarity of the two, from 0 to 100 (Indel)."""

    target_start: int
    target_end: int
    exact: bool
    """Whether it is the whole target, verbatim."""


def locate(target: str, text: str, least_ratio: float) -> PassageSpan | None:
    """Find a target in a text: verbatim, else the passage of at most its length nearest to it.

    Args:
        target: What to find.
        text: Where to look.
        least_ratio: Lowest similarity of a passage, from 0 to 100.

    Returns:
        The passage; None if there is none, or the target is empty.
    """
    if not target:
        return None
    start = text.find(target)
    if start >= 0:
        return PassageSpan(start, start + len(target), 100, 0, len(target), exact=True)
    alignment = fuzz.partial_ratio_alignment(target, text, score_cutoff=least_ratio)
    if alignment is None:
        return None
    return PassageSpan(
        alignment.dest_start,
        alignment.dest_end,
        alignment.score,
        alignment.src_start,
        alignment.src_end,
        exact=False,
    )
