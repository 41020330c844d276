"""Wholes and their parts among figures: of the 1,860 beds, 1,432 were occupied."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ..numbers.ranges import QuantityToken

_OF = (
    r"(?:out\s)?of\s(?:(?:about|all|an?|approximately|available|its|more|nearly|our|over|than|the|their"
    r"|these|those|total|up\sto)\s)*\S?"
)
_NEAR = 60
"""Characters before a figure that may say that it is a whole."""

_PART_FIRST = re.compile(rf"\s{_OF}")
_WHOLE_FIRST = re.compile(rf"(?:^|[,;:(—]\s?|\b(?:and|but|that|while)\s){_OF}$")
_NOUN = re.compile(r"\s?(?:(?!(?:is|are|was|were|has|have|had|will)\b)[\w'’-]+\s?){0,8}")
"""Noun of a whole, up to the verb or comma after it."""


class Whole(NamedTuple):
    """A whole and a part of it, by their positions among the figures of a sentence."""

    whole: int
    part: int
    noun: str
    """Words after the whole that say what it is."""


def find_wholes(text: str, amounts: Sequence[QuantityToken]) -> Iterator[Whole]:
    """Yield the figures that are wholes, with the figures beside them that are parts.

    Args:
        text: Sentence in lower case.
        amounts: Its figures from left to right.
    """
    for position, (left, right) in enumerate(pairwise(amounts)):
        between = text[left.end : right.start]
        if _PART_FIRST.fullmatch(between):
            yield Whole(position + 1, position, _noun(text, right))
        elif "," in between and _WHOLE_FIRST.search(text[max(0, left.start - _NEAR) : left.start]):
            yield Whole(position, position + 1, _noun(text, left))


def _noun(text: str, amount: QuantityToken) -> str:
    match = _NOUN.match(text, amount.end)
    return match[0] if match else ""
