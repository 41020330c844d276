"""The structured results of a company, quarter by quarter, before any words.

Money is in units of $0.1 million, per-share amounts are in cents, percentages in tenths of a percent.
"""

import math
from dataclasses import dataclass, replace
from random import Random
from typing import TypeAlias

from .amounts import growth_tenths
from .companies import Company, Indicator
from .templates import load_table

Range: TypeAlias = tuple[int, int]

_SHIFTS = {"raised": 1, "lowered": -1}


@dataclass(frozen=True, slots=True)
class Event:
    """Something out of the ordinary, with its two amounts."""

    kind: str
    amount: int
    sequel: int


@dataclass(frozen=True, slots=True)
class Quarter:
    """What a company reports for a quarter."""

    year: int
    quarter: int
    segments: tuple[int, ...]
    gross_profit: int
    operating_income: int
    adjusted_eps: int
    gaap_eps: int
    operating_cash_flow: int
    capex: int
    debt: int
    cash: int
    inventory: int
    buyback: int
    dividend: int
    headcount: int
    price: int
    """Contribution of price to growth."""
    tax_rate: int
    indicators: tuple[int, ...]
    event: Event | None

    @property
    def revenue(self) -> int:
        """Total revenue."""
        return sum(self.segments)

    @property
    def free_cash_flow(self) -> int:
        """Operating cash flow after capital spending."""
        return self.operating_cash_flow - self.capex

    @property
    def gross_margin(self) -> int:
        """Gross profit in tenths of a percent of revenue."""
        return round(1000 * self.gross_profit / self.revenue)

    @property
    def operating_margin(self) -> int:
        """Operating income in tenths of a percent of revenue."""
        return round(1000 * self.operating_income / self.revenue)


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a company expects, as given with a quarter's results."""

    year: int
    """Fiscal year of the full-year ranges."""
    action: str
    """`initiated`, `raised`, `reaffirmed` or `lowered`."""
    revenue: Range
    eps: Range
    next_revenue: Range
    next_eps: Range
    previous: "Outlook | None" = None
    """What was expected three months before."""


@dataclass(frozen=True, slots=True)
class History:
    """All quarters of a company, from the year before its first call to the year after its last."""

    company: Company
    growth_step: int
    """Precision of stated growth, in tenths of a percent."""
    quarters: tuple[Quarter, ...]
    outlooks: tuple[Outlook | None, ...]
    first: int
    """Index of the first quarter with a call."""


class _Simulator:
    """Random walks of the quantities behind the results."""

    def __init__(self, company: Company, rng: Random):
        self.company = company
        self.rng = rng
        self.base = 10 ** rng.uniform(2.9, 4.9)
        self.step = 1 if self.base < 2000 else 10 if self.base < 9000 else 100
        self.growth_step = rng.choice((1, 1, 10))
        shares = [rng.uniform(0.5, 1.6) for _ in company.segments]
        self.levels = [share / sum(shares) for share in shares]
        self.trends = [rng.gauss(0.05, 0.08) / 4 for _ in shares]
        self.season = [rng.uniform(0.93, 1.07) for _ in range(4)]
        industry = company.industry
        self.gross = rng.uniform(*industry.gross_margin)
        self.operating = rng.uniform(*industry.operating_margin)
        self.capital = rng.uniform(*industry.capex)
        self.tax = rng.uniform(0.18, 0.26)
        self.shares = self.base * self.operating * 0.7 / rng.uniform(40, 220)
        self.debt = self.base * rng.uniform(0.6, 2.0)
        self.cash = self.base * rng.uniform(0.2, 0.7)
        self.dividend = rng.choice((0, rng.randint(6, 45)))
        self.heads = self.base * rng.uniform(1.0, 2.2)
        self.indicators = [_start(indicator, self.base, rng) for indicator in industry.indicators]
        self.quarters: list[Quarter] = []

    def advance(self, year: int, quarter: int) -> None:
        """Add the next quarter."""
        rng, prior = self.rng, self.quarters[-4] if len(self.quarters) >= 4 else None
        self._walk(quarter)
        segments = self._segments(quarter, prior)
        revenue = sum(segments)
        fine = max(1, self.step // 10)
        operating = _snap(revenue * self.operating, fine)
        gross = _snap(revenue * self.gross, fine)
        if prior:
            operating = self._differing_profit(
                operating, revenue, (prior.operating_income, prior.operating_margin), fine
            )
            gross = self._differing_profit(
                gross, revenue, (prior.gross_profit, prior.gross_margin), fine
            )
        event = self._event(revenue)
        adjusted, gaap = self._earnings(operating, event, prior)
        capex = _snap(max(revenue * self.capital * rng.uniform(0.85, 1.15), 2), fine)
        cash_flow = capex + max(_snap(operating * rng.uniform(0.45, 1.15), fine), fine)
        if prior:
            cash_flow = self._differing(cash_flow - capex, prior.free_cash_flow, fine) + capex
        self.quarters.append(
            Quarter(
                year=year,
                quarter=quarter,
                segments=segments,
                gross_profit=gross,
                operating_income=operating,
                adjusted_eps=adjusted,
                gaap_eps=gaap,
                operating_cash_flow=cash_flow,
                capex=capex,
                debt=_snap(self.debt, self.step),
                cash=_snap(self.cash, self.step),
                inventory=self._inventory(revenue, prior, fine),
                buyback=rng.choice((0, 1, 1)) * _snap(revenue * rng.uniform(0.01, 0.05), fine),
                dividend=self.dividend,
                headcount=_snap(self.heads, 100 if self.heads > 2000 else 10),
                price=rng.randint(5, 45),
                tax_rate=round(self.tax * 1000 + rng.uniform(-12, 12)),
                indicators=self._indicators(prior),
                event=event,
            )
        )

    def _walk(self, quarter: int) -> None:
        rng = self.rng
        shock = rng.gauss(0, 0.018)
        drifts = zip(self.levels, self.trends, strict=True)
        self.levels = [
            level * math.exp(trend + shock + rng.gauss(0, 0.012)) for level, trend in drifts
        ]
        low, high = self.company.industry.gross_margin
        self.gross = min(max(self.gross + rng.gauss(0, 0.006) + shock / 5, low - 0.03), high + 0.03)
        low, high = self.company.industry.operating_margin
        self.operating = min(
            max(self.operating + rng.gauss(0, 0.006) + shock / 4, low * 0.7), high + 0.03
        )
        self.debt *= rng.uniform(0.95, 1.03)
        self.cash *= rng.uniform(0.92, 1.1)
        self.heads *= math.exp(shock / 2 + rng.gauss(0.004, 0.01))
        if quarter == 1 and self.dividend:
            self.dividend += rng.choice((0, 1, 1, 2))

    def _segments(self, quarter: int, prior: Quarter | None) -> tuple[int, ...]:
        scale = self.base * self.season[quarter - 1]
        segments = [_snap(scale * level, self.step) for level in self.levels]
        if prior:
            segments = [
                self._differing(this, before, self.step)
                for this, before in zip(segments, prior.segments, strict=True)
            ]
            while not self._growth(sum(segments), prior.revenue) or not self._growth(
                segments[0], prior.segments[0]
            ):
                segments[0] += self.step
        return tuple(segments)

    def _differing(self, this: int, before: int, step: int) -> int:
        """Raise a value until its growth does not round to nothing."""
        while not self._growth(this, before):
            this += step
        return this

    def _differing_profit(
        self, profit: int, revenue: int, before: tuple[int, int], step: int
    ) -> int:
        """Raise a profit until it, and its margin, differ from last year's."""
        while not self._growth(profit, before[0]) or round(1000 * profit / revenue) == before[1]:
            profit += step
        return profit

    def _growth(self, this: int, before: int) -> int:
        return growth_tenths(this, before, self.growth_step)

    def _event(self, revenue: int) -> Event | None:
        kinds = load_table("events")
        possible = [name for name, row in kinds.items() if self._may_happen(name, row["tags"])]
        if self.rng.random() > 0.4 or not possible:
            return None
        kind = self.rng.choice(possible)
        amount, sequel = (
            _snap(max(revenue * self.rng.uniform(*kinds[kind][key]), 3), max(1, self.step // 10))
            for key in ("amount_share", "sequel_share")
        )
        return Event(kind, amount, sequel)

    def _may_happen(self, kind: str, tags: list[str]) -> bool:
        """Allow each kind of event once in a company's history, and only where it fits."""
        happened = {quarter.event.kind for quarter in self.quarters if quarter.event}
        called = len(self.quarters) >= 4 + self.company.quarter - 1
        return called and kind not in happened and self.company.industry.tags.issuperset(tags)

    def _earnings(
        self, operating: int, event: Event | None, prior: Quarter | None
    ) -> tuple[int, int]:
        interest = self.debt * 0.008
        adjusted = max(round((operating - interest) * (1 - self.tax) / self.shares), 12)
        if prior:
            adjusted = self._differing(adjusted, prior.adjusted_eps, 1)
        costs = self.rng.randint(1, 6)
        if event and load_table("events")[event.kind]["charged"]:
            costs += round(event.amount * (1 - self.tax) / self.shares)
        gaap = max(adjusted - costs, 5)
        while prior and not self._growth(gaap, prior.gaap_eps):
            gaap -= 1
        return adjusted, gaap

    def _inventory(self, revenue: int, prior: Quarter | None, fine: int) -> int:
        inventory = _snap(revenue * self.rng.uniform(0.4, 0.6), fine)
        return self._differing(inventory, prior.inventory, fine) if prior else inventory

    def _indicators(self, prior: Quarter | None) -> tuple[int, ...]:
        kinds = self.company.industry.indicators
        moves = zip(kinds, self.indicators, strict=True)
        self.indicators = [_move(kind, value, self.rng) for kind, value in moves]
        values = [_written(kind, value) for kind, value in zip(kinds, self.indicators, strict=True)]
        if prior:
            values = [
                self._differing_indicator(*item)
                for item in zip(kinds, values, prior.indicators, strict=True)
            ]
        return tuple(values)

    def _differing_indicator(self, kind: Indicator, this: int, before: int) -> int:
        if kind.kind == "percent":
            return this + (this == before)
        return self._differing(this, before, _written_step(kind, this))


def _start(indicator: Indicator, base: float, rng: Random) -> float:
    """Draw where an indicator starts: percentages in tenths, dollars as a multiple of revenue."""
    value = rng.uniform(indicator.low, indicator.high)
    return value * {"percent": 10, "usd": base, "count": 1}[indicator.kind]


def _move(indicator: Indicator, value: float, rng: Random) -> float:
    """Move an indicator by a quarter; percentages stay in their range."""
    if indicator.kind != "percent":
        return value * math.exp(rng.gauss(0.01, 0.02))
    low, high = 10 * indicator.low, 10 * indicator.high
    return min(max(value + rng.gauss(0, 0.06 * (high - low)), low), high)


def _written_step(indicator: Indicator, value: float) -> int:
    """Find the precision in which a call writes the indicator."""
    return 1 if indicator.kind == "percent" else _rounding_unit(value)


def _written(indicator: Indicator, value: float) -> int:
    return _snap(value, _written_step(indicator, value))


def _snap(value: float, step: int) -> int:
    return max(round(value / step), 1) * step


def _rounding_unit(value: float) -> int:
    digits = len(str(int(value)))
    return int(10 ** max(digits - 3, 0))


def _round_range(middle: float, width: float) -> Range:
    """Round a range to three digits, or to full cents."""
    unit = _rounding_unit(middle)
    low = _snap(middle * (1 - width), unit)
    return low, max(_snap(middle * (1 + width), unit), low + 2 * unit)


def _outlook_years(quarters: list[Quarter], rng: Random) -> list[Outlook | None]:
    """Give an outlook with every quarter that is followed by another fiscal year's results."""
    outlooks: list[Outlook | None] = [None] * 3
    for start in range(4, len(quarters), 4):
        year = quarters[start : start + 4]
        error = rng.gauss(0, 0.025)
        revenue = sum(quarter.revenue for quarter in year) * (1 + error)
        eps = sum(quarter.adjusted_eps for quarter in year) * (1 + 1.5 * error)
        action = "initiated"
        for quarter in year:
            outlooks.append(
                _outlook(
                    quarter,
                    action,
                    _round_range(revenue, 0.012),
                    _round_range(eps, 0.02),
                    outlooks[-1],
                    rng,
                )
            )
            revision = 0.0 if rng.random() < 0.4 or abs(error) < 0.006 else -0.6 * error
            error += revision
            revenue, eps = revenue * (1 + revision), eps * (1 + 1.5 * revision)
            action = "raised" if revision > 0 else "lowered" if revision < 0 else "reaffirmed"
    return [*outlooks, None]


def _outlook(
    ahead: Quarter,
    action: str,
    revenue: Range,
    eps: Range,
    previous: Outlook | None,
    rng: Random,
) -> Outlook:
    error = rng.gauss(0, 0.015)
    if previous and action in _SHIFTS:
        revenue = _shifted(revenue, previous.revenue, _SHIFTS[action])
        eps = _shifted(eps, previous.eps, _SHIFTS[action])
    return Outlook(
        year=ahead.year,
        action=action,
        revenue=revenue,
        eps=eps,
        next_revenue=_round_range(ahead.revenue * (1 + error), 0.012),
        next_eps=_round_range(ahead.adjusted_eps * (1 + 2 * error), 0.03),
        previous=replace(previous, previous=None) if previous else None,
    )


def _shifted(ends: Range, before: Range, sign: int) -> Range:
    """Move a range that rounding left where it was by one unit."""
    unit = sign * _rounding_unit(ends[0])
    return (ends[0] + unit, ends[1] + unit) if ends == before else ends


def simulate(company: Company, seed: int) -> History:
    """Simulate the results behind a company's calls."""
    rng = Random(f"{seed}:results:{company.ticker}")
    simulator = _Simulator(company, rng)
    last = company.quarter - 1 + company.calls - 1
    for index in range(4 * (last // 4 + 3)):
        simulator.advance(company.year - 1 + index // 4, index % 4 + 1)
    quarters = simulator.quarters
    return History(
        company,
        simulator.growth_step,
        tuple(quarters),
        tuple(_outlook_years(quarters, rng)),
        4 + company.quarter - 1,
    )
