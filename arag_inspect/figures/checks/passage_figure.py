"""A figure of a passage with the sentence that states it."""

from typing import NamedTuple

from ..quantity import Quantity


class PassageFigure(NamedTuple):
    """A figure of a passage with its sentence."""

    figure: Quantity
    sentence: str
