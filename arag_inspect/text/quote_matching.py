"""Find quotations in a judge's reply and in the texts they quote."""

import re
from collections.abc import Iterable, Sequence

from rapidfuzz.distance import Levenshtein

from .._util.json_text import prose
from .folding import fold
from .locate import locate

_QUOTED = re.compile(r'["“](?P<text>[^"“”\n]{2,600})["”]')
_GAP = re.compile(r"\.\.\.|…|\[[^\[\]]*\]")
SHORTEST = 3
"""Fewest words of a quotation; two words occur by chance."""


def quotations(reply: str) -> list[str]:
    """Return the distinct double-quoted passages of three words or more, in order.

    In a JSON object, its strings are searched.
    """
    passages = (match["text"].strip() for match in _QUOTED.finditer(prose(reply)))
    return list(dict.fromkeys(text for text in passages if count_words(text) >= SHORTEST))


def count_words(quote: str) -> int:
    """Count the words of a quotation, without omissions and brackets."""
    return sum(len(part.split()) for part in _parts(quote))


def occurrences(quotes: Iterable[str], texts: Sequence[str]) -> list[bool]:
    """Return for each quotation whether it occurs in one of the texts.

    Ignores white space, case, the kinds of quotation marks and dashes, and final
    punctuation. Omissions (`...`) separate parts, each of which must occur in the
    same text. A quotation without words never occurs.
    """
    plain_texts = [_plain(text) for text in texts]
    return [
        any(all(part in text for part in parts) for text in plain_texts) if parts else False
        for parts in map(_parts, quotes)
    ]


def near(quote: str, texts: Iterable[str], tolerance: float) -> bool:
    """Return whether a quotation occurs in a text but for a share of its characters.

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
        # the passage is at most as long as the quotation; the nearest one may be longer
        parts = (text[passage.start : passage.end + more] for more in range(limit + 1))
        if any(Levenshtein.distance(quote, part, score_cutoff=limit) <= limit for part in parts):
            return True
    return False


def _parts(quote: str) -> list[str]:
    parts = (_plain(piece).strip(".,;: ") for piece in _GAP.split(quote))
    return [part for part in parts if re.search(r"\w", part)]


def _plain(text: str) -> str:
    return fold(text).strip()
