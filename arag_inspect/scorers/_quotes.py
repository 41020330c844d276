"""Whether what a judge quotes stands where it says."""

import re
from collections.abc import Iterable, Sequence

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

_QUOTED = re.compile(r'["“](?P<text>[^"“”\n]{2,600})["”]')
_GAP = re.compile(r"\s*(?:\.\.\.|…|\[[^\]]*\])\s*")
_MARKS = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‹": "<"})
_WORDS = 3
"""Fewest words of a quotation that says something: two may stand anywhere."""


def quotations(reply: str) -> list[str]:
    """What a reply puts between double quotation marks, three words or more, in order and without repetition."""
    found = (match["text"].strip() for match in _QUOTED.finditer(reply))
    return list(dict.fromkeys(text for text in found if len(text.split()) >= _WORDS))


def stand(quotes: Iterable[str], texts: Sequence[str]) -> list[bool]:
    """Tell of each quotation whether it stands in one of the texts.

    White space, case, kinds of quotation marks and of dashes do not matter,
    nor does what ends the quotation. Words left out (`...`) separate parts,
    each of which has to stand in the same text.
    """
    places = [_plain(text) for text in texts]
    return [
        any(all(part in place for part in _parts(quote)) for place in places) for quote in quotes
    ]


def near(quote: str, texts: Iterable[str], tolerance: float) -> bool:
    """Tell whether some stretch of a text differs from a quotation by no more than a share of its characters.

    Args:
        quote: What is looked for.
        texts: Where; white space, case and kinds of marks do not matter.
        tolerance: The share, by edit distance (Levenshtein).
    """
    wanted = _plain(quote)
    limit = int(tolerance * len(wanted))
    for text in map(_plain, texts):
        place = fuzz.partial_ratio_alignment(wanted, text, score_cutoff=100 * (1 - 2 * tolerance))
        if place is None:
            continue
        start, end = place.dest_start, place.dest_end
        # the stretch that is found is no longer than the quotation; the nearest one may be
        stretches = (text[start : end + more] for more in range(limit + 1))
        if any(Levenshtein.distance(wanted, one, score_cutoff=limit) <= limit for one in stretches):
            return True
    return False


def _parts(quote: str) -> list[str]:
    return [part for piece in _GAP.split(quote) if (part := _plain(piece).strip(".,;: "))]


def _plain(text: str) -> str:
    return " ".join(text.translate(_MARKS).casefold().split())
