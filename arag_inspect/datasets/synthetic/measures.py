"""What a call can state: the measures of a quarter, ready for phrases."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ...types.fact import Basis, Direction
from .amounts import (
    Measure,
    count,
    dollar_range,
    dollars,
    grown,
    moved,
    per_share,
    per_share_range,
    percent,
)
from .simulation import Event, History, Outlook, Quarter
from .templates import load_table

_ORDINALS = ("first", "second", "third", "fourth")
_REVISIONS: dict[str, Direction] = {"raised": "up", "lowered": "down", "reaffirmed": "flat"}


@dataclass(frozen=True)
class Report:
    """One quarter of a company, seen from the day of its call."""

    history: History
    index: int

    @property
    def quarter(self) -> Quarter:
        """The quarter reported."""
        return self.history.quarters[self.index]

    @property
    def year_ago(self) -> Quarter:
        """The same quarter of the year before."""
        return self.history.quarters[self.index - 4]

    @cached_property
    def outlook(self) -> Outlook:
        """What is expected from here."""
        outlook = self.history.outlooks[self.index]
        assert outlook is not None
        return outlook

    @property
    def event(self) -> Event | None:
        """What happened out of the ordinary."""
        return self.quarter.event

    @property
    def period(self) -> str:
        """Period of the call, e.g. `Q3_2021`."""
        return f"Q{self.quarter.quarter}_{self.quarter.year}"

    @property
    def prior_period(self) -> str:
        """The same quarter of the year before, e.g. `Q3_2020`."""
        return f"Q{self.quarter.quarter}_{self.quarter.year - 1}"

    @property
    def next_period(self) -> str:
        """The quarter after."""
        number, year = self.quarter.quarter, self.quarter.year
        return f"Q{number % 4 + 1}_{year + number // 4}"

    @property
    def chief(self) -> str:
        """Who leads the company on the day of the call."""
        company = self.history.company
        changed = "chief_change" in map(self._kind_of, range(self.index))
        return company.successor if changed else company.chief

    def calendar(self) -> dict[str, str]:
        """Name the periods that phrases refer to."""
        number, year = self.quarter.quarter, self.quarter.year
        return {
            "quarter": f"{_ORDINALS[number - 1]} quarter",
            "Q": f"Q{number}",
            "year": str(year),
            "last_year": str(year - 1),
            "next_quarter": f"{_ORDINALS[number % 4]} quarter",
            "next_Q": self.next_period[:2],
            "fy": str(self.outlook.year),
        }

    def measures(self) -> dict[str, Measure]:
        """Build all measures but segments and indicators."""
        return dict(
            (
                *self._amounts(),
                *self._earnings(),
                *self._margins(),
                *self._plain(),
                *self._guidance(),
                *self._special(),
            )
        )

    def segments(self) -> list[Measure]:
        """Build one measure a segment, best growth first."""
        rows = zip(
            self.history.company.segments,
            self.quarter.segments,
            self.year_ago.segments,
            strict=True,
        )
        ranked = sorted(rows, key=lambda row: row[2] / row[1])
        return [
            self._amount(name, f"{name} revenue".lower(), this, before)
            for name, this, before in ranked
        ]

    def indicators(self) -> list[Measure]:
        """Build one measure an operating indicator, in the order of the industry."""
        step = self.history.growth_step
        measures = []
        rows = zip(
            self.history.company.industry.indicators,
            self.quarter.indicators,
            self.year_ago.indicators,
            strict=True,
        )
        for kind, this, before in rows:
            if kind.kind == "usd":
                measures.append(self._amount(kind.name, kind.name, this, before, kind.plural))
            elif kind.kind == "percent":
                level, prior = (
                    percent(kind.name, this, self.period),
                    percent(kind.name, before, self.prior_period),
                )
                measures.append(moved(kind.name, level, prior, kind.plural))
            else:
                level = count(kind.name, this, self.period, kind.noun)
                prior = count(kind.name, before, self.prior_period, kind.noun)
                measures.append(grown(kind.name, level, prior, this, before, step, kind.plural))
        return measures

    def _amount(
        self, name: str, metric: str, this: int, before: int, plural: bool = False
    ) -> Measure:
        level, prior = (
            dollars(metric, this, self.period),
            dollars(metric, before, self.prior_period),
        )
        return grown(name, level, prior, this, before, self.history.growth_step, plural)

    def _amounts(self) -> Iterator[tuple[str, Measure]]:
        for key in ("revenue", "operating_income", "free_cash_flow", "inventory"):
            name = key.replace("_", " ")
            yield (
                key,
                self._amount(name, name, getattr(self.quarter, key), getattr(self.year_ago, key)),
            )
        if self.quarter.quarter == 4:
            full = self._full_year()
            yield from (row for row in full if row[1].change and row[1].change.value)

    def _full_year(self) -> Iterator[tuple[str, Measure]]:
        year, step = self.quarter.year, self.history.growth_step
        quarters = self.history.quarters[self.index - 7 : self.index + 1]
        before, this = (sum(row.revenue for row in half) for half in (quarters[:4], quarters[4:]))
        level, prior = (
            dollars("revenue", this, f"FY_{year}"),
            dollars("revenue", before, f"FY_{year - 1}"),
        )
        yield "full_revenue", grown("revenue", level, prior, this, before, step)
        before, this = (
            sum(row.adjusted_eps for row in half) for half in (quarters[:4], quarters[4:])
        )
        level = per_share("diluted eps", this, f"FY_{year}", "adjusted")
        prior = per_share("diluted eps", before, f"FY_{year - 1}", "adjusted")
        yield "full_eps", grown("adjusted earnings", level, prior, this, before, step)

    def _earnings(self) -> Iterator[tuple[str, Measure]]:
        bases: tuple[Basis, ...] = ("adjusted", "gaap")
        for basis in bases:
            key = f"{basis}_eps"
            this, before = getattr(self.quarter, key), getattr(self.year_ago, key)
            level = per_share("diluted eps", this, self.period, basis)
            prior = per_share("diluted eps", before, self.prior_period, basis)
            yield (
                key,
                grown("earnings per share", level, prior, this, before, self.history.growth_step),
            )

    def _margins(self) -> Iterator[tuple[str, Measure]]:
        for key in ("gross_margin", "operating_margin"):
            name = key.replace("_", " ")
            level = percent(name, getattr(self.quarter, key), self.period)
            yield (
                key,
                moved(name, level, percent(name, getattr(self.year_ago, key), self.prior_period)),
            )

    def _plain(self) -> Iterator[tuple[str, Measure]]:
        this, period = self.quarter, self.period
        for key in ("operating_cash_flow", "capex", "debt", "cash", "buyback"):
            name = key.replace("_", " ")
            yield key, Measure(name, dollars(name, getattr(this, key), period))
        yield "dividend", Measure("dividend", per_share("dividend", this.dividend, period))
        yield "tax_rate", Measure("tax rate", percent("effective tax rate", this.tax_rate, period))
        yield "price", Measure("price", percent("price contribution", this.price, period))
        heads = count("headcount", this.headcount, period, "employees")
        yield (
            "headcount",
            Measure(
                "headcount", heads, count("headcount", self.year_ago.headcount, self.prior_period)
            ),
        )

    def _guidance(self) -> Iterator[tuple[str, Measure]]:
        outlook, year = self.outlook, f"FY_{self.outlook.year}"
        direction = _REVISIONS.get(outlook.action)
        ranges = {
            "fy_revenue": dollar_range("revenue", *outlook.revenue, year, direction),
            "fy_eps": per_share_range("diluted eps", *outlook.eps, year, direction),
            "next_revenue": dollar_range("revenue", *outlook.next_revenue, self.next_period),
            "next_eps": per_share_range("diluted eps", *outlook.next_eps, self.next_period),
        }
        if outlook.previous:
            before = outlook.previous
            ranges["fy_before"] = dollar_range("revenue", *before.revenue, year)
            ranges["fy_eps_before"] = per_share_range("diluted eps", *before.eps, year)
            ranges["guided_revenue"] = dollar_range("revenue", *before.next_revenue, self.period)
        for key, figure in ranges.items():
            yield key, Measure(figure.metric, figure)

    def _special(self) -> Iterator[tuple[str, Measure]]:
        if self.event:
            row = load_table("events")[self.event.kind]
            level = dollars(row["metric"], self.event.amount, self.period)
            yield "event", Measure(row["metric"], level)
            sequel = dollars(
                row["sequel_metric"], self.event.sequel, f"FY_{self.quarter.year + 1}", "guidance"
            )
            yield "event.sequel", Measure(row["sequel_metric"], sequel)

    def tags(self) -> frozenset[str]:
        """Say what phrases are true of the quarter."""
        this, before, company = self.quarter, self.year_ago, self.history.company
        up, earned = this.revenue > before.revenue, this.adjusted_eps > before.adjusted_eps
        margins = (
            this.operating_margin > before.operating_margin,
            this.gross_margin > before.gross_margin,
        )
        return company.industry.tags | {
            "good" if up and earned else "mixed" if up or earned else "bad",
            "margin_up" if margins[0] else "margin_down",
            "gross_up" if margins[1] else "gross_down",
            self._against_guidance(),
            self.outlook.action,
            "new_chief" if self._kind_of(self.index - 1) == "chief_change" else "known_chief",
            "leaving" if self._kind_of(self.index) == "chief_change" else "staying",
        }

    def _kind_of(self, index: int) -> str:
        event = self.history.quarters[index].event
        return event.kind if event else ""

    def _against_guidance(self) -> str:
        if self.outlook.previous is None:
            return "unguided"
        low, high = self.outlook.previous.next_revenue
        return (
            "missed"
            if self.quarter.revenue < low
            else "beat"
            if self.quarter.revenue > high
            else "met"
        )
