"""Figures that a text says rose although it compares them with a higher one."""

import re
from collections.abc import Iterator, Sequence

from ..types.fact import Direction
from .quantity import Quantity

_FROM = re.compile(r"[^;]*\b(?:from|than)\s[a-z ]*$", re.IGNORECASE)
_OTHERWISE = re.compile(
    r"\b(?:against|compared|improv\w*|strengthen\w*|versus|vs|weaken\w*)\b", re.I
)
"""Words of a comparison whose direction is not that from the one figure to the other."""


def contrary_moves(text: str, figures: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield the figures whose stated direction their own comparison denies: $3.00, up from $3.07.

    Args:
        text: Text with the figures.
        figures: Figures of the text, in its order.
    """
    for position, base in enumerate(figures):
        if not base.period.prior or base.change:
            continue
        level, direction = _before(figures, position)
        if level is None or not _is_same_kind(level, base):
            continue
        moved = {"up": level.amount < base.amount, "down": level.amount > base.amount}
        if (
            direction is not None
            and moved.get(direction)
            and _FROM.fullmatch(text[level.span.end : base.span.start])
            and not _OTHERWISE.search(text[level.sentence.start : base.span.start])
        ):
            yield level


def _before(figures: Sequence[Quantity], position: int) -> tuple[Quantity | None, Direction | None]:
    """Return the level that is compared with a base, and which way it is said to have moved."""
    change: Direction | None = None
    for index in range(position - 1, -1, -1):
        figure = figures[index]
        if figure.sentence != figures[position].sentence or figure.period.prior:
            break
        if not figure.change:
            return figure, change or figure.direction
        change = change or figure.direction
    return None, None


def _is_same_kind(level: Quantity, base: Quantity) -> bool:
    """Return whether two levels can be compared: one metric and unit, no loss and no range."""
    return (
        level.unit == base.unit
        and (level.scale == "one") == (base.scale == "one")
        and (level.metric == base.metric or None in (level.metric, base.metric))
        and not (level.negative or base.negative)
        and level.value_high is None
        and base.value_high is None
    )
