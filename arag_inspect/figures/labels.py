"""The names in words about a figure, by which one differs from another."""

import re
from functools import lru_cache

from ..text.content_words import content_stems
from . import lexicon

_YEAR = re.compile(r"\bthe ((?:19|20)\d\d)(?= [a-z]+s\b)")
"""A year that is a name: the 2031 notes."""


@lru_cache(maxsize=8192)
def labels(text: str) -> frozenset[str]:
    """Return the names of metrics, the stems of other words and the years that are names."""
    stems = (stem for stem in content_stems(lexicon.METRIC.sub(" ", text)) if not stem[0].isdigit())
    return metrics(text).union(stems, _YEAR.findall(text))


@lru_cache(maxsize=8192)
def metrics(text: str) -> frozenset[str]:
    """Return the names of the metrics that a text in lower case mentions."""
    return frozenset(lexicon.metric_name(match) for match in lexicon.METRIC.finditer(text))
