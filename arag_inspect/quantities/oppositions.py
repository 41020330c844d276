"""Words of a summary whose opposite a source says of the same: margins fell for margins rose."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ..text.stems import content_stems
from .lexicon import BETTER_LOW, METRIC, metric_name
from .opposites import (
    BASES,
    FULL_YEAR,
    JUDGEMENTS,
    METRIC_LINES,
    PERIODS,
    QUARTER_EARLIER,
    QUARTERS,
    SIDES,
    YEAR_EARLIER,
)

_BETTER_LOW = content_stems(" ".join(metric.replace(" ", "-") for metric in BETTER_LOW))
"""Metrics that improve by falling, as one word each."""
_ORDINALS = {"first": "1", "second": "2", "third": "3", "fourth": "4", "final": "4"}
_NAMED = re.compile(
    r"\b(?P<ordinal>first|second|third|fourth|final)[\s-](?:fiscal )?quarter\b(?:'s)?"
    r"|\b(?P<half>first|second)[\s-](?:fiscal )?half\b(?:'s)?"
    r"|(?P<full>\bfull[\s-](?:fiscal[\s-])?year\b)"
    r"|(?P<year>\byear[\s-](?:over|on)[\s-](?:the[\s-](?:prior|previous|preceding)[\s-])?year\b"
    r"|\b(?:(?:prior|previous|last|preceding)[\s-]year|year[\s-](?:ago|earlier)|year prior)\b(?:'s| period| quarter)*)"
    r"|(?P<quarter>\bsequential(?:ly)?\b|\bquarter[\s-](?:over|on)[\s-]quarter\b"
    r"|\b(?:prior|previous|last|preceding)[\s-]quarter\b(?:'s)?)"
    r"|(?P<outlook>\b(?:guidance|outlook|forecasts?(?! (?:at|to)\b)|projections?)\b)"
    r"|(?P<preposition>\b(?:over|under)\b(?!\s(?:an? |the |its |our )?(?:\$|\d|average|expectations?|forecast|guidance|last|midpoint|outlook|prior|target)))"
    r"|(?P<cause>\bon account of\b)"
    r"|(?P<compensate>\b(?:made|makes?|making) up\b)"
    r"|(?P<least>\b(?:no|not) (?:fewer|less|lower) than\b)"
    r"|(?P<most>\b(?:no|not) (?:greater|higher|more) than\b)"
)
_NAMES = {
    "full": "fy",
    "year": "year-over-year",
    "quarter": "quarter-over-quarter",
    "outlook": "guidance-",  # with a hyphen, since "guidance" is a stop word
    "preposition": "of",  # under custody, over two years
    "cause": "due",
    "compensate": "offset",
    "least": "above",
    "most": "below",
}
"""One word for all names of the same."""

_TOKEN = re.compile(r"[qh][1-4]\b|[a-z][a-z'’&-]*|\$?\d[\d,.]*%?|[,.;:()]")
_BREAKS = frozenset(
    [
        ",",
        ".",
        ";",
        ":",
        "(",
        ")",
        "although",
        "amid",
        "amidst",
        "and",
        "as",
        "because",
        "but",
        "compared",
        "despite",
        "driven",
        "due",
        "offset",
        "thanks",
        "though",
        "versus",
        "whereas",
        "which",
        "while",
        "with",
    ]
)
"""Words and signs that end the clause around a word of a summary."""

_QUARTER = {"q1": 0, "q2": 1, "q3": 2, "q4": 3}
"""Quarters and their sides in their line of opposites."""

_COMPARE = frozenset(["against", "compared", "from", "over", "than", "versus", "vs"])
"""Words before a period that is the base of a comparison."""

_REPORT = re.compile(
    r"(?:achiev|deliver|earn|generat|post|produc|record|register|report)(?:ed|s|ing)?"
)
"""A verb of reporting."""

_BEFORE_QUARTER, _BEFORE_BASE = 4, 7
"""Words before a quarter among which a verb of reporting or a word of comparison counts."""

_PREPOSITIONS = _COMPARE | frozenset(["in", "of", "on", "since", "through", "to"])
_OUTLOOK = re.compile(
    r"anticipat|assum|estimate|expect|forecast|guidance|outlook|project|will\b", re.IGNORECASE
)

_SENTENCE_ENDS = frozenset(".;()")

_OPENING, _OPENING_WEIGHT = 12, 3
"""First sentences of a source, and how much more often than others they name its quarter."""

_CLEAR = 1.5
"""How much more often than the next the quarter of a source must be named to be known."""

_GENERAL = content_stems(
    "basis billion company double-digit expected expects fiscal full million percent period points primarily mainly "
    "management mid part projected quarter reported single-digit total year first second third fourth"
)
"""Stems that do not tell one subject from another."""

_NEAR, _WIDE = 6, 14
"""Words on either side of a word that may name its subject."""

_SAME = 0.5
"""Least weight of the words of a subject that a source must have around the opposite."""


class _Occurrence(NamedTuple):
    """A word with an opposite in the source, and the stems and figures around it."""

    side: int
    near: frozenset[str]
    wide: frozenset[str]


class _Subject(NamedTuple):
    """Content words and figures of the clause around a word."""

    stems: frozenset[str]
    figures: frozenset[str]


class Oppositions:
    """Words with an opposite in a source, by their line of opposites.

    Args:
        sentences: Sentences of the source.
        weight: Weight of some stems, rare ones counting more.
    """

    def __init__(self, sentences: Sequence[str], weight: Callable[[frozenset[str]], float]) -> None:
        self._weight = weight
        self._opposed: dict[tuple[int, int, _Subject], bool] = {}
        self._occurrences: dict[int, list[_Occurrence]] = defaultdict(list)
        self._quarter = _reported_quarter(sentences)
        for sentence in sentences:
            words = _tokens(sentence)
            for index, sides in _opposable(words):
                near = frozenset().union(*_around(words, index, _NEAR))
                occurrence = near, frozenset().union(*_around(words, index, _WIDE))
                for line, side in sides | self._base(words, index):
                    self._occurrences[line].append(_Occurrence(side, *occurrence))

    def count(self, sentence: str) -> int:
        """Count the words of a sentence whose opposite the source says of the same subject.

        A subject is the content words of the clause around the word. The source says the
        opposite where it has it near half of them, and its own side nowhere near more of them,
        nor alone beside the figures of the clause, which decide where it has both. Periods are also compared by the
        figures beside them, and results are of the quarter that the source reports on.
        """
        words = _tokens(sentence)
        return sum(
            any(
                self._opposes(line, side, subject)
                for line, side in self._base(words, index) or sides
            )
            or self._is_other_quarter(words, index, subject)
            for index, sides in _opposable(words)
            if (subject := _around(words, index, _NEAR, _BREAKS))
            and not (words[index] in JUDGEMENTS and subject.stems & _BETTER_LOW)
        )

    def _opposes(self, line: int, side: int, subject: _Subject) -> bool:
        key = line, side, subject
        if key not in self._opposed:
            self._opposed[key] = self._compare(*key)
        return self._opposed[key]

    def _compare(self, line: int, side: int, subject: _Subject) -> bool:
        if line == QUARTERS and side in (self._quarter, FULL_YEAR):  # often left unsaid
            return False
        whole = subject.stems | subject.figures
        stems = whole if line in PERIODS else subject.stems
        if len(stems) < (1 if line in METRIC_LINES else 2):
            return False
        same, opposite = self._said(line, side, stems)
        if opposite < _SAME * self._weight(stems):
            return False
        if line not in PERIODS and self._figures_agree(line, side, subject.figures):
            return False
        if opposite == same:
            same, opposite = self._said(line, side, whole)
        return opposite > same

    def _figures_agree(self, line: int, side: int, figures: frozenset[str]) -> bool:
        """Return whether the source says this side, and not its opposite, beside the figures."""
        sides = {
            occurrence.side == side
            for occurrence in self._occurrences.get(line, ())
            if figures & (occurrence.wide if occurrence.side == side else occurrence.near)
        }
        return sides == {True}

    def _said(self, line: int, side: int, stems: frozenset[str]) -> tuple[float, float]:
        """Return how much of a subject the source has around a side, and near its opposites."""
        same = opposite = 0.0
        for occurrence in self._occurrences.get(line, ()):
            if occurrence.side == side:
                same = max(same, self._weight(stems & occurrence.wide))
            else:
                opposite = max(opposite, self._weight(stems & occurrence.near))
        return same, opposite

    def _is_other_quarter(self, words: Sequence[str], index: int, subject: _Subject) -> bool:
        """Return whether results are said to be of another quarter than the source's."""
        quarter = _QUARTER.get(words[index])
        if quarter is None or self._quarter in (None, quarter):
            return False
        stems = subject.stems | subject.figures
        same, _ = self._said(QUARTERS, quarter, stems)
        return _is_result(words, index) and same <= _SAME * self._weight(stems)

    def _base(self, words: Sequence[str], index: int) -> set[tuple[int, int]]:
        """Return which base of comparison a quarter is: a year or a quarter earlier."""
        quarter = _QUARTER.get(words[index])
        if quarter is None or self._quarter is None or not _is_base(words, index):
            return set()
        sides = {0: YEAR_EARLIER, 1: QUARTER_EARLIER}
        distance = (self._quarter - quarter) % 4
        return {(BASES, sides[distance])} if distance in sides else set()


def _reported_quarter(sentences: Sequence[str]) -> int | None:
    """Return the quarter that a source reports on, where it names one clearly most often."""
    counts: Counter[int] = Counter()
    for position, sentence in enumerate(sentences):
        if _OUTLOOK.search(sentence):
            continue
        for word in _tokens(sentence):
            if word in _QUARTER:
                counts[_QUARTER[word]] += _OPENING_WEIGHT if position < _OPENING else 1
    (first, most), (_, second) = (*counts.most_common(2), (None, 0), (None, 0))[:2]
    return first if most >= _CLEAR * second else None


def _is_result(words: Sequence[str], index: int) -> bool:
    """Return whether a quarter follows a verb of reporting: posted record third-quarter sales."""
    for word in reversed(words[max(0, index - _BEFORE_QUARTER) : index]):
        if word in _PREPOSITIONS or not word[0].isalpha():
            return False
        if _REPORT.fullmatch(word):
            return True
    return False


def _is_base(words: Sequence[str], index: int) -> bool:
    """Return whether a quarter follows a word of comparison: up from $2 million in Q3."""
    for word in reversed(words[max(0, index - _BEFORE_BASE) : index]):
        if word in _QUARTER or word in _SENTENCE_ENDS:
            return False
        if word in _COMPARE:
            return True
    return False


def _tokens(sentence: str) -> list[str]:
    """Return words and marks in lower case, with one word for all names of the same."""
    return _TOKEN.findall(_NAMED.sub(_named, METRIC.sub(_metric, sentence.lower())))


def _metric(match: re.Match[str]) -> str:
    """Return one word for a metric, unless a word with an opposite is part of its name."""
    if any(word in SIDES for word in match[0].split()):
        return match[0]
    return metric_name(match).replace(" ", "-")


def _named(match: re.Match[str]) -> str:
    if match["ordinal"]:
        return f" q{_ORDINALS[match['ordinal']]} "
    if match["half"]:
        return f" h{_ORDINALS[match['half']]} "
    return f" {_NAMES[match.lastgroup or '']} "


def _opposable(words: Sequence[str]) -> Iterator[tuple[int, set[tuple[int, int]]]]:
    for index, word in enumerate(words):
        if word in SIDES:
            yield index, SIDES[word]


def _around(
    words: Sequence[str], index: int, most: int, breaks: frozenset[str] = frozenset()
) -> _Subject:
    """Return the stems and figures of the words on both sides of a word, up to a break."""
    stems: set[str] = set()
    figures: set[str] = set()
    for side in (words[index + 1 : index + 1 + most], words[max(0, index - most) : index][::-1]):
        for word in side:
            if word in breaks:
                break
            if word not in SIDES:
                (stems if word[0].isalpha() else figures).update(content_stems(word))
    return _Subject(frozenset(stems - _GENERAL), frozenset(figures))
