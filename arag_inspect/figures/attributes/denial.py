"""Find what the words about a number negate: the number itself, or a verb about it."""

import re
from functools import lru_cache

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
    rf"(?:{_NOT}|\bno longer\b)(?:\s(?:{AUXILIARY}|[a-z]+ly))*"
    r"\s(?!(?:only|just|more|less|fewer)\b)(?P<verb>[a-z]+)"
    r"(?:\s(?:or|nor)\s(?P<second>[a-z]+)|\sto\s(?P<aim>[a-z]+))?"
)
_NONE = re.compile(r"\b(?:no(?! (?:less|more|fewer|later|longer)\b)|none|nothing)\b")
_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|(?:has|have|had|will|would|can|could|may) (?:yet )?be(?:en)?)"
    r"\s(?:[a-z]+ly\s)?(?P<verb>[a-z]+)"
)
"""A verb of the passive, which a subject such as "none of" negates."""

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
        for match in _NEGATED_VERB.finditer(text):
            negated += filter(None, match.group("verb", "second", "aim"))
    passive = _PASSIVE.search(phrase)
    if passive and _NONE.search(lead):
        negated.append(passive["verb"])
    return stems_of(negated)


def _without_label_of_aside(before: str) -> str:
    """Return the words before a number; if it is in parentheses, only the words inside."""
    opening = before.rfind("(")
    label = before[opening + 1 :]
    return label if label.strip() and ")" not in label else before
