"""What the heading and the sentences before a sentence say its figures are of."""

import re
from bisect import bisect_right
from typing import NamedTuple

from ...text.content_words import content_words
from ...text.sentences import Span
from .. import lexicon

_MOST_HEADING_WORDS = 8
_MOST_NAMES = 3
"""Maximum number of words that a name has."""

_REACH = 400
"""Number of characters before a sentence that are searched for its antecedent."""

_MOST_BACK = 3
"""Maximum number of sentences between a pronoun and the name to which it refers."""

_HEADING = re.compile(
    r"^[ \t]*(?P<marks>#{1,6}[ \t]+|\*\*)?(?P<text>[A-Z][^\n|.;!?]{1,80}?)[ \t*:]*$", re.MULTILINE
)
"""A line without the end of a sentence; it may belong to a wrapped one, see `_is_heading`."""

_NAME = r"(?P<names>[A-Z][\w&’'-]*(?:\s(?:&\s)?[A-Z][\w&’'-]*){0,2})"
_OPENING = re.compile(
    r"\W*(?:(?:And|But|In|At|For|Our|The|Within|Meanwhile|and|but|in|at|for|our|the),?\s)*"
    rf"{_NAME}"
)
"""The name with which a sentence opens; any first word may be one."""

_TOPIC = re.compile(
    r"\W*(?:[A-Za-z][A-Za-z’']*,?\s){0,5}?"
    r"(?:[Aa]t|[Ff]or|[Ii]n|[Oo]n|[Tt]o|[Ww]ith|[Nn]ext,|[Ff]inally,?)\s(?:our\s|the\s)?"
    rf"{_NAME}(?:\s(?:business|division|region|segment|unit))?\s?(?:[,.:–—]|$)"
)
"""A phrase that names what follows: turning to Dairy, as for Dairy, let me start with Dairy."""

_PRONOUN = re.compile(
    r"\b(?:its|it|their|they|there|whose"
    r"|(?:the|that|this)\s(?:business|division|region|segment|unit))\b"
)
"""A word that refers to something named earlier."""

_OPENS_WITH_PRONOUN = re.compile(rf"\W*(?:(?:and|but)\s)?{_PRONOUN.pattern}")
_SENTENCE_END = re.compile(r"[.!?]\s+(?=[A-Z])")
_WORD = re.compile(r"[\w&’'-]+")
_POSSESSIVE = re.compile(r"['’]s?\b")

UNNAMING_CAPITALS = re.compile(
    r"(?:"
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|(?:mon|tues|wednes|thurs|fri)day|gaap|eps|ebitda?|covid|ceo|cfo|fx|ytd|fiscal|year"
    r"|quarter|compan(?:y|ies)|corporation)\b"
    r"|\w*\d).*"
)
"""Words with a capital letter that do not name a part of a company."""

UNNAMING_WORDS = re.compile(lexicon.words("no name"))
"""Words beside a figure that do not name its subject: verbs, praise, periods, bases."""


class Antecedent(NamedTuple):
    """Names and words from outside a sentence that its figures may be of."""

    heading: frozenset[str] = frozenset()
    """Names in the heading above."""

    before: frozenset[str] = frozenset()
    """The name at the start of the nearest earlier sentence that does not start with a pronoun."""

    words: frozenset[str] = frozenset()
    """All words of that heading and sentence."""


NO_ANTECEDENT = Antecedent()


class Antecedents:
    """The antecedents of the sentences of a text.

    Args:
        text: Plain text or Markdown.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._headings = [
            (match.end(), match["text"])
            for match in _HEADING.finditer(text)
            if _is_heading(text, match)
        ]
        self._ends = [end for end, _ in self._headings]

    def of(self, sentence: Span) -> Antecedent:
        """Return the antecedent of a sentence."""
        index = bisect_right(self._ends, sentence.start)
        end, heading = self._headings[index - 1] if index else (0, "")
        reach = max(sentence.start - _REACH, 0)
        paragraph_start = self._text.rfind("\n\n", reach, sentence.start) + 1
        start = max(paragraph_start, reach, end)
        antecedent = _text_from_subject(self._text[start : sentence.start])
        words = _words(f"{heading} {antecedent}")
        return Antecedent(names_in(heading), opening_name(antecedent), words)


def _is_heading(text: str, match: re.Match[str]) -> bool:
    """Return whether a line stands alone, or is marked as a heading, and is short."""
    if len(match["text"].split()) > _MOST_HEADING_WORDS:
        return False
    if match["marks"]:
        return True
    is_below_gap = match.start() == 0 or text.endswith("\n\n", 0, match.start())
    return is_below_gap and text.startswith("\n\n", match.end())


def _text_from_subject(text: str) -> str:
    """Return the last sentence that does not start with a pronoun, and those after it."""
    sentences = _SENTENCE_END.split(text.strip())[-_MOST_BACK:]
    for index in reversed(range(len(sentences))):
        if not _OPENS_WITH_PRONOUN.match(sentences[index].lower()):
            return " ".join(sentences[index:])
    return ""


def opening_name(text: str) -> frozenset[str]:
    """Return the words of the name with which a text opens, in lower case; empty without one."""
    match = _TOPIC.match(text) or _OPENING.match(text)
    return names_in(match["names"]) if match else frozenset()


def topic_name(sentence: str) -> frozenset[str]:
    """Return the name in the phrase with which a sentence states its topic; empty without one."""
    match = _TOPIC.match(sentence)
    return names_in(match["names"]) if match else frozenset()


def name_before_pronoun(sentence: str, about: str) -> frozenset[str] | None:
    """Return the name in a sentence for which a pronoun about a figure stands.

    Args:
        sentence: The sentence.
        about: The words about the figure, in lower case.

    Returns:
        The name with which the sentence opens; empty if it opens with the pronoun; None if no
        pronoun is about the figure.
    """
    if not _PRONOUN.search(about):
        return None
    if _OPENS_WITH_PRONOUN.match(sentence.lower()):
        return frozenset()
    return opening_name(sentence)


def names_in(text: str) -> frozenset[str]:
    """Return the words of a short text that may name what figures are of; empty if it has many."""
    plain = lexicon.METRIC.sub(" ", _POSSESSIVE.sub("", text.lower()))
    names = frozenset(
        word
        for word in _WORD.findall(plain)
        if content_words(word)
        and not UNNAMING_WORDS.fullmatch(word)
        and not UNNAMING_CAPITALS.fullmatch(word)
    )
    return names if len(names) <= _MOST_NAMES else frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(_POSSESSIVE.sub("", text.lower())))
