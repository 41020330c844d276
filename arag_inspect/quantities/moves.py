"""The changes that two figures of a text amount to."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from .lexicon import RATES
from .quantity import Quantity

_EXACT = 9
"""Decimals of a computed change."""


def stated_changes(figures: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield the changes that a sentence's levels amount to: 50 % of "to $150 from $300"."""
    for position, base in enumerate(figures):
        if base.change or not (base.period.prior or base.moved == "from"):
            continue
        after = figures[position + 1 : position + 2]
        moved = base.moved and after and after[0].moved == "to"
        level = after[0] if moved else _before(figures, position)
        if level is not None and _is_same_kind(level, base):
            yield from changes(level, base)


def changes(level: Quantity, base: Quantity) -> Iterator[Quantity]:
    """Yield how far a level is from an earlier one, in percent, and for rates in points."""
    difference = level.amount - base.amount
    if not (base.amount and difference):
        return
    change = replace(
        level, value=0.0, decimals=_EXACT, unit="percent", scale="one", currency=None, hedged=False, bound=None,
        change=True, level=None, moved=None, direction="up" if difference > 0 else "down", derived=True,
    )  # fmt: skip
    yield replace(change, value=abs(100 * difference / base.amount))
    if level.unit in RATES:
        yield replace(change, unit="points", value=abs(difference))


def _before(figures: Sequence[Quantity], position: int) -> Quantity | None:
    """Return the level of its sentence that is compared with a base after it."""
    for index in range(position - 1, -1, -1):
        figure = figures[index]
        if figure.sentence != figures[position].sentence or figure.period.prior:
            return None
        if not figure.change:
            return figure
    return None


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
