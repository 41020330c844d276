"""Read the figures of a text: each number with what its sentence says of it."""

import re
from collections.abc import Iterable

from .._util.errors import TextTooLongError
from .attribution import read_figure
from .mentions import Sentence, sentence_spans
from .notation import in_one_notation
from .quantity import Quantity
from .ranges import QuantityToken

_HAS_NUMBER = re.compile(
    r"\d|\b(?:percent|points?|million|billion|hundred|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)|doubl|tripl|trebl|quadrupl|quintupl|halv(?:e|i)|half\b"
)
_NUMBER = re.compile(r"\d[\d.,]*")
_COUNTS = re.compile(r"\s(?:new |more |of |other )?[a-z]+s\b")


def extract_quantities(text: str) -> list[Quantity]:
    """Read every figure of a text.

    Dates and years are included (units `date` and `year`), so that the caller
    can tell them from amounts.

    Args:
        text: Plain text in upper or lower case.

    Returns:
        Figures in the order of the text; spans refer to the text. A sentence of more than
        2,000 characters or 100 numbers counts as several.
    """
    lower = in_one_notation(text)
    spans = list(sentence_spans(text))
    return [
        figure
        for span in spans
        if _HAS_NUMBER.search(lower, *span)
        for figure in _figures(Sentence(text, lower, span, alone=len(spans) == 1))
    ]


def extract_amounts(text: str) -> list[Quantity]:
    """Read the figures of a text without dates and years."""
    return [figure for figure in extract_quantities(text) if figure.unit not in ("year", "date")]


def check_numbers(texts: Iterable[str], most: int) -> None:
    """Raise if texts have too many numbers; ten thousand take about a second.

    Raises:
        TextTooLongError: The texts hold more than `most` numbers.
    """
    numbers = sum(1 for text in texts for _ in _NUMBER.finditer(text))
    if numbers > most:
        raise TextTooLongError(f"{numbers:,} numbers are to be read; at most {most:,} are.")


def _figures(sentence: Sentence) -> list[Quantity]:
    return [
        read_figure(sentence, quantity)
        for quantity in sentence.quantities
        if not _names_product(sentence, quantity)
    ]


def _names_product(sentence: Sentence, quantity: QuantityToken) -> bool:
    """Return whether a bare number is part of a name, as in iPhone 14."""
    bare = quantity.unit in (None, "count") and not (quantity.scale or quantity.decimals)
    if not bare or quantity.spelled or quantity.value_high is not None or quantity.value >= 100:
        return False
    start = sentence.original.rfind(" ", 0, max(0, quantity.start - 1)) + 1
    word = sentence.original[start : quantity.start]
    named = start > 0 and word.endswith(" ") and word.strip().isalpha() and not word.islower()
    is_metric = any(mention[1] == quantity.start - 1 for mention in sentence.metrics)
    return named and not is_metric and _COUNTS.match(sentence.text, quantity.end) is None
