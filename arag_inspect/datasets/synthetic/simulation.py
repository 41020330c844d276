"""Simulated results of a company, quarter by quarter, before any words.

Money is in units of $0.1 million, per-share amounts are in cents, percentages in tenths of a
percent. Each quarter is drawn from the same quarter of the year before, and drawn again until
every change that a call may state shows in the figures as they are written.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, NamedTuple, TypeAlias

from .amounts import growth_tenths
from .companies import Company
from .templates import load_table

Range: TypeAlias = tuple[int, int]

GROWING = ("revenue", "operating_income", "adjusted_eps", "gaap_eps", "free_cash_flow", "inventory")
MARGINS = ("gross_margin", "operating_margin")


class Event(NamedTuple):
    """Something out of the ordinary, with its two amounts."""

    kind: str
    amount: int
    sequel: int


@dataclass(frozen=True, slots=True)
class Quarter:
    """Results of a quarter, and the outlook."""

    year: int
    number: int
    segments: tuple[int, ...]
    indicators: tuple[int, ...]
    values: Mapping[str, int]
    """Every other figure by its name, e.g. `revenue`."""
    event: Event | None = None
    action: str = ""
    """Of the outlook: `initiated`, `raised`, `reaffirmed` or `lowered`."""
    outlook: Mapping[str, Range] = field(default_factory=dict)
    """`revenue` and `eps` of the next quarter's fiscal year, `next_revenue`, `next_eps`."""


def simulate(company: Company, seed: int) -> list[Quarter]:
    """Simulate a company's results, from the year before its first call."""
    simulator = _Simulator(company, Random(f"{seed}:results:{company.ticker}"))
    quarters = simulator.starts
    for index in range(4 * ((company.quarter + company.calls + 2) // 4 + 2)):
        prior, has_call = quarters[index], index >= company.first
        kind = simulator.event_kind(quarters) if has_call else ""
        year, number = company.year - 1 + index // 4, index % 4 + 1
        quarter = simulator.draw(year, number, prior, kind)
        while index >= 4 and not simulator.all_changed(quarter, prior):
            quarter = simulator.draw(year, number, prior, kind)
        quarters.append(quarter)
    return simulator.with_outlooks(quarters[4:])


class _Simulator:
    """Lasting traits of a company, and how a quarter is drawn from them."""

    def __init__(self, company: Company, rng: Random):
        self.company, self.rng, self.industry = company, rng, company.industry
        base = 10 ** rng.uniform(2.9, 4.9)
        self.step = 1 if base < 2000 else 10 if base < 9000 else 100
        self.fine = max(1, self.step // 10)
        self.trends = [rng.gauss(0.05, 0.06) for _ in company.segments]
        self.tax = rng.uniform(0.18, 0.26)
        self.dividend = rng.choice((0, rng.randint(6, 45)))
        self.capital = rng.uniform(*self.industry["capex"])
        margins = {key: round(1000 * rng.uniform(*self.industry[key])) for key in MARGINS}
        levels = {"debt": (0.6, 2.0), "cash": (0.2, 0.7), "headcount": (1.0, 2.2)}
        values = margins | {key: round(base * rng.uniform(*ends)) for key, ends in levels.items()}
        units = {"percent": 10, "usd": base, "count": 1}
        indicators = tuple(
            round(rng.uniform(row["low"], row["high"]) * units[row["kind"]])
            for row in self.industry["indicators"]
        )
        shares = [rng.uniform(0.5, 1.6) for _ in company.segments]
        seasons = [base * rng.uniform(0.93, 1.07) / sum(shares) for _ in range(4)]
        self.starts = [
            Quarter(0, 0, tuple(round(share * season) for share in shares), indicators, values)
            for season in seasons
        ]
        profit = base * margins["operating_margin"] / 1000
        self.shares = profit * 0.7 / rng.uniform(40, 220)

    def event_kind(self, quarters: Sequence[Quarter]) -> str:
        """Choose an event that fits the industry and has not happened yet, or none."""
        happened = {quarter.event.kind for quarter in quarters if quarter.event}
        tags = set(self.industry["tags"])
        kinds = [
            kind
            for kind, row in load_table("events").items()
            if kind not in happened and tags.issuperset(row["tags"])
        ]
        return self.rng.choice(kinds) if kinds and self.rng.random() < 0.4 else ""

    def draw(self, year: int, number: int, prior: Quarter, kind: str) -> Quarter:
        """Draw a quarter from that of the year before."""
        rng = self.rng
        shock = rng.gauss(0, 0.03)
        grown = zip(prior.segments, self.trends, strict=True)
        segments = tuple(
            _snap(value * math.exp(trend + shock + rng.gauss(0, 0.03)), self.step)
            for value, trend in grown
        )
        revenue = sum(segments)
        values = {"revenue": revenue, **self._profits(revenue, prior.values, shock)}
        for key, step in (("debt", self.step), ("cash", self.step), ("headcount", 10)):
            values[key] = _snap(prior.values[key] * rng.uniform(0.9, 1.12), step)
        event = self._event(kind, revenue)
        values |= self._earnings(values, event)
        values |= self._cash(revenue, values["operating_income"])
        values["price"] = rng.randint(5, 45)
        values["tax_rate"] = round(self.tax * 1000 + rng.uniform(-12, 12))
        values["dividend"] = self.dividend and self.dividend + year - self.company.year + 1
        indicators = tuple(map(self._indicator, self.industry["indicators"], prior.indicators))
        return Quarter(year, number, segments, indicators, values, event)

    def _profits(self, revenue: int, levels: Mapping[str, float], shock: float) -> dict[str, int]:
        margins = {}
        for key, slack in (("gross_margin", 30), ("operating_margin", 20)):
            low, high = (1000 * end for end in self.industry[key])
            margin = levels[key] + self.rng.gauss(200 * shock, 10)
            margins[key] = round(min(max(margin, low - slack), high + slack))
        income = _snap(revenue * margins["operating_margin"] / 1000, self.fine)
        return {
            "gross_margin": margins["gross_margin"],
            "operating_income": income,
            "operating_margin": round(1000 * income / revenue),
        }

    def _event(self, kind: str, revenue: int) -> Event | None:
        if not kind:
            return None
        row = load_table("events")[kind]
        shares = [self.rng.uniform(*row[key]) for key in ("amount_share", "sequel_share")]
        return Event(kind, *(_snap(max(revenue * share, 3), self.fine) for share in shares))

    def _earnings(self, values: Mapping[str, int], event: Event | None) -> dict[str, int]:
        rng, after_tax = self.rng, (1 - self.tax) / self.shares
        profit = values["operating_income"] - 0.008 * values["debt"]
        adjusted = max(round(profit * after_tax), rng.randint(12, 20))
        charged = event is not None and load_table("events")[event.kind]["charged"]
        charge = round(event.amount * after_tax) if event and charged else 0
        gaap = max(adjusted - rng.randint(1, 6) - charge, rng.randint(3, 11))
        return {"adjusted_eps": adjusted, "gaap_eps": gaap}

    def _cash(self, revenue: int, income: int) -> dict[str, int]:
        rng, fine = self.rng, self.fine
        capex = _snap(max(revenue * self.capital * rng.uniform(0.85, 1.15), 2), fine)
        free = _snap(income * rng.uniform(0.45, 1.15), fine)
        return {
            "capex": capex,
            "free_cash_flow": free,
            "operating_cash_flow": capex + free,
            "inventory": _snap(revenue * rng.uniform(0.4, 0.6), fine),
            "buyback": rng.choice((0, 1, 1)) * _snap(revenue * rng.uniform(0.01, 0.05), fine),
        }

    def _indicator(self, row: Mapping[str, Any], value: float) -> int:
        if row["kind"] != "percent":
            value *= math.exp(self.rng.gauss(0.04, 0.05))
            return _snap(value, _rounding_unit(value))
        low, high = float(10 * row["low"]), float(10 * row["high"])
        return round(min(max(value + self.rng.gauss(0, 0.08 * (high - low)), low), high))

    def all_changed(self, this: Quarter, prior: Quarter) -> bool:
        """Return whether no change that a call may state rounds to nothing."""
        rows, step = self.industry["indicators"], self.company.growth_step
        pairs = [(this.values[key], prior.values[key]) for key in GROWING]
        pairs += zip(this.segments, prior.segments, strict=True)
        changes = [growth_tenths(*pair, step) for pair in pairs]
        changes += [this.values[key] - prior.values[key] for key in MARGINS]
        changes += [
            now - then if row["kind"] == "percent" else growth_tenths(now, then, step)
            for row, now, then in zip(rows, this.indicators, prior.indicators, strict=True)
        ]
        return all(changes)

    def with_outlooks(self, quarters: Sequence[Quarter]) -> list[Quarter]:
        """Give each quarter an outlook for the fiscal year of the quarter after it.

        A revision moves the ranges of the year towards the later results.
        """
        rng, result = self.rng, list(quarters)
        for start in range(4, len(quarters), 4):
            year = quarters[start : start + 4]
            revenue, eps = (sum(q.values[key] for q in year) for key in ("revenue", "adjusted_eps"))
            error, action = rng.gauss(0, 0.025), "initiated"
            ranges = {
                "revenue": _range(revenue * (1 + error), 0.012),
                "eps": _range(eps * (1 + 1.5 * error), 0.02),
            }
            for index, ahead in enumerate(year, start - 1):
                slip = rng.gauss(0, 0.015)
                outlook = {
                    **ranges,
                    "next_revenue": _range(ahead.values["revenue"] * (1 + slip), 0.012),
                    "next_eps": _range(ahead.values["adjusted_eps"] * (1 + 2 * slip), 0.03),
                }
                result[index] = replace(result[index], action=action, outlook=outlook)
                sign = 1 if 2 * revenue > sum(ranges["revenue"]) else -1
                sign = 0 if rng.random() < 0.4 else sign
                action = {1: "raised", 0: "reaffirmed", -1: "lowered"}[sign]
                ranges = {key: _shifted(ends, sign) for key, ends in ranges.items()}
        return result


def _snap(value: float, step: int) -> int:
    return max(round(value / step), 1) * step


def _rounding_unit(value: float) -> int:
    return int(10 ** max(len(str(int(value))) - 3, 0))


def _range(middle: float, width: float) -> Range:
    """Round a range to three digits, or to full cents."""
    unit = _rounding_unit(middle)
    low = _snap(middle * (1 - width), unit)
    return low, max(_snap(middle * (1 + width), unit), low + 2 * unit)


def _shifted(ends: Range, sign: int) -> Range:
    unit = sign * _rounding_unit(ends[0])
    return ends[0] + unit, ends[1] + unit
