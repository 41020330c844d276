"""The verbs in words about a figure."""

import re
from collections.abc import Iterable
from functools import lru_cache

from ...text.content_words import stems

AUXILIARY = (
    r"is|are|was|were|be|been|did|does|do|has|have|had|will|would|can|could|may|might|shall|should"
)
_PRESENT = {
    "began": "begin", "bought": "buy", "built": "build", "drawn": "draw", "drew": "draw",
    "fallen": "fall", "fell": "fall", "gave": "give", "given": "give", "grew": "grow",
    "grown": "grow", "held": "hold", "kept": "keep", "lost": "lose", "made": "make", "met": "meet",
    "paid": "pay", "repaid": "repay", "risen": "rise", "rose": "rise", "sold": "sell",
    "spent": "spend", "taken": "take", "took": "take", "won": "win", "written": "write",
    "wrote": "write",
}  # fmt: skip
"""Verbs whose past has another stem."""

IRREGULAR_PAST = "|".join(_PRESENT)

_VERB = re.compile(
    rf"\b(?:(?:{AUXILIARY}|to|they|we)\s(?:[a-z]+ly\s)?(?P<base>[a-z]+)"
    rf"|(?!(?:{AUXILIARY}|as|its|this)\b)(?P<inflected>[a-z]+(?:ed|s|ing)|{IRREGULAR_PAST}))\b"
)
"""A word that is a verb by the word before it, or may be one by its ending."""


@lru_cache(maxsize=8192)
def verbs(text: str) -> frozenset[str]:
    """Return the stems of the words of a text in lower case that may be verbs."""
    return stems_of(match["base"] or match["inflected"] for match in _VERB.finditer(text))


def stems_of(words: Iterable[str]) -> frozenset[str]:
    """Return the stems of verbs in the present: "sell" of "sold"."""
    return stems(_PRESENT.get(word, word) for word in words)


def without_verbs(text: str, omitted: frozenset[str]) -> str:
    """Return a text in lower case without the verbs of some stems."""

    def cut(match: re.Match[str]) -> str:
        return " " if stems_of([match["base"] or match["inflected"]]) <= omitted else match[0]

    return _VERB.sub(cut, text)
