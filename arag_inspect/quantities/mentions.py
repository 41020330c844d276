"""What a sentence mentions, and where."""

import re
from functools import cached_property

from ..text.content_words import content_words
from ..text.sentences import Span
from ..types.fact import Direction
from . import lexicon as words
from .lexer import find_quantities
from .periods import PeriodMention, find_periods

Mention = tuple[int, int, str]
"""Start, end and name of a metric."""


class Sentence:
    """A sentence with everything that it mentions.

    Args:
        original: Text that holds the sentence.
        lower: The same text in lower case, letter by letter.
        span: Where the sentence stands in it.
        alone: Whether it is all of the text.
    """

    def __init__(self, original: str, lower: str, span: Span, alone: bool = False) -> None:
        self.span = span
        self.original = original[span.start : span.end]
        self.text = lower[span.start : span.end]
        self.quantities = find_quantities(self.text, alone)

    @cached_property
    def metrics(self) -> list[Mention]:
        """Metrics from left to right."""
        return [
            (*match.span(), words.metric_name(match)) for match in words.METRIC.finditer(self.text)
        ]

    @cached_property
    def periods(self) -> list[PeriodMention]:
        """Periods from left to right."""
        return find_periods(self.text)

    @cached_property
    def directions(self) -> list[tuple[int, Direction]]:
        """Words of change from left to right."""
        table: tuple[tuple[re.Pattern[str], Direction], ...] = (
            (words.UP, "up"),
            (words.DOWN, "down"),
            (words.FLAT, "flat"),
        )
        return sorted(
            (match.start(), direction)
            for pattern, direction in table
            for match in pattern.finditer(self.text)
        )

    @cached_property
    def content(self) -> frozenset[str]:
        """Content words."""
        return content_words(self.text)
