"""Fictional companies and the figures stated in their calls."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from random import Random
from typing import Any

from arag_inspect.types.sample import Direction, Fact, FactScale, FactUnit

from .phrase_files import load_table

_FORMS = ("verb", "up", "up_from", "rise", "move")
"""Grammatical forms of the words for a change."""

_METRICS = {
    "tax_rate": "effective tax rate",
    "price": "price contribution",
    **dict.fromkeys(("fy_revenue", "fy_before", "next_revenue", "guided_revenue"), "revenue"),
    **dict.fromkeys(("adjusted_eps", "gaap_eps", "fy_eps", "fy_eps_before"), "diluted eps"),
    "next_eps": "diluted eps",
}
"""Metrics of figures whose key lacks the metric."""

_ORDINALS = ("first", "second", "third", "fourth")
_REVISIONS: dict[str, Direction] = {"raised": "up", "lowered": "down", "reaffirmed": "flat"}
_SIGNS: dict[str, Direction] = {"+": "up", "-": "down"}
_SCALES: dict[str, FactScale] = {" million": "million", " billion": "billion"}
_UNITS: dict[str, FactUnit] = {"%": "percent", " basis points": "basis_points"}
_WRITTEN = re.compile(r"(\$?)([\d,.]+)(%| basis points| million| billion)?")


class StatedAmount(Fact):
    """A figure as written, not yet placed in a sentence."""

    fact_id: str = ""
    sentence: str = ""
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """A slot for a phrase of change: `grew`, `down from`."""

    metric: str
    direction: Direction
    size: str
    """`slightly`, `clearly` or `strongly`."""

    form: str


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric of the call: its level, the level a year ago, and the change between them."""

    name: str
    level: StatedAmount
    prior: StatedAmount | None = None
    change: StatedAmount | None = None
    plural: bool = False

    def slots(self, key: str) -> Iterator[tuple[str, str | StatedAmount | Change]]:
        """Yield the slots of phrases under `key`, e.g. `revenue.prior`, `revenue.verb`."""
        yield key, self.level
        yield f"{key}.name", self.name
        yield f"{key}.was", "were" if self.plural else "was"
        if self.level.value_high is not None:
            between_phrase = "between " + self.level.text.replace(" to ", " and ")
            yield f"{key}.between", self.level.model_copy(update={"text": between_phrase})
        if self.prior is not None:
            yield f"{key}.prior", self.prior
        if self.change is not None and self.change.direction is not None:
            yield f"{key}.change", self.change
            size = _size_of(self.change)
            for form in _FORMS:
                yield (
                    f"{key}.{form}",
                    Change(self.level.metric, self.change.direction, size, form),
                )


def _size_of(change: StatedAmount) -> str:
    """Return the size of a change as a word."""
    clear, strong = (3, 10) if change.unit == "percent" else (50, 200)
    value = change.value or 0
    if value < clear:
        return "slightly"
    return "clearly" if value < strong else "strongly"


def read_amount(text: str, metric: str, period: str, **typed: Any) -> StatedAmount:
    """Read a figure or a range, such as `$4.2 billion`, `$1.05 to $1.10` or `40 basis points`."""
    matches = map(_WRITTEN.match, text.split(" to "))
    ends = [match.groups() for match in matches if match]
    money, _, word = ends[-1]
    scale = _SCALES.get(word, "one")
    unit = _UNITS.get(word, "count")
    if money:
        unit = "usd_per_share" if scale == "one" else "usd"
    low, *high = (float(number.replace(",", "")) for _, number, _ in ends)
    value_high = high[0] if high else None
    typed |= {"value": low, "value_high": value_high, "unit": unit, "scale": scale}
    return StatedAmount(text=text, metric=metric, period=period, **typed)


def company_count() -> int:
    """Return the number of possible companies."""
    return len(_coinages())


@cache
def _coinages() -> tuple[tuple[str, str], ...]:
    """Combine syllables into distinct names with tickers."""
    table = load_table("names")
    parts = [table[part].items() for part in ("beginnings", "middles", "endings")]
    syllables = product(*parts)
    return tuple((a + b + c, (x + y + z).upper()) for (x, a), (y, b), (z, c) in syllables)


@dataclass(frozen=True, slots=True)
class CallReport:
    """One quarter of a fictional company, as of the day of its call."""

    ticker: str
    name: str
    industry: Mapping[str, Any]
    """Table of the industry in `phrases/industries.toml`."""

    chief: str
    finance: str
    relations: str
    analysts: Sequence[tuple[str, str]]
    """Names and their brokers."""

    quarter: int
    year: int
    tags: Sequence[str]
    """Phrase conditions that apply to the quarter."""

    figures: Mapping[str, str]
    segments: Mapping[str, str]
    indicators: Mapping[str, str]
    event: str = ""
    """Kind of extraordinary event."""

    @property
    def period(self) -> str:
        """Period of the call, e.g. `Q3_2021`."""
        return f"Q{self.quarter}_{self.year}"

    def calendar(self) -> dict[str, str]:
        """Name the periods that phrases refer to."""
        return {
            "quarter": f"{_ORDINALS[self.quarter - 1]} quarter",
            "Q": f"Q{self.quarter}",
            "year": str(self.year),
            "last_year": str(self.year - 1),
            "next_quarter": f"{_ORDINALS[self.quarter % 4]} quarter",
            "next_Q": f"Q{self.quarter % 4 + 1}",
            "fy": str(self.year + self.quarter // 4),
        }

    def measures(self) -> dict[str, Measure]:
        """Read all measures except segments and indicators, by slot key."""
        return {key: self._figure(key, text) for key, text in self.figures.items()}

    def segment_measures(self) -> list[Measure]:
        """Read one measure per segment, best growth first."""
        return [
            self._measure(name, f"{name} revenue".lower(), text)
            for name, text in self.segments.items()
        ]

    def indicator_measures(self) -> list[Measure]:
        """Read one measure per operating indicator, in the order of the industry."""
        return [
            self._measure(name, name, text, name in self.industry["plural"])
            for name, text in self.indicators.items()
        ]

    def _figure(self, key: str, text: str) -> Measure:
        calendar = self.calendar()
        kind = key.partition("_")[0]
        periods = {
            "fy": f"FY_{calendar['fy']}",
            "next": f"{calendar['next_Q']}_{calendar['fy']}",
            "guided": self.period,
            "event.sequel": f"FY_{self.year + 1}",
        }
        metric = _METRICS.get(key, key.replace("_", " "))
        if kind.startswith("event"):
            metric = load_table("events")[self.event][
                "metric" if kind == "event" else "sequel_metric"
            ]
        revisions = [_REVISIONS[tag] for tag in self.tags if tag in _REVISIONS]
        return self._measure(
            metric,
            metric,
            text,
            period=periods.get(kind, self.period),
            basis=_basis_of(key),
            status="guidance" if kind in periods else "actual",
            direction=revisions[0] if revisions and key in ("fy_revenue", "fy_eps") else None,
        )

    def _measure(
        self, name: str, metric: str, parts: str, plural: bool = False, **typed: Any
    ) -> Measure:
        """Read `level`, or `level | level a year ago | change`."""
        typed = {"period": self.period} | typed
        text, *comparison_parts = parts.split(" | ")
        level = read_amount(text, metric, **typed)
        if not comparison_parts:
            return Measure(name, level)
        prior_period = f"Q{self.quarter}_{self.year - 1}"
        prior = read_amount(comparison_parts[0], metric, **typed | {"period": prior_period})
        direction = _SIGNS.get(comparison_parts[1][0], "flat")
        text = comparison_parts[1].lstrip("+-")
        change_metric = f"{metric} {'change' if text.endswith('points') else 'growth'}"
        change = read_amount(text, change_metric, **typed | {"direction": direction})
        return Measure(name, level, prior, change, plural)


def _basis_of(key: str) -> str | None:
    """Return the accounting basis of a figure; None if there is only one."""
    if key == "gaap_eps":
        return "gaap"
    return "adjusted" if "eps" in key else None


def reports_of(index: int, seed: int) -> list[CallReport]:
    """Return the quarters of the company at an index.

    Companies of one seed have distinct names and tickers; figures and people repeat once all
    companies of `phrases/companies.toml` are used.

    Args:
        index: Position in the sequence of companies, below `company_count()`.
        seed: Seed of the whole sequence.
    """
    companies: Sequence[Mapping[str, Any]] = load_table("companies")["companies"]
    record = dict(companies[(index + seed) % len(companies)])
    start = Random(f"{seed}:coin").randrange(company_count())
    coined, ticker = _coinages()[(index * 104_729 + start) % company_count()]
    record["name"] = f"{coined} {record.pop('suffix')}"
    record["ticker"] = ticker
    record["industry"] = load_table("industries")[record["industry"]]
    return [CallReport(**record, **row) for row in record.pop("calls")]
