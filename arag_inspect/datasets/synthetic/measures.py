"""Measures of a quarter that a call can state."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...types.fact import Direction
from .amounts import Kind, Measure, amount, compared, growth_tenths
from .companies import Company
from .simulation import GROWING, MARGINS, Quarter
from .templates import load_table

_ORDINALS = ("first", "second", "third", "fourth")
_REVISIONS: dict[str, Direction] = {"raised": "up", "lowered": "down", "reaffirmed": "flat"}


class _Figure(NamedTuple):
    """How a figure of the simulation is worded."""

    kind: Kind
    metric: str
    name: str
    typed: dict[str, Any]


def _figure(kind: Kind, metric: str, name: str = "", **typed: Any) -> _Figure:
    return _Figure(kind, metric, name or metric, typed)


_FIGURES = {
    **{
        key: _figure("usd", key.replace("_", " "))
        for key in (
            "revenue", "operating_income", "free_cash_flow", "inventory",
            "operating_cash_flow", "capex", "debt", "cash", "buyback",
        )
    },
    **{key: _figure("percent", key.replace("_", " ")) for key in MARGINS},
    "adjusted_eps": _figure("per_share", "diluted eps", "earnings per share", basis="adjusted"),
    "gaap_eps": _figure("per_share", "diluted eps", "earnings per share", basis="gaap"),
    "dividend": _figure("per_share", "dividend"),
    "tax_rate": _figure("percent", "effective tax rate"),
    "price": _figure("percent", "price contribution"),
    "headcount": _figure("count", "headcount", noun="employees"),
}  # fmt: skip


@dataclass(frozen=True)
class Report:
    """One quarter of a company, seen from the day of its call."""

    company: Company
    quarters: Sequence[Quarter]
    index: int

    @property
    def quarter(self) -> Quarter:
        """The quarter reported."""
        return self.quarters[self.index]

    @property
    def year_ago(self) -> Quarter:
        """The same quarter of the year before."""
        return self.quarters[self.index - 4]

    @property
    def period(self) -> str:
        """Period of the call, e.g. `Q3_2021`."""
        return f"Q{self.quarter.number}_{self.quarter.year}"

    @property
    def next_period(self) -> str:
        """The quarter after."""
        following = self.quarters[self.index + 1]
        return f"Q{following.number}_{following.year}"

    def calendar(self) -> dict[str, str]:
        """Name the periods that phrases refer to."""
        number, year = self.quarter.number, self.quarter.year
        return {
            "quarter": f"{_ORDINALS[number - 1]} quarter",
            "Q": f"Q{number}",
            "year": str(year),
            "last_year": str(year - 1),
            "next_quarter": f"{_ORDINALS[number % 4]} quarter",
            "next_Q": self.next_period[:2],
            "fy": str(self.quarters[self.index + 1].year),
        }

    def measures(self) -> dict[str, Measure]:
        """Build all measures but segments and indicators."""
        return dict((*self._reported(), *self._guidance(), *self._special()))

    def segments(self) -> list[Measure]:
        """Build one measure a segment, best growth first."""
        names = self.company.segments
        rows = zip(names, self.quarter.segments, self.year_ago.segments, strict=True)
        ranked = sorted(rows, key=lambda row: row[2] / row[1])
        return [
            self._compared(_figure("usd", f"{name} revenue".lower(), name), (this, before))
            for name, this, before in ranked
        ]

    def indicators(self) -> list[Measure]:
        """Build one measure an operating indicator, in the order of the industry."""
        values = zip(self.quarter.indicators, self.year_ago.indicators, strict=True)
        measures = []
        for row, pair in zip(self.company.industry["indicators"], values, strict=True):
            typed = {"noun": row.get("noun", "")} if row["kind"] == "count" else {}
            figure = _figure(row["kind"], row["name"], **typed)
            measures.append(self._compared(figure, pair, plural=row.get("plural", False)))
        return measures

    def _compared(self, figure: _Figure, pair: tuple[int, int], plural: bool = False) -> Measure:
        year_ago = f"Q{self.quarter.number}_{self.quarter.year - 1}"
        level, prior = (
            amount(figure.kind, figure.metric, value, period, **figure.typed)
            for value, period in zip(pair, (self.period, year_ago), strict=True)
        )
        tenths = growth_tenths(*pair, self.company.growth_step)
        return compared(figure.name, level, prior, tenths, plural)

    def _reported(self) -> Iterator[tuple[str, Measure]]:
        this, before = self.quarter.values, self.year_ago.values
        for key, figure in _FIGURES.items():
            if key in (*GROWING, *MARGINS, "headcount"):
                yield key, self._compared(figure, (this[key], before[key]))
            elif this[key]:
                level = amount(figure.kind, figure.metric, this[key], self.period, **figure.typed)
                yield key, Measure(figure.name, level)

    def _guidance(self) -> Iterator[tuple[str, Measure]]:
        ranges, direction = self.quarter.outlook, _REVISIONS.get(self.quarter.action)
        year, ahead = f"FY_{self.quarters[self.index + 1].year}", self.next_period
        rows = [
            ("fy_revenue", ranges["revenue"], year, direction),
            ("fy_eps", ranges["eps"], year, direction),
            ("next_revenue", ranges["next_revenue"], ahead, None),
            ("next_eps", ranges["next_eps"], ahead, None),
        ]
        if previous := self.quarters[self.index - 1].outlook:
            rows += [
                ("fy_before", previous["revenue"], year, None),
                ("fy_eps_before", previous["eps"], year, None),
                ("guided_revenue", previous["next_revenue"], self.period, None),
            ]
        for key, (low, high), period, moved in rows:
            typed: dict[str, Any] = {"status": "guidance", "direction": moved, "high": high}
            if "eps" in key:
                level = amount("per_share", "diluted eps", low, period, basis="adjusted", **typed)
            else:
                level = amount("usd", "revenue", low, period, **typed)
            yield key, Measure(level.metric, level)

    def _special(self) -> Iterator[tuple[str, Measure]]:
        if self.quarter.event is None:
            return
        row, year = load_table("events")[self.quarter.event.kind], f"FY_{self.quarter.year + 1}"
        event = amount("usd", row["metric"], self.quarter.event.amount, self.period)
        yield "event", Measure(row["metric"], event)
        metric = row["sequel_metric"]
        sequel = amount("usd", metric, self.quarter.event.sequel, year, status="guidance")
        yield "event.sequel", Measure(metric, sequel)

    def tags(self) -> frozenset[str]:
        """Return the conditions of phrases that hold for the quarter."""
        this, before = self.quarter.values, self.year_ago.values
        rose = {key: this[key] > before[key] for key in (*GROWING, *MARGINS)}
        good = rose["revenue"] + rose["adjusted_eps"]
        return frozenset(self.company.industry["tags"]) | {
            ("bad", "mixed", "good")[good],
            "margin_up" if rose["operating_margin"] else "margin_down",
            "gross_up" if rose["gross_margin"] else "gross_down",
            self._against_guidance(),
            self.quarter.action,
        }

    def _against_guidance(self) -> str:
        previous = self.quarters[self.index - 1].outlook
        if not previous:
            return "unguided"
        low, high = previous["next_revenue"]
        revenue = self.quarter.values["revenue"]
        return "missed" if revenue < low else "beat" if revenue > high else "met"
