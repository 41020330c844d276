"""Figures as a call writes them, and the words for their change."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from ...types.fact import Basis, Direction, Scale, Status, Unit

Size = Literal["slightly", "clearly", "strongly"]


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
    """A word for a change is due here: `grew`, `down from`."""

    metric: str
    direction: Direction
    size: Size
    form: str


FORMS = ("verb", "up", "up_from", "rise", "move")
"""Grammatical forms of the words for a change."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric of the call: its level, the level a year ago, and the change between them."""

    name: str
    level: Amount
    prior: Amount | None = None
    change: Amount | None = None
    size: Size = "clearly"
    plural: bool = False

    def slots(self, key: str) -> Iterator[tuple[str, str | Amount | Change]]:
        """Yield what phrases may refer to under `key`, e.g. `revenue`, `revenue.prior`, `revenue.verb`."""
        yield key, self.level
        yield f"{key}.name", self.name
        yield f"{key}.was", "were" if self.plural else "was"
        if self.level.value_high is not None:
            yield (
                f"{key}.between",
                replace(self.level, text="between " + self.level.text.replace(" to ", " and ")),
            )
        if self.prior is not None:
            yield f"{key}.prior", self.prior
        if self.change is not None and self.change.direction is not None:
            yield f"{key}.change", self.change
            for form in FORMS:
                yield (
                    f"{key}.{form}",
                    Change(self.level.metric, self.change.direction, self.size, form),
                )


def decimal(value: float, places: int) -> str:
    """Write a number without trailing zeros."""
    text = f"{value:,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def dollars(metric: str, amount: int, period: str, status: Status = "actual") -> Amount:
    """Write an amount, given in units of $0.1 million."""
    scale: Scale = "billion" if amount >= 10_000 else "million"
    value = amount / (10_000 if scale == "billion" else 10)
    return Amount(
        f"${decimal(value, 4)} {scale}", metric, value, "usd", period, scale, status=status
    )


def dollar_range(
    metric: str, low: int, high: int, period: str, direction: Direction | None = None
) -> Amount:
    """Write an outlook in dollars, given in units of $0.1 million."""
    scale: Scale = "billion" if high >= 10_000 else "million"
    ends = [amount / (10_000 if scale == "billion" else 10) for amount in (low, high)]
    text = " to ".join(f"${decimal(end, 4)} {scale}" for end in ends)
    return Amount(
        text, metric, ends[0], "usd", period, scale, ends[1], status="guidance", direction=direction
    )


def per_share(metric: str, cents: int, period: str, basis: Basis | None = None) -> Amount:
    """Write an amount per share, given in cents."""
    return Amount(f"${cents / 100:.2f}", metric, cents / 100, "usd_per_share", period, basis=basis)


def per_share_range(
    metric: str, low: int, high: int, period: str, direction: Direction | None = None
) -> Amount:
    """Write an outlook per share, given in cents, on the adjusted basis."""
    text = f"${low / 100:.2f} to ${high / 100:.2f}"
    return Amount(
        text,
        metric,
        low / 100,
        "usd_per_share",
        period,
        value_high=high / 100,
        basis="adjusted",
        status="guidance",
        direction=direction,
    )


def percent(metric: str, tenths: int, period: str, status: Status = "actual") -> Amount:
    """Write a percentage, given in tenths of a percent."""
    return Amount(
        f"{decimal(tenths / 10, 1)}%", metric, tenths / 10, "percent", period, status=status
    )


def count(metric: str, number: int, period: str, noun: str = "") -> Amount:
    """Write a count, with the noun that is counted."""
    scale: Scale = "million" if number >= 1_000_000 else "one"
    value = round(number / 1_000_000, 2) if scale == "million" else float(number)
    text = f"{decimal(value, 2)} million" if scale == "million" else f"{number:,}"
    return Amount(f"{text} {noun}".rstrip(), metric, value, "count", period, scale)


def growth_tenths(this: int, prior: int, step: int) -> int:
    """Compute growth in tenths of a percent, rounded to `step` tenths."""
    return round((this / prior - 1) * 1000 / step) * step


def grown(
    name: str, level: Amount, prior: Amount, this: int, before: int, step: int, plural: bool = False
) -> Measure:
    """Build a measure whose change is stated in percent."""
    tenths = growth_tenths(this, before, step)
    figure = replace(
        percent(f"{level.metric} growth", abs(tenths), level.period), direction=_direction(tenths)
    )
    figure = replace(figure, basis=level.basis)
    return Measure(name, level, prior, figure, _size(abs(tenths), 30, 100), plural)


def moved(name: str, level: Amount, prior: Amount, plural: bool = False) -> Measure:
    """Build a measure in percent whose change is stated in basis points."""
    points = round((level.value - prior.value) * 100)
    text = f"{abs(points)} basis points"
    figure = Amount(
        text, f"{level.metric} change", float(abs(points)), "basis_points", level.period
    )
    figure = replace(figure, direction=_direction(points))
    return Measure(name, level, prior, figure, _size(abs(points), 50, 200), plural)


def _direction(change: int) -> Direction:
    return "up" if change > 0 else "down" if change < 0 else "flat"


def _size(change: int, clear: int, strong: int) -> Size:
    return "slightly" if change < clear else "clearly" if change < strong else "strongly"
