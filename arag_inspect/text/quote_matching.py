"""Whether what a judge quotes stands where it says."""

import re
from collections.abc import Iterable, Sequence

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from .._util.json_reply import prose

_QUOTED = re.compile(r'["“](?P<text>[^"“”\n]{2,600})["”]')
_GAP = re.compile(r"\s*(?:\.\.\.|…|\[[^\]]*\])\s*")
_MARKS = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‹": "<"})
SHORTEST = 3
"""Fewest words of a quotation that says something: two may stand anywhere."""


def quotations(reply: str) -> list[str]:
    """What a reply puts between double quotation marks, three words or more, in order and without repetition.

    Of a JSON object, its texts are read.
    """
    found = (match["text"].strip() for match in _QUOTED.finditer(prose(reply)))
    return list(dict.fromkeys(text for text in found if count_words(text) >= SHORTEST))


def count_words(quote: str) -> int:
    """Words of a quotation, without what is left out or put in brackets."""
    return sum(len(part.split()) for part in _parts(quote))


def stand(quotes: Iterable[str], texts: Sequence[str]) -> list[bool]:
    """Tell of each quotation whether it stands in one of the texts.

    White space, case, kinds of quotation marks and of dashes do not matter,
    nor does what ends the quotation. Words left out (`...`) separate parts,
    each of which has to stand in the same text. What has no words then stands
    nowhere.
    """
    places = [_plain(text) for text in texts]
    return [
        any(all(part in place for part in parts) for place in places) if parts else False
        for parts in map(_parts, quotes)
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
    parts = (_plain(piece).strip(".,;: ") for piece in _GAP.split(quote))
    return [part for part in parts if re.search(r"\w", part)]


def _plain(text: str) -> str:
    return " ".join(text.translate(_MARKS).casefold().split())
