"""Find what the words about a number negate: the number itself, or a verb about it."""

import re
from collections.abc import Iterator
from functools import lru_cache

from ...text.content_words import content_words
from .. import lexicon
from ..wording.verbs import AUXILIARY, stems_of
from .surroundings import Surroundings

_UNTRUE = re.compile(
    r"\b(?:not|isn't) (?:true|correct|right|accurate|the case) that\b"
    r"|\bit is (?:false|untrue|wrong|incorrect) that\b"
)
"""Words that deny the whole sentence after them."""

_LEVEL = "about|an?|approximately|around|below|just|less|nearly|no|over|roughly|the|under|zero"
"""Words with which a level begins, to which a figure declined."""

_NOT = (
    rf"(?:\b(?:{AUXILIARY}) (?:also |still |yet )?(?:not|never)|n't"
    r"|\b(?:cannot|neither|never|nor|not to|unable to|(?:fail|refus)[eds]* to"
    rf"|declined? to(?= (?!(?:{_LEVEL})\b)[a-z])|without(?= [a-z]+ing\b)))\b"
)
"""A negation of the verb that follows it."""

_NO_DENIAL = lexicon.words("no denial")
"""Words after a negated verb with which it no longer negates the figure."""

_DENIED = re.compile(
    rf"(?:{_NOT}|^\s*not\b)(?:\s+(?!(?:{_NO_DENIAL})\b)[a-z][a-z'-]*)?"
    rf"(?:\s+(?!(?:{_NO_DENIAL}|the|this|that|these|those|its|our|their)\b)[a-z][a-z'-]*){{0,7}}\s*$"
)
"""A negated verb before a figure: did not reach.

"Not only" and "not less than" negate nothing. Nor is a figure negated that exists: "did not pay the
fine of $5 million".
"""

_NEGATED_VERB = re.compile(
    rf"(?:{_NOT}|\bno longer\b)(?:\s(?:{AUXILIARY}|(?!only\b)[a-z]+ly))*"
    r"\s(?!(?:only|just|more|less|fewer)\b)(?P<verb>[a-z]+)"
    r"(?:\s(?:or|nor)\s(?P<second>[a-z]+)|\sto\s(?P<aim>[a-z]+))?"
)
_NONE = re.compile(r"\b(?:no(?! (?:doubt|less|matter|more|fewer|later|longer)\b)|none|nothing)\b")
_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|(?:has|have|had|will|would|can|could|may) (?:yet )?be(?:en)?)"
    r"\s(?:[a-z]+ly\s)?(?P<verb>[a-z]+)"
)
"""A verb of the passive, which a subject such as "none of" negates."""

_NOUN = 2
"""Maximum words after "no" up to the noun: no new debt."""

_OTHER_PHRASE = re.compile(
    r"[,;:]\s|\b(?:although|and|as|because|but|since|that|though|when|where|which|while|who)\b"
)
"""Where words that do not belong to the verb of a figure begin or end."""


def is_denied(around: Surroundings) -> bool:
    """Return whether the sentence negates a number."""
    return bool(_UNTRUE.search(around.lead) or _DENIED.search(around.before))


@lru_cache(maxsize=8192)
def negated_verbs(before: str, after: str) -> frozenset[str]:
    """Return the stems of the negated verbs before and after a number in its clause."""
    lead = _OTHER_PHRASE.split(_without_label_of_aside(before))[-1]
    phrase = _OTHER_PHRASE.split(after, 1)[0]
    negated: list[str] = []
    for text in (lead, phrase):
        negated += _after_negation(text)
    passive = _PASSIVE.search(phrase)
    if passive and _NONE.search(lead):
        negated.append(passive["verb"])
    return stems_of(negated)


@lru_cache(maxsize=8192)
def negated_words(sentence: str) -> frozenset[str]:
    """Return the stems of the verbs, and of the nouns after "no", that a sentence negates.

    Args:
        sentence: Sentence in lower case, with or without figures.
    """
    untrue = _UNTRUE.search(sentence)
    if untrue:
        return stems_of(content_words(sentence[untrue.end() :]))
    negated: list[str] = []
    for phrase in _OTHER_PHRASE.split(sentence):
        negated += _after_negation(phrase)
        none = _NONE.search(phrase)
        if none:
            passive = _PASSIVE.search(phrase, none.end())
            negated += [passive["verb"]] if passive else []
            negated += content_words(" ".join(phrase[none.end() :].split()[:_NOUN]))
    return stems_of(negated)


def _after_negation(text: str) -> Iterator[str]:
    """Yield the verbs that a text negates, e.g. with "not"."""
    for match in _NEGATED_VERB.finditer(text):
        yield from filter(None, match.group("verb", "second", "aim"))


def _without_label_of_aside(before: str) -> str:
    """Return the words before a number; if it is in parentheses, only the words inside."""
    opening = before.rfind("(")
    label = before[opening + 1 :]
    return label if label.strip() and ")" not in label else before
