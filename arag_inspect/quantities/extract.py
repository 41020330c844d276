"""Reading the figures of a text: each number with what its sentence says of it."""

import re

from ..text.sentences import split_sentences
from .attribution import figure_of
from .mentions import Sentence
from .quantity import Quantity

_HAS_NUMBER = re.compile(
    r"\d|\b(?:percent|points?|million|billion|hundred|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b"
)


def extract_quantities(text: str) -> list[Quantity]:
    """Read every figure of a text.

    Dates and years are among them (units `date` and `year`), so that a reader
    knows that they are no amounts.

    Args:
        text: Plain text in any case.

    Returns:
        Figures in the order of the text; spans are those of the text.
    """
    lower = _lowered(text)
    spans = split_sentences(text)
    return [
        figure
        for span in spans
        if _HAS_NUMBER.search(lower, *span)
        for figure in _figures(Sentence(text, lower, span, alone=len(spans) == 1))
    ]


def _lowered(text: str) -> str:
    lower = text.lower()
    if len(lower) != len(text):  # a few letters grow when lowered, and spans must stay
        lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    return (
        lower.replace("\u2019", "'")
        .replace("\xa0", " ")
        .replace("\u200d", " ")
        .replace("\u200b", " ")
    )


def _figures(sentence: Sentence) -> list[Quantity]:
    return [figure_of(sentence, quantity) for quantity in sentence.quantities]
