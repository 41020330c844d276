"""Figures as a call writes them, and the words for their change."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from ...types.fact import Basis, Direction, Scale, Status, Unit

Kind = Literal["usd", "per_share", "percent", "count"]

FORMS = ("verb", "up", "up_from", "rise", "move")
"""Grammatical forms of the words for a change."""

_CLEAR_AND_STRONG = {"percent": (30, 100), "basis_points": (50, 200)}
"""From which change, in tenths of a percent or in basis points, a word is clear or strong."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A figure in its written form, with its typed reading."""

    text: str
    metric: str
    value: float
    unit: Unit
    period: str
    scale: Scale = "one"
    value_high: float | None = None
    basis: Basis | None = None
    status: Status = "actual"
    direction: Direction | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A slot for a word of change: `grew`, `down from`."""

    metric: str
    direction: Direction
    size: str
    """`slightly`, `clearly` or `strongly`."""

    form: str


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric of the call: its level, the level a year ago, and the change between them."""

    name: str
    level: Amount
    prior: Amount | None = None
    change: Amount | None = None
    size: str = "clearly"
    plural: bool = False

    def slots(self, key: str) -> Iterator[tuple[str, str | Amount | Change]]:
        """Yield the slots of phrases under `key`, e.g. `revenue.prior`, `revenue.verb`."""
        yield key, self.level
        yield f"{key}.name", self.name
        yield f"{key}.was", "were" if self.plural else "was"
        if self.level.value_high is not None:
            between = "between " + self.level.text.replace(" to ", " and ")
            yield f"{key}.between", replace(self.level, text=between)
        if self.prior is not None:
            yield f"{key}.prior", self.prior
        if self.change is not None and self.change.direction is not None:
            yield f"{key}.change", self.change
            for form in FORMS:
                change = Change(self.level.metric, self.change.direction, self.size, form)
                yield f"{key}.{form}", change


def amount(
    kind: Kind,
    metric: str,
    value: int,
    period: str,
    *,
    high: int | None = None,
    noun: str = "",
    **typed: Any,
) -> Amount:
    """Write a figure or a range.

    Args:
        kind: Kind of figure.
        metric: Name of the metric.
        value: In $0.1 million, cents, tenths of a percent, or a count.
        period: Period, e.g. `Q3_2021`.
        high: Upper end of a range.
        noun: Noun of a count.
        typed: Basis, status and direction.
    """
    ends = [value] if high is None else [value, high]
    scale: Scale = "one"
    if kind == "usd":
        scale = "billion" if ends[-1] >= 10_000 else "million"
        numbers = [end / (10_000 if scale == "billion" else 10) for end in ends]
        texts = [f"${_decimal(number, 4)} {scale}" for number in numbers]
    elif kind == "per_share":
        numbers = [end / 100 for end in ends]
        texts = [f"${number:.2f}" for number in numbers]
    elif kind == "percent":
        numbers = [end / 10 for end in ends]
        texts = [f"{_decimal(number, 1)}%" for number in numbers]
    else:
        scale = "million" if value >= 1_000_000 else "one"
        numbers = [round(end / 1_000_000, 2) if scale == "million" else float(end) for end in ends]
        suffix = f"{' million' if scale == 'million' else ''} {noun}".rstrip()
        texts = [_decimal(number, 2) + suffix for number in numbers]
    unit: Unit = "usd_per_share" if kind == "per_share" else kind
    value_high = None if high is None else numbers[1]
    return Amount(" to ".join(texts), metric, numbers[0], unit, period, scale, value_high, **typed)


def compared(name: str, level: Amount, prior: Amount, tenths: int, plural: bool = False) -> Measure:
    """Build a measure with its change: in basis points for percentages, else percent.

    Args:
        name: Name in the call.
        level: Its level.
        prior: Its level a year ago.
        tenths: Growth in tenths of a percent; not used for percentages.
        plural: Whether the name is a plural.
    """
    unit: Unit = "basis_points" if level.unit == "percent" else "percent"
    if unit == "basis_points":
        size = round((level.value - prior.value) * 100)
        text, metric = f"{abs(size)} basis points", f"{level.metric} change"
        value = float(abs(size))
    else:
        size, value = tenths, abs(tenths) / 10
        text, metric = f"{_decimal(value, 1)}%", f"{level.metric} growth"
    direction: Direction = "up" if size > 0 else "down" if size < 0 else "flat"
    change = Amount(text, metric, value, unit, level.period, basis=level.basis, direction=direction)
    clear, strong = _CLEAR_AND_STRONG[unit]
    word = "slightly" if abs(size) < clear else "clearly" if abs(size) < strong else "strongly"
    return Measure(name, level, prior, change, word, plural)


def growth_tenths(this: int, prior: int, step: int) -> int:
    """Compute growth in tenths of a percent, rounded to `step` tenths."""
    return round((this / prior - 1) * 1000 / step) * step


def _decimal(value: float, decimals: int) -> str:
    """Write a number without trailing zeros."""
    text = f"{value:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
