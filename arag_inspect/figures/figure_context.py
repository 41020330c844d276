"""A figure of a passage with what stands around and above it."""

from dataclasses import dataclass

from .periods import ANY_PERIOD, Period
from .quantity import Quantity


@dataclass(frozen=True, slots=True)
class Context:
    """What the headings above a figure say of it."""

    period: Period = ANY_PERIOD
    segment: str | None = None
    """Name of the segment, in lower case."""


@dataclass(frozen=True, slots=True)
class PassageFigure:
    """A figure of a passage with its sentence."""

    figure: Quantity
    sentence: str
    lead: str
    """Text before the sentence, which may name what the figure is of."""

    context: Context
