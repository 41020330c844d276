"""Whether one text supports another: shared words and figures."""

import re
from functools import lru_cache
from typing import NamedTuple

from ....quantities import verify_claims
from ....text.sentences import sentences

_WORD = re.compile(r"[a-z]{3,}|\d[\d.,]*\d|\d")
_STOP = frozenset(
    re.findall(
        r"\w+",
        "the and for with that this from are was were has have had our their its but not all will "
        "also which into than then they we you about over more",
    )
)
SUPPORTED = 0.6
"""Share of a sentence's words that one sentence of the other text must contain."""


class Support(NamedTuple):
    """How well one text supports another."""

    words: float
    """Share of sentences whose words occur in one sentence of the other text."""

    figures: float
    """Share of figures that the other text supports."""


def support(text: str, other: str) -> Support:
    """Measure how well `other` supports `text`."""
    word_sets = [words for sentence in sentences(text) if (words := word_set(sentence))]
    covered = [
        any(len(words & others) / len(words) >= SUPPORTED for others in _word_sets(other))
        for words in word_sets
    ]
    claims = verify_claims(text, [other])
    supported = [claim.verdict in ("supported", "unsettled") for claim in claims]
    return Support(
        words=sum(covered) / len(covered) if covered else 0.0,
        figures=sum(supported) / len(supported) if supported else 1.0,
    )


@lru_cache(maxsize=64)
def _word_sets(text: str) -> tuple[set[str], ...]:
    """Return the words of each sentence, cached for all comparisons with the text."""
    return tuple(word_set(sentence) for sentence in sentences(text))


def word_set(sentence: str) -> set[str]:
    """Return the words and numbers that carry the content of a sentence."""
    return set(_WORD.findall(sentence.lower())) - _STOP
