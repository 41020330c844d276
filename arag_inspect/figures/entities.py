"""Which segment, region, company or product a figure is of: the names in the words about it."""

import re
from collections.abc import Sequence
from functools import lru_cache

from . import lexicon as words
from .quantity import Quantity

_CAPITAL = re.compile(r"(?<![\w’'-])[A-Z][\w&’'-]+")
_WORD = re.compile(r"[\w&’'-]+")
_OPENS = tuple('.:;!?•–—-|("“\n')
"""Signs after which a capital letter does not make a word a name."""

_NO_NAMES = re.compile(
    r"(?:(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|(?:mon|tues|wednes|thurs|fri)day|gaap|eps|ebitda?|covid|ceo|cfo|fx|ytd|fiscal|year|quarter)\b|\w*\d).*"
)


class Entities:
    """The names beside the figures of a text.

    Args:
        figures: Figures with their sentences.
    """

    def __init__(self, figures: Sequence[tuple[Quantity, str]]) -> None:
        sentences = {sentence for _, sentence in figures}
        self._names = frozenset().union(*map(_names_within, sentences))
        self._of_figures = {self.of(figure, sentence) for figure, sentence in figures}

    def of(self, figure: Quantity, sentence: str) -> frozenset[str]:
        """Return the names in the words about a figure, word by word in lower case."""
        names = _capitals(sentence) & self._names
        about = f"{figure.alone} {figure.shared}"
        if names.isdisjoint(_WORD.findall(about)):
            return frozenset()
        return names & frozenset(_WORD.findall(words.METRIC.sub(" ", about)))

    def differ(self, claim: Quantity, sentence: str, source: Quantity, other: str) -> bool:
        """Return whether a claim names the entity of other figures, and its source another one."""
        of_claim, of_source = self.of(claim, sentence), self.of(source, other)
        if of_claim <= of_source or of_source <= of_claim:
            return False
        return any(of_claim <= names for names in self._of_figures)


@lru_cache(maxsize=8192)
def _capitals(sentence: str) -> frozenset[str]:
    return frozenset(match[0].lower() for match in _CAPITAL.finditer(sentence))


def _names_within(sentence: str) -> frozenset[str]:
    """Return the words with a capital letter that do not open a sentence or an item."""
    names = set()
    for match in _CAPITAL.finditer(sentence):
        before = sentence[max(0, match.start() - 3) : match.start()].rstrip()
        word = match[0].lower()
        if before and not before.endswith(_OPENS) and not _NO_NAMES.fullmatch(word):
            names.add(word)
    return frozenset(names)
