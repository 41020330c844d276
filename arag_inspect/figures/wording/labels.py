"""Find the names in words about a figure, by which figures differ."""

import re
from functools import lru_cache

from ...text.content_words import content_stems
from .. import lexicon
from ..quantity import Quantity

_ABBREVIATION = re.compile(r"\b([a-z])\.([a-z])\.(?!\sdollar)")
"""A name of two letters with points: u.s., but not u.s. dollar."""

_YEAR = re.compile(
    r"\b(?:due (?:in )?|matur(?:e|es|ing) in |the (?=\d{4} [a-z]+s\b))((?:19|20)\d\d)\b"
)
"""A year that is a name: the 2031 notes, notes due 2031."""

_LETTERED = re.compile(
    rf"\b(?:{lexicon.NUMBERED}) "
    r"(?:\d{1,2}|[a-z](?! (?:day|month|quarter|share|week|year)\b))\b(?!-)"
)
"""A name by a letter or number: customer b, plant 2."""


@lru_cache(maxsize=8192)
def labels(text: str) -> frozenset[str]:
    """Return the names of metrics, the stems of other words and the years that are names."""
    words = _ABBREVIATION.sub(r"\1&\2 ", lexicon.METRIC.sub(" ", text))
    stems = (stem for stem in content_stems(words) if not stem[0].isdigit())
    return metrics(text).union(stems, identifiers(text))


def names_of(figure: Quantity) -> frozenset[str]:
    """Return the names in all words about a figure."""
    return labels(figure.wording.about)


def identifiers(text: str) -> frozenset[str]:
    """Return the letters, numbers and years by which names differ."""
    return frozenset(_YEAR.findall(text) + _LETTERED.findall(text))


@lru_cache(maxsize=8192)
def metrics(text: str) -> frozenset[str]:
    """Return the names of the metrics that a text in lower case mentions."""
    return frozenset(lexicon.metric_name(match) for match in lexicon.METRIC.finditer(text))
