"""Words that differ by a prefix that negates: suitable and unsuitable."""

import re
from collections.abc import Iterator

_ANY = ("un", "non", "non-")
"""Prefixes that negate any word."""

_ADJECTIVE = ("dis", "il", "im", "in", "ir", "sub", "sub-")
"""Prefixes that negate adjectives, and what is derived from these; elsewhere they mean other things."""

_ENDING = re.compile(
    r"(?:[ai]b(?:le|ly|ility)|[ae]n(?:t|tly|ce|cy)|iv(?:e|ely|ity)|al(?:ly)?|ous(?:ly)?|ate(?:ly)?|ect(?:ly)?|ete(?:ly)?|ise(?:ly)?|ure)$"
)
"""Ends of adjectives, and of adverbs and nouns derived from them."""

_LEAST = 4
"""Fewest letters of a word that a prefix negates."""


def negated_forms(word: str) -> Iterator[str]:
    """Yield what differs from a word in lower case by a prefix that negates, words or not."""
    for prefix in _ANY + _ADJECTIVE:
        rest = word.removeprefix(prefix)
        if rest != word and len(rest) >= _LEAST and _can_negate(prefix, rest):
            yield rest
    for prefix in _ANY:
        if len(word) >= _LEAST:
            yield prefix + word


def _can_negate(prefix: str, word: str) -> bool:
    return prefix in _ANY or _ENDING.search(word) is not None
