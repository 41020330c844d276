"""Figures that a text says rose although it compares them with a higher one."""

from collections.abc import Iterator, Sequence

from ..types.fact import Direction
from .quantity import Quantity


def contrary_moves(figures: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield the figures whose stated direction their own comparison denies: $3.00, up from $3.07.

    Args:
        figures: Figures of a text, in its order.
    """
    for position, base in enumerate(figures):
        if not base.period.prior or base.change:
            continue
        level, direction = _before(figures, position)
        if level is None or not _is_same_kind(level, base):
            continue
        moved = {"up": level.amount < base.amount, "down": level.amount > base.amount}
        if direction is not None and moved.get(direction):
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
        change = figure.direction
    return None, None


def _is_same_kind(level: Quantity, base: Quantity) -> bool:
    """Return whether two levels can be compared: one metric and scale, no loss and no range."""
    return (
        (level.unit, level.scale) == (base.unit, base.scale)
        and (level.metric == base.metric or None in (level.metric, base.metric))
        and not (level.negative or base.negative)
        and level.value_high is None
        and base.value_high is None
    )
