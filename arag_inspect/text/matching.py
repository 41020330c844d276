"""Find the passage nearest to a text, and the quotations of a reply in the texts they quote."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from .folding import fold
from .replies import prose


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
    """Find a target in a text: verbatim, else the nearest passage of at most its length.

    Args:
        target: What to find.
        text: Where to look.
        least_ratio: Lowest similarity of a passage, from 0 to 100.

    Returns:
        The passage; None if missing, or the target is empty.
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


_QUOTED = re.compile(r'["“](?P<text>[^"“”\n]{2,600})["”]')
_GAP = re.compile(r"\.\.\.|…|\[[^\[\]]*\]")
SHORTEST = 3
"""Minimum words of a quotation; two words occur by chance."""


def quotations(reply: str) -> list[str]:
    """Return the distinct double-quoted passages of three words or more, in order.

    In a JSON object, its strings are searched.
    """
    passages = (match["text"].strip() for match in _QUOTED.finditer(prose(reply)))
    return list(dict.fromkeys(text for text in passages if count_words(text) >= SHORTEST))


def count_words(quote: str) -> int:
    """Count the words of a quotation, without omissions and brackets."""
    return sum(len(part.split()) for part in _parts(quote))


def occurrences(quotes: Sequence[str], texts: Sequence[str]) -> list[bool]:
    """Return for each quotation whether it occurs in one of the texts.

    Ignores white space, case, the kinds of quotation marks and dashes, and final punctuation.
    Omissions (`...`) separate parts, which must all occur in the same text. A quotation without
    words never occurs.
    """
    plain_texts = [_plain(text) for text in texts if quotes]  # sources may be long
    return [_occurs(_parts(quote), plain_texts) for quote in quotes]


def _occurs(parts: Sequence[str], texts: Sequence[str]) -> bool:
    """Return whether all parts of a quotation occur in one of the texts."""
    return bool(parts) and any(all(map(text.__contains__, parts)) for text in texts)


def near(quote: str, texts: Iterable[str], tolerance: float) -> bool:
    """Return whether a quotation occurs in a text, except for a share of its characters.

    Args:
        quote: The quotation.
        texts: Texts to search; white space, case and kinds of marks are ignored.
        tolerance: Largest edit distance (Levenshtein), as a share of the quotation's characters.
    """
    quote = _plain(quote)
    limit = int(tolerance * len(quote))
    for text in map(_plain, texts):
        passage = locate(quote, text, 100 * (1 - 2 * tolerance))
        if passage is None:
            continue
        # the passage is at most as long as the quotation; the nearest passage may be longer
        ends = range(passage.end, passage.end + limit + 1)
        parts = (text[passage.start : end] for end in ends)
        if any(Levenshtein.distance(quote, part, score_cutoff=limit) <= limit for part in parts):
            return True
    return False


def _parts(quote: str) -> list[str]:
    parts = (_plain(piece).strip(".,;: ") for piece in _GAP.split(quote))
    return [part for part in parts if re.search(r"\w", part)]


def _plain(text: str) -> str:
    return fold(text).strip()
