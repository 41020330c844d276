"""Compute results from figures: differences, shares, midpoints and remainders."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from operator import itemgetter
from typing import Literal, NamedTuple

from ..comparison.compare import near_in_size
from ..quantity import Quantity, Unit
from .operands import Operand

Computation = Literal[
    "difference", "growth", "midpoint", "product", "remainder", "share", "sum", "total", "without"
]


RangeEnd = Literal["low", "middle", "high"]


class Result(NamedTuple):
    """A result computed from figures."""

    value: float
    unit: Unit
    parts: tuple[Operand, ...]
    group: Sequence[Operand]
    """Figures of the same sentence, row or column."""

    @property
    def names(self) -> frozenset[str]:
        """Names in the words about any of the figures, and their times."""
        return frozenset[str]().union(*(part.names | part.times for part in self.parts))


class Results:
    """Results from the figures of all sentences, rows and columns, also by size."""

    def __init__(self, results: Iterable[Result]) -> None:
        self.all = list(results)
        sizes = [(abs(result.value), position) for position, result in enumerate(self.all)]
        self._sizes = sorted(sizes)

    def near(self, claim: Quantity) -> Iterator[Result]:
        """Yield the results that may round to a claim, in their order."""
        near = near_in_size(self._sizes, claim, itemgetter(0))
        for position in sorted(position for _, position in near):
            yield self.all[position]


def operation_of(kind: Computation, is_rate: bool) -> Computation:
    """Return by which operation a kind of figure is computed; most are differences."""
    if kind in ("midpoint", "share") or (kind == "remainder" and is_rate):
        return kind
    return "difference"


def results_of(
    operation: Computation, is_rate: bool, range_end: RangeEnd | None, group: Sequence[Operand]
) -> Iterator[Result]:
    """Yield the results of an operation on figures of one group, perhaps as a rate."""
    ends = operands_for(group, range_end)
    if operation == "midpoint":
        for part in ends:
            yield Result(part.amount, part.figure.unit, (part,), group)
    elif operation == "remainder":
        for part in ends:
            if part.figure.unit == "percent" and not part.figure.change:
                yield Result(100 - part.figure.amount, "percent", (part,), group)
    elif operation == "share":
        for part, whole in permutations(ends, 2):
            if part.kind == whole.kind and 0 < part.figure.amount < whole.figure.amount:
                share = 100 * part.figure.amount / whole.figure.amount
                yield Result(share, "percent", (part, whole), group)
    else:
        for level, base in permutations(ends, 2):
            if _can_be_compared(level, base):
                value, unit = _difference(level, base, is_rate)
                yield Result(value, unit, (level, base), group)


def _can_be_compared(level: Operand, base: Operand) -> bool:
    """Return whether two figures are of one kind, or rates of which only one says "up"."""
    mine, theirs = level.figure, base.figure
    if mine.dimension == "points":
        return False
    are_rates = mine.unit == theirs.unit == "percent" and mine.metric == theirs.metric
    is_outlook = mine.status == theirs.status == "guidance"
    return level.kind == base.kind or (are_rates and is_outlook)


def operands_for(group: Sequence[Operand], range_end: RangeEnd | None) -> list[Operand]:
    """Return the figures that may be computed with: one end of the ranges, or the others."""
    operands = [
        part
        for part in group
        if part.figure.value and (part.figure.value_high is not None) == bool(range_end)
    ]
    if range_end in (None, "middle"):
        return operands
    return [replace(part, figure=_at_end(part.figure, range_end)) for part in operands]


def _at_end(figure: Quantity, range_end: RangeEnd | None) -> Quantity:
    """Return the lower or upper end of a range."""
    value = figure.value_high if range_end == "high" else figure.value
    return replace(figure, value=value or 0.0, value_high=None)


def _difference(level: Operand, base: Operand, is_rate: bool) -> tuple[float, Unit]:
    """Return how far a figure is from another, in percent of the other, points or its unit."""
    difference = level.amount - base.amount
    if is_rate:
        return 100 * difference / abs(base.figure.amount), "percent"
    unit = level.figure.unit
    return difference, "points" if unit == "percent" else unit
