"""Find the segment, region, company or product of a figure by the names beside it."""

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from ...text.content_words import content_words
from .. import lexicon
from ..quantity import Quantity
from .antecedents import (
    UNNAMING_CAPITALS,
    UNNAMING_WORDS,
    name_before_pronoun,
    topic_name,
)
from .stated_figures import PassageFigure

_CAPITAL = re.compile(r"(?<![\w’'-])[A-Z][\w&’'-]+")
_WORD = re.compile(r"[\w&’'-]+")
_OPENS = tuple('.:;!?•–—-|("“\n')
"""Signs after which a capital letter does not make a word a name."""

_PART_OF_COMPANY = (
    "brands?|business(?:es)?|channels?|divisions?|markets?|operations|regions?|segments?|units?"
)
"""Nouns after the name of a part of a company."""

WHOLE = re.compile(r"\b(?:company|consolidated|group|overall|total)\b")
"""Says that a figure is of the whole, whatever the text before is about."""

_METRIC = "\x01"
"""Stands for the name of a metric."""

_NOUNS = r"(?<![a-z])(?P<names>(?:[a-z][a-z&-]+\s){1,2})"
_PLACES = (
    re.compile(rf"{_NOUNS}{_METRIC}"),
    re.compile(rf"{_NOUNS}(?:{_PART_OF_COMPANY})\b"),
    re.compile(
        rf"{_METRIC}\s(?:at|for|from|in|of)\s(?:(?:its|our|the)\s)?(?:(?:{_PART_OF_COMPANY})\s)?"
        r"(?P<names>(?:[a-z][a-z&-]+\s?){1,2})"),
    re.compile(r"(?<![a-z])(?P<names>(?:[a-z][a-z&-]+\s)?[a-z][a-z&-]+),\swhose\s"),
    re.compile(
        r"(?:^|;|\.)\s*(?:-\s)?(?:(?:and|its|our|over|the|in|at|within)\s)*"
        r"(?P<names>[a-z][a-z&-]+(?:\s[a-z&-]+)?)"
        rf"(?::|,|\s[–—-]\s|\s(?:[a-z]+ed|grew|rose|fell|lost|had|it|saw|they|made|{_METRIC})\b)"),
)  # fmt: skip
"""Place of the name of a segment or region, with or without capital letters."""

_BESIDE_METRIC = _PLACES[:3]
"""Places where names of companies are rare."""


class _Names(NamedTuple):
    """Names of what a figure is of."""

    capitals: frozenset[str]
    """Names with capital letters."""

    in_place: frozenset[str]
    """Names in places of names, or before."""

    words: frozenset[str]
    """All words that say what it is of."""


class Entities:
    """The names beside the figures of a text.

    Args:
        figures: Figures with their sentences.
    """

    def __init__(self, figures: Sequence[PassageFigure]) -> None:
        sentences = {passage_figure.sentence for passage_figure in figures}
        self._capitals = frozenset().union(*map(_names_within, sentences))
        self._figures: dict[str, list[_NamedFigure]] = defaultdict(list)
        for passage_figure in figures:
            names_of_figure = self._read_names(passage_figure)
            for names in (names_of_figure.capitals, names_of_figure.in_place):
                for name in names:
                    rival = _NamedFigure(passage_figure.figure, passage_figure.sentence, names)
                    self._figures[name].append(rival)

    def names_of(self, passage_figure: PassageFigure, is_claim: bool = False) -> frozenset[str]:
        """Return the names of what a figure is of."""
        names = self._read_names(passage_figure, is_claim)
        return names.capitals | names.in_place

    def _read_names(self, passage_figure: PassageFigure, is_claim: bool = False) -> _Names:
        """Read the names of what a figure is of.

        Without a name in the words about it, they come from before: "Dairy grew. Its revenue rose
        5%." In a claim this needs a pronoun, because a summary goes from one subject to the next.
        """
        figure, sentence, antecedent = passage_figure
        about = figure.wording.about
        words = words_of(about)
        capitals = _capitals(sentence) & self._capitals
        if not capitals.isdisjoint(words):
            capitals &= words_of(lexicon.METRIC.sub(" ", about))
        else:
            capitals = frozenset()
        in_place = _names_in_place(about)
        if capitals or in_place or WHOLE.search(about):
            return _Names(capitals, in_place, words)
        before_pronoun = name_before_pronoun(sentence, about)
        name_in_sentence = before_pronoun or topic_name(sentence)
        if name_in_sentence:
            return _Names(capitals, name_in_sentence, words)
        has_pronoun = before_pronoun is not None
        inherited = antecedent.before if has_pronoun or not is_claim else frozenset()
        if not has_pronoun:
            inherited |= antecedent.heading
        return _Names(capitals, inherited, words | antecedent.words)

    def differ(self, claimed: PassageFigure, match: PassageFigure) -> bool:
        """Return whether a claim mentions one entity and the figure with its value another.

        The claim's entity has to have a figure that the claim may be about: "sales in Europe rose
        5%" differs from "sales in Asia rose 5%" if the passages have another change for Europe.
        """
        claim, sentence, _ = claimed
        source, other, _ = match
        of_claim = self._read_names(claimed, is_claim=True)
        of_source = self._read_names(match)
        in_claim = of_claim.words
        if not claim.wording.beside:
            in_claim |= words_of(sentence.lower())
        is_source_alone = not source.wording.beside
        for mine, theirs in (
            (of_claim.capitals, of_source.capitals),
            (of_claim.in_place, of_source.in_place),
        ):
            only_mine = mine - theirs - of_source.words
            if not (only_mine and theirs - in_claim):
                continue
            is_in_sentence = is_source_alone and not only_mine.isdisjoint(words_of(other.lower()))
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


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text in lower case, without the ending of possessives."""
    return frozenset(_WORD.findall(text.replace("'s", "").replace("’s", "")))


def names_beside_metric(about: str) -> frozenset[str]:
    """Return the words in places of names beside a metric, of the words about a figure."""
    return _names_in_place(about, _BESIDE_METRIC)


@lru_cache(maxsize=8192)
def _names_in_place(about: str, places: Sequence[re.Pattern[str]] = _PLACES) -> frozenset[str]:
    """Return the words in places of names, except verbs, praise and periods."""
    plain = " ".join(about.replace("'s", "").replace("’s", "").split())
    text = lexicon.METRIC.sub(_METRIC, plain)
    nouns: list[str] = []
    for pattern in places:
        for match in pattern.finditer(text):
            nouns += _WORD.findall(match["names"])
    return frozenset(
        noun for noun in nouns if content_words(noun) and not UNNAMING_WORDS.fullmatch(noun)
    )


@lru_cache(maxsize=8192)
def _capitals(sentence: str) -> frozenset[str]:
    """Return the words with a capital letter, in lower case."""
    plain = sentence.replace("'s", "").replace("’s", "")
    return frozenset(match[0].lower() for match in _CAPITAL.finditer(plain))


def _names_within(sentence: str) -> frozenset[str]:
    """Return the words with a capital letter that do not open a sentence or an item."""
    names = set()
    sentence = sentence.replace("'s", "").replace("’s", "")
    for match in _CAPITAL.finditer(sentence):
        before = sentence[max(0, match.start() - 3) : match.start()].rstrip()
        word = match[0].lower()
        if before and not before.endswith(_OPENS) and not UNNAMING_CAPITALS.fullmatch(word):
            names.add(word)
    return frozenset(names)
