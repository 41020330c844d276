"""Stems of content words, for comparing differently worded texts."""

import re
from functools import lru_cache

from .content_words import content_words

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_ENDING = re.compile(
    r"(?:ences?|ances?|ments?|ations?|ions?|ity|ities|ingly|ings?|ional|al|ive|ably|able|ible"
    r"|ers?|ed|es|ly|s|e|y)$"
)
"""Endings; searching from the left finds the longest."""

_LEAST = 4
"""Fewest letters of a stem."""


@lru_cache(maxsize=8192)
def content_stems(text: str) -> frozenset[str]:
    """Return the stems of a text's content words, and its numbers without separators."""
    numbers = (number.replace(",", "") for number in _NUMBER.findall(text))
    return frozenset(map(stem, content_words(text.lower()))) | frozenset(numbers)


@lru_cache(maxsize=32768)
def stem(word: str) -> str:
    """Strip up to two endings of inflection and derivation: `defer` of `deference`."""
    for _ in range(2):
        if ending := _ENDING.search(word, _LEAST):
            word = word[: ending.start()]
        if len(word) > _LEAST and word[-1] == word[-2] and word[-1] not in "aeiousl":
            word = word[:-1]
    return word
