"""Figures that a statement may compute with, and their names."""

import re
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from ...text.content_words import content_stems, stems
from ..lexicon import MARGINS, bases, words
from ..periods import without_periods
from ..quantity import Quantity, Unit
from ..wording.labels import labels

_NEGATIVE = re.compile(
    r"\b(?:deficit|lost|outflows?|shortfall|(?<!credit )(?<!for )(?<!loan )loss(?:es)?)\b[^,;]*$"
)
"""Before an amount that is less than zero."""

_POSSESSIVE = re.compile(r"['’]s?(?!\w)")


@cache
def _general_names() -> frozenset[str]:
    """Return names that may be of any figure."""
    return content_stems(words("general").replace("|", " "))


@dataclass(frozen=True, eq=False)
class Operand:
    """A figure that may be computed with."""

    figure: Quantity
    source: str
    label: frozenset[str] | None = None
    """Names of the row and column of a cell."""

    @cached_property
    def names(self) -> frozenset[str]:
        """Names in the words about it; for a cell, of its row and column."""
        if self.label is not None:
            return self.label
        metric = self.figure.metric
        names = operand_names(self.figure.wording.about) | stems([metric] if metric else [])
        is_of_revenue = self.figure.unit == "percent" and not self.figure.change
        if not is_of_revenue or names.isdisjoint(stems(["revenue"])):
            return names
        margins = (margin for result, margin in MARGINS.items() if stems([result]) <= names)
        return names.union(margins)

    @cached_property
    def alone(self) -> frozenset[str]:
        """Names in the words about it alone."""
        return operand_names(self.figure.wording.alone) if self.label is None else self.label

    @cached_property
    def amount(self) -> float:
        """Its amount, less than zero if the words about it say so; of a range the middle."""
        figure = self.figure
        if figure.amount_high is not None:
            return (figure.amount + figure.amount_high) / 2
        is_fall = figure.change and figure.direction == "down"
        is_negative = is_fall or _NEGATIVE.search(figure.wording.before)
        return -abs(figure.amount) if is_negative else figure.amount

    @cached_property
    def kind(self) -> tuple[Unit, str, bool]:
        """Its unit, and whether it is a change; others of this kind can be compared with it."""
        return self.figure.unit, self.figure.dimension, self.figure.change

    @cached_property
    def times(self) -> frozenset[str]:
        """Its year and part of a year."""
        period = self.figure.period
        return frozenset(str(part) for part in (period.year, period.span) if part)


@lru_cache(maxsize=8192)
def operand_names(text: str) -> frozenset[str]:
    """Return the names and bases in a text, without periods and general words."""
    lower = _POSSESSIVE.sub("", text.lower()).replace("united states", "u.s.")
    return stems(labels(without_periods(lower)) | bases(lower)) - _general_names()
