"""Find how two compared figures differ, except in time.

"1,200 tonnes in Chile, against 900 in Peru" compares two countries. "1,200 tonnes, against 900 a
year ago" compares two years only.
"""

import re

from .. import lexicon
from ..periods import find_periods, without_periods
from .facets import conflicting_facets, read_facets
from .labels import labels

_EARLIER = re.compile(r"(?:[a-z]+ )*?(?:from|had been)\b")
"""Before the level that another moved from: the same figure at another time."""

_SIGNS = re.compile(
    r"\b(?:benefit|charge|credit|deficit|expense|gain|income|inflow|loss|outflow|profit|provision"
    r"|surplus)(?:e?s)?\b(?!-)"
)
"""Nouns that turn into each other with time: a charge, compared with a benefit of $2 million."""

_NO_NAMES = re.compile(
    r"\b(?:ahead|comparison|instead|rather|relative|short"
    r"|beginning|close|days?|ends?|inception|outset|peak|start|time|weeks?"
    r"|(?:chief|large|main|part|primari|principal)ly)\b"
)
"""Words of the comparison itself, of time, and before a reason."""

_EXPECTED = re.compile(rf"\b(?:{lexicon.EXPECTATION})\b")
_WHOSE = re.compile(r"\s(?:across|among|at|by|for|in|within)\s((?:[\w&'’-]+\s?){1,6})")
"""After a figure, whose it is."""

_ADJECTIVE = re.compile(r"\s[a-z-]+")


def contrast(before: str, after: str, level: str) -> frozenset[str] | None:
    """Return the names by which a figure differs from the figure compared with it.

    They are right before it, as in "against write-offs of $5 million". After it they count only if
    they say whose it is, as in "against 900 in Peru".

    Args:
        before: Words between the two figures, in lower case.
        after: Words after it that are about it.
        level: Words about the figure that is compared with it.

    Returns:
        The names. They are empty if an adjective distinguishes the two, as in "compared with $2.04
        diluted", or if one was expected. None if only their time differs.
    """
    comparator = lexicon.COMPARATOR.search(before)
    if comparator is None or _EARLIER.match(comparator[0]):
        return None
    periods = find_periods(f"{comparator[0]} {after}")
    if any(mention.period.prior for mention in periods):
        return None
    if _EXPECTED.search(f"{comparator[0]} {after}"):
        return frozenset()
    whose = _WHOSE.search(after)
    names = _names(f"{comparator[0]} {whose[1] if whose else ''}") - labels(level)
    if names:
        return names
    adjective = _ADJECTIVE.match(after)
    words = f"{comparator[0]}  {adjective[0] if adjective else ''}"
    facets = conflicting_facets(read_facets("", words, ""), read_facets("", level, ""))
    return frozenset() if facets or lexicon.bases(words) - lexicon.bases(level) else None


def _names(text: str) -> frozenset[str]:
    """Return the names in words that distinguish figures, without words of time."""
    text = without_periods(text)
    for pattern in (_SIGNS, _NO_NAMES, *lexicon.DIRECTIONS.values()):
        text = pattern.sub(" ", text)
    return labels(text)
