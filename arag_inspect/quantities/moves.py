"""Compare the figures of one text: which way and how far one moved from another."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..types.fact import Direction
from .lexicon import RATES
from .quantity import Quantity

_EXACT = 9
"""Decimals of a computed change."""

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


def stated_changes(figures: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield the changes that a sentence's levels amount to: 50 % of "to $150 from $300"."""
    for position, base in enumerate(figures):
        if base.change or not (base.period.prior or base.moved == "from"):
            continue
        near = figures[position + 1 : position + 2] if base.moved else ()
        level = near[0] if near and near[0].moved == "to" else _before(figures, position)[0]
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
