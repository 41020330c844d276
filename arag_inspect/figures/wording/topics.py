"""Find the subject of a plain sentence: goodwill, in "goodwill was $96 million"."""

import re

from .labels import labels

_TOPIC = re.compile(
    r"(?:^|[,;:]\s|\b(?:and|while|but|as)\s)"
    r"(?P<name>(?!(?:we|i|it|they|this|that|there)\b)[a-z][\w&'’/ -]{1,80}?)\s"
    r"(?:was|were|is|are|of|stood\sat|stands\sat|totall?ed|amounted\sto|came\s(?:in\s)?at|reached"
    r"|(?:rose|grew|climbed|fell|dropped|increased|decreased|declined)\s(?:\S{1,30}\s){0,3}to)\s"
    r"(?:about\s|approximately\s|around\s|roughly\s|nearly\s|over\s|only\s|just\s)?[^\w\s]?$"
)
"""A subject with its verb before a figure: provisions were, provisions of, provisions rose to."""

_GENERAL = (
    "the company group total amount figure number level value range result guidance year quarter"
)
"""Words that do not distinguish subjects."""


def topic(before: str) -> frozenset[str]:
    """Return the names in the subject of a figure, from the words before it; empty without one.

    They include its initials: net financial earnings are `nfe`.
    """
    match = _TOPIC.search(before)
    names = labels(match["name"]) - labels(_GENERAL) if match else frozenset()
    if not match or not names:
        return frozenset()
    initials = "".join(word[0] for word in match["name"].split())
    return names.union(initials[start:] for start in range(len(initials) - 1))
