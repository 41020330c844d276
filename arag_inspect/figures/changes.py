"""The changes that two levels amount to, and moves whose own figures deny their direction."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from .lexicon import RATES
from .quantity import Quantity

_EXACT = 9
"""Decimals of a computed change."""

_FROM = re.compile(r"[^;]*\b(?:from|than)\s[a-z ]*", re.IGNORECASE)
"""Between a level and what it is compared with: , up from."""

_OTHERWISE = re.compile(
    r"\b(?:against|compared|improv\w*|strengthen\w*|versus|vs|weaken\w*)\b", re.IGNORECASE
)
"""Words of a comparison whose direction is not that from the one figure to the other."""


def contrary_moves(text: str, figures: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield the figures whose direction their own comparison denies: $3.00, up from $3.07.

    Args:
        text: Text with the figures.
        figures: Figures of the text, in its order.
    """
    for position, base in enumerate(figures):
        before = _before(figures, position) if _is_base(base) else None
        if before is None:
            continue
        level = figures[before]
        if not _is_same_kind(level, base):
            continue
        changes_between = figures[position - 1 : before : -1]
        stated = next((f.direction for f in changes_between if f.direction), level.direction)
        moved = abs(level.amount) - abs(base.amount)
        is_contrary = (stated == "up" and moved < 0) or (stated == "down" and moved > 0)
        if (
            is_contrary
            and _FROM.fullmatch(text[level.span.end : base.span.start])
            and not _OTHERWISE.search(text[level.sentence.start : base.span.start])
        ):
            yield level


def _is_base(figure: Quantity) -> bool:
    """Return whether a figure is an earlier level, with which another may be compared."""
    return not figure.change and (figure.period.prior or figure.moved == "from")


def stated_changes(figures: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield the changes that a sentence's levels amount to: 50 % of "to $150 from $300"."""
    for change, level in pairwise(figures):
        yield from _earlier_level(change, level)
    for before, position in _comparisons(figures):
        if not figures[position].negative:
            yield from changes(figures[before], figures[position])


def with_other_ends(figures: Sequence[Quantity]) -> list[Quantity]:
    """Return figures, the two levels of each comparison with the amount of the other."""
    paired = list(figures)
    for level, base in _comparisons(figures):
        paired[level] = replace(paired[level], other_end=figures[base].amount)
        paired[base] = replace(paired[base], other_end=figures[level].amount)
    return paired


def with_directions(figures: Sequence[Quantity]) -> list[Quantity]:
    """Return figures, each level that its sentence compares with an earlier one with its direction."""
    directed = with_other_ends(figures)
    for position, earlier in _comparisons(figures):
        level = directed[position]
        base = figures[earlier]
        moved = abs(level.amount) - abs(base.amount)
        if level.direction is None and moved and base.status != "estimate":
            directed[position] = replace(level, direction="up" if moved > 0 else "down")
    return directed


def _comparisons(figures: Sequence[Quantity]) -> Iterator[tuple[int, int]]:
    """Yield the positions of each level and of the earlier one that its sentence compares it with."""
    for position, base in enumerate(figures):
        if not _is_base(base):
            continue
        following = figures[position + 1 : position + 2]
        moves_to_next = base.moved and following and following[0].moved == "to"
        level = position + 1 if moves_to_next else _before(figures, position)
        if level is not None and _is_same_kind(figures[level], base):
            yield level, position


def _earlier_level(change: Quantity, level: Quantity) -> Iterator[Quantity]:
    """Yield $406 million of "up $6 million to $412 million"."""
    if not _leads_to(change, level):
        return
    is_fine = change.unit == "basis_points"
    step = change.amount if is_fine else change.value
    size = step if change.direction == "up" else -step
    decimals = max(change.decimals + 2 * is_fine, level.decimals)
    value = round(level.value - size, decimals)
    if value > 0:
        yield replace(
            level,
            value=value,
            decimals=decimals,
            period=replace(level.period, prior=True, year=None),
            direction=None,
            derived=True,
        )


def _leads_to(change: Quantity, level: Quantity) -> bool:
    """Return whether a change led to the level after it, and both are of one unit."""
    in_points = level.unit == "percent" and change.unit in ("points", "basis_points")
    is_same_unit = (change.unit, change.scale) == (level.unit, level.scale)
    is_directed_change = change.change and change.direction in ("up", "down")
    is_current_level = not level.change and not level.period.prior and level.moved != "from"
    return (
        is_directed_change
        and is_current_level
        and change.sentence == level.sentence
        and (in_points or is_same_unit)
        and change.value_high is None
        and level.value_high is None
        and _TO.fullmatch(level.before) is not None
    )


_TO = re.compile(r",?\s(?:to|reaching)\s(?:about\s|approximately\s)?\S?")
"""Between a change and the level to which it led."""


def changes(level: Quantity, base: Quantity) -> Iterator[Quantity]:
    """Yield how far a level is from an earlier one, in percent, and in points or in its unit."""
    difference = level.amount - base.amount
    if not (base.amount and difference):
        return
    change = replace(
        level,
        value=0.0,
        decimals=_EXACT,
        unit="percent",
        scale="one",
        currency=None,
        hedged=False,
        bound=None,
        change=True,
        level=None,
        moved=None,
        direction="up" if difference > 0 else "down",
        derived=True,
    )
    yield replace(change, value=abs(100 * difference / base.amount))
    if level.unit in RATES:
        yield replace(change, unit="points", value=abs(difference))
    elif level.scale == base.scale:
        decimals = max(level.decimals, base.decimals)
        size = round(abs(level.value - base.value), decimals)
        yield replace(
            change,
            unit=level.unit,
            scale=level.scale,
            currency=level.currency,
            value=size,
            decimals=decimals,
        )


def _before(figures: Sequence[Quantity], position: int) -> int | None:
    """Return the position of the level that a base after it in its sentence is compared with."""
    for index in range(position - 1, -1, -1):
        figure = figures[index]
        if figure.sentence != figures[position].sentence:
            return None
        if not figure.change and figure.unit == figures[position].unit:
            return None if figure.period.prior else index
    return None


def _is_same_kind(level: Quantity, base: Quantity) -> bool:
    """Return whether two levels can be compared: one metric, sign and unit, and no range."""
    return (
        level.unit == base.unit
        and (level.scale == "one") == (base.scale == "one")
        and (level.metric == base.metric or None in (level.metric, base.metric))
        and level.negative == base.negative
        and level.value_high is None
        and base.value_high is None
    )
