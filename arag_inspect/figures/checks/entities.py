"""Find the segment, region, company or product of a figure by the names beside it."""

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from ...text.content_words import content_words
from .. import lexicon
from ..quantity import Quantity
from .stated_figures import PassageFigure

_CAPITAL = re.compile(r"(?<![\w’'-])[A-Z][\w&’'-]+")
_WORD = re.compile(r"[\w&’'-]+")
_OPENS = tuple('.:;!?•–—-|("“\n')
"""Signs after which a capital letter does not make a word a name."""

UNNAMING_CAPITALS = re.compile(
    r"(?:"
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|(?:mon|tues|wednes|thurs|fri)day|gaap|eps|ebitda?|covid|ceo|cfo|fx|ytd|fiscal|year"
    r"|quarter|compan(?:y|ies)|corporation)\b"
    r"|\w*\d).*"
)
"""Words with a capital letter that do not name a part of a company."""

_PART_OF_COMPANY = (
    "brands?|business(?:es)?|channels?|divisions?|markets?|operations|regions?|segments?|units?"
)
"""Nouns after the name of a part of a company."""

UNNAMING_WORDS = re.compile(lexicon.words("no name"))
"""Words beside a figure that do not name its subject: verbs, praise, periods, bases."""

_METRIC = "\x01"
"""Stands for the name of a metric."""

_NOUNS = r"(?<![a-z])(?P<names>(?:[a-z][a-z&-]+\s){1,2})"
_PLACES = (
    re.compile(rf"{_NOUNS}{_METRIC}"),
    re.compile(rf"{_NOUNS}(?:{_PART_OF_COMPANY})\b"),
    re.compile(
        rf"{_METRIC}\s(?:at|for|from|in)\s(?:(?:its|our|the)\s)?"
        r"(?P<names>(?:[a-z][a-z&-]+\s?){1,2})"),
    re.compile(
        r"(?:^|;|\.)\s*(?:-\s)?(?:(?:and|its|our|over|the|in|at|within)\s)*"
        r"(?P<names>[a-z][a-z&-]+(?:\s[a-z&-]+)?)"
        rf"(?::|,|\s(?:[a-z]+ed|grew|rose|fell|lost|had|it|saw|they|made|{_METRIC})\b)"),
)  # fmt: skip
"""Place of the name of a segment or region, with or without capital letters."""


class Entities:
    """The names beside the figures of a text.

    Args:
        figures: Figures with their sentences.
    """

    def __init__(self, figures: Sequence[PassageFigure]) -> None:
        sentences = {sentence for _, sentence in figures}
        self._capitals = frozenset().union(*map(_names_within, sentences))
        self._figures: dict[str, list[_NamedFigure]] = defaultdict(list)
        for figure, sentence in figures:
            for names in self.names(figure, sentence):
                for name in names:
                    self._figures[name].append(_NamedFigure(figure, sentence, names))

    def names(self, figure: Quantity, sentence: str) -> tuple[frozenset[str], frozenset[str]]:
        """Return the names in the words about a figure: by capital letters, and by their place."""
        about = figure.wording.about
        names = _capitals(sentence) & self._capitals
        if names and not names.isdisjoint(_WORD.findall(about)):
            names &= frozenset(_WORD.findall(lexicon.METRIC.sub(" ", about)))
        else:
            names = frozenset()
        return names, _names_in_place(about)

    def differ(self, claim: Quantity, sentence: str, match: PassageFigure) -> bool:
        """Return whether a claim mentions one entity and the figure with its value another.

        The claim's entity has to have a figure that the claim may be about: "sales in Europe rose
        5%" differs from "sales in Asia rose 5%" if the passages have another change for Europe.
        """
        source, other = match
        of_claim = self.names(claim, sentence)
        of_source = self.names(source, other)
        in_claim = _words_of(claim.wording.about if claim.wording.beside else sentence.lower())
        in_source = _words_of(source.wording.about)
        is_source_alone = not source.wording.beside
        for mine, theirs in zip(of_claim, of_source, strict=True):
            only_mine = mine - theirs - in_source
            if not (only_mine and theirs - in_claim):
                continue
            is_in_sentence = is_source_alone and not only_mine.isdisjoint(_words_of(other.lower()))
            for rival in self._figures.get(min(only_mine), ()):
                may_be_meant = mine <= rival.names and _is_alike(rival.figure, claim, source)
                if may_be_meant and (rival.sentence == other or not is_in_sentence):
                    return True
        return False


class _NamedFigure(NamedTuple):
    """A figure with its sentence and the names in the words about it."""

    figure: Quantity
    sentence: str
    names: frozenset[str]


def _is_alike(rival: Quantity, claim: Quantity, source: Quantity) -> bool:
    """Return whether another figure than the source may be what a claim is about."""
    if rival.amount == source.amount:
        return False
    if rival.dimension == source.dimension:
        return rival.metric == claim.metric or None in (rival.metric, claim.metric)
    return rival.metric is not None and rival.metric == claim.metric == source.metric


def _words_of(text: str) -> frozenset[str]:
    """Return the words of a text in lower case, without the ending of possessives."""
    return frozenset(_WORD.findall(text.replace("'s", "").replace("’s", "")))


@lru_cache(maxsize=8192)
def _names_in_place(about: str) -> frozenset[str]:
    """Return the words in places of names, except verbs, praise and periods."""
    text = lexicon.METRIC.sub(_METRIC, about.replace("'s", "").replace("’s", ""))
    nouns: list[str] = []
    for pattern in _PLACES:
        for match in pattern.finditer(text):
            nouns += _WORD.findall(match["names"])
    return frozenset(
        noun for noun in nouns if content_words(noun) and not UNNAMING_WORDS.fullmatch(noun)
    )


@lru_cache(maxsize=8192)
def _capitals(sentence: str) -> frozenset[str]:
    """Return the words with a capital letter, in lower case."""
    return frozenset(match[0].lower() for match in _CAPITAL.finditer(sentence))


def _names_within(sentence: str) -> frozenset[str]:
    """Return the words with a capital letter that do not open a sentence or an item."""
    names = set()
    for match in _CAPITAL.finditer(sentence):
        before = sentence[max(0, match.start() - 3) : match.start()].rstrip()
        word = match[0].lower()
        if before and not before.endswith(_OPENS) and not UNNAMING_CAPITALS.fullmatch(word):
            names.add(word)
    return frozenset(names)
