"""The changes that two levels amount to, and which two a sentence compares."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from ..lexicon import BETTER_LOW, RATES
from ..periods import ANY_PERIOD, Period
from ..quantity import Expectation, Quantity

_EXACT = 9
"""Decimals of a computed change."""

_BETWEEN_SENTENCES = 2
"""Most characters between two sentences of one paragraph."""

_MONEY = {"currency", "per_share"}
_NEXT_QUARTER = {"Q1": "Q2", "Q2": "Q3", "Q3": "Q4"}

_HAD_EXPECTED = re.compile(
    r"\bhad\s(?:been\s|previously\s)*"
    r"(?:anticipated|expected|forecast|guided|looking|planned|predicted|projected)\b[^,;]*$"
)
"""Before what was expected of a result that is known."""


def _is_base(figure: Quantity) -> bool:
    """Return whether a figure is an earlier level, with which another may be compared."""
    return not figure.change and (figure.period.prior or figure.moved == "from")


def with_other_ends(figures: Sequence[Quantity]) -> list[Quantity]:
    """Give the two levels of each comparison the amount of the other level."""
    results = list(figures)
    for level, base in _comparisons(figures):
        results[level] = _with_other_end(results[level], figures[base])
        results[base] = _with_other_end(results[base], figures[level])
    return results


def _with_other_end(figure: Quantity, other: Quantity) -> Quantity:
    return replace(figure, counterpart=replace(figure.counterpart, other_end=other.amount))


def with_directions(figures: Sequence[Quantity]) -> list[Quantity]:
    """Give each level the direction in which it moved: up in "$5 million, compared with $4"."""
    results = with_other_ends(figures)
    for position, earlier in _comparisons(figures):
        level = results[position]
        base = figures[earlier]
        moved = abs(level.amount) - abs(base.amount)
        if level.direction is None and moved and base.status != "estimate":
            results[position] = replace(level, direction="up" if moved > 0 else "down")
    return _with_expectations(results)


def _with_expectations(figures: Sequence[Quantity]) -> list[Quantity]:
    """Mark each figure that is better or worse than expected: "$5 million beat estimates of $4"."""
    results = list(figures)
    for position, expected in enumerate(figures):
        result = _result_beside(figures, position)
        if result is None:
            continue
        actual = figures[result]
        is_fall = actual.change and actual.direction == "down"
        ends = [expected.amount, expected.amount_high or expected.amount]
        low, high = sorted(-abs(end) if actual.negative else end for end in ends)
        if not low <= actual.amount <= high:
            is_beat = (actual.amount > high) != is_fall
            expectation: Expectation = "beat" if is_beat else "miss"
            counterpart = replace(actual.counterpart, expectation=expectation)
            results[result] = replace(actual, counterpart=counterpart)
        if actual.change:
            direction = expected.direction or actual.direction
            results[position] = replace(expected, change=True, direction=direction)
    return results


def _result_beside(figures: Sequence[Quantity], position: int) -> int | None:
    """Return the position of the result that an expected figure was a forecast of, if any."""
    expected = figures[position]
    was_expected = expected.status == "estimate" or _HAD_EXPECTED.search(expected.wording.before)
    if not was_expected:
        return None
    nearby = (position - 1, position - 2, position + 1)
    for index in (index for index in nearby if 0 <= index < len(figures)):
        actual = figures[index]
        distance = expected.sentence.start - actual.sentence.end
        is_near = actual.sentence == expected.sentence or 0 <= distance <= _BETWEEN_SENTENCES
        is_money = {actual.unit, expected.unit} <= _MONEY and actual.scale == expected.scale
        is_same_unit = actual.unit == expected.unit or is_money
        is_of_kind = is_same_unit and (
            actual.metric == expected.metric
            or index == position - 1
            or (actual.negative and expected.negative)
        )
        is_better_low = BETTER_LOW.search(actual.wording.about) and not actual.negative
        is_result = actual.status not in ("estimate", "guidance") and not is_better_low
        if is_near and is_of_kind and is_result and not actual.period.conflict(expected.period):
            return index
    return None


def with_compared_lengths(figures: Sequence[Quantity]) -> list[Quantity]:
    """Give figures without a period the length of the period that their sentence compares with.

    What is compared with the fourth quarter of last year is a quarter too.
    """
    result: list[Quantity] = []
    for _, sentence_figures in groupby(figures, key=lambda figure: figure.sentence):
        result += _with_compared_length(list(sentence_figures))
    return result


def _with_compared_length(figures: Sequence[Quantity]) -> Sequence[Quantity]:
    """Give the figures of one sentence that length, if it compares with periods of one length."""
    periods = [figure.period for figure in figures if figure.period.prior]
    spans = {period.span for period in periods if period.span}
    if len(spans) != 1:
        return figures
    span = spans.pop()
    length = Period("Q" if span.startswith("Q") else span)
    return [
        replace(figure, period=length) if figure.period == ANY_PERIOD else figure
        for figure in figures
    ]


def _comparisons(figures: Sequence[Quantity]) -> Iterator[tuple[int, int]]:
    """Yield the positions of each level and of the earlier level with which it is compared."""
    for position, base in enumerate(figures):
        if not _is_base(base):
            continue
        level = position + 1 if _moves_on(figures, position) else _before(figures, position)
        if level is not None and _is_same_kind(figures[level], base):
            yield level, position


def _moves_on(figures: Sequence[Quantity], position: int) -> bool:
    """Return whether the later level follows an earlier level: from 3% to 4%, not to 4% from 3%."""
    base = figures[position]
    follows_level = position and figures[position - 1].moved == "to"
    if follows_level and base.wording.before.strip() == "from":
        return False
    following = figures[position + 1 : position + 2]
    return base.moved == "from" and bool(following) and following[0].moved == "to"


def changes(level: Quantity, base: Quantity) -> Iterator[Quantity]:
    """Yield how far a level is from an earlier level, in percent, and in points or its unit."""
    difference = level.amount - base.amount
    if not (base.amount and difference):
        return
    is_next_quarter = level.period.span == _NEXT_QUARTER.get(base.period.span or "", "none")
    change = replace(
        level,
        against="quarter" if is_next_quarter else level.against,
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
        wording=replace(level.wording, alone=f"{level.wording.alone} {base.wording.alone}"),
    )
    yield replace(change, value=abs(100 * difference / base.amount))
    if level.unit in RATES:
        yield replace(change, unit="points", value=abs(difference))
    elif level.scale == base.scale and level.negative == base.negative:
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
