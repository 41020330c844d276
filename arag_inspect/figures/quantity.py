"""A figure, one numeric statement of a text, and the period that it is of."""

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, NamedTuple

from ..text.sentences import Span
from ..types.sample import Basis, Direction

_ORDINALS = {"first": "1", "second": "2", "third": "3", "fourth": "4", "final": "4"}
_YEAR = r"(?:(?P<year>(?:19|20)\d\d)|['’](?P<short>\d\d))\b"
_OF_YEAR = (
    rf"(?:[\s,]*(?:of\s+|in\s+)?(?:the\s+)?(?:fiscal\s+(?:year\s+)?|fy\s*|calendar\s+)?{_YEAR})?"
)

_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"

_PERIODS = (
    r"(?<![\w$.,])(?:19|20)\d\d\s?(?:to|through|[-–])\s?(?:20)?\d\d\b(?![,.]\d|%)",
    rf"(?<!\w)(?:q(?P<quarter>[1-4])|(?P<quarter2>[1-4])q)(?:(?P<tight>\d\d)\b|(?!\w){_OF_YEAR})",
    rf"(?<!\w)(?:h(?P<half>[12])|(?P<half2>[12])h)(?:(?P<tight>\d\d)\b|(?!\w){_OF_YEAR})",
    rf"\b(?P<ordinal>first|second|third|fourth|final(?=[\s-]+(?:fiscal[\s-]+)?quarter)|[1-4](?:st|nd|rd|th))[\s-]+(?:fiscal[\s-]+)?(?P<part>quarter|half)\b(?:'s)?{_OF_YEAR}",
    rf"\b(?P<months>six|nine|6|9)[\s-]+months?\b{_OF_YEAR}",
    rf"\b(?P<full>full[\s-]+(?:fiscal[\s-]+)?year|(?:fiscal|calendar)(?:[\s-]+year)?\b|fy(?![a-z])|twelve months\b)[\s-]*{_OF_YEAR}",
    r"\bfy['’]?(?P<full_short>\d\d)\b",
    r"(?<![\w$.,])(?P<year>(?:19|20)\d\d)\b(?![,.]\d|%|-\d)",
    r"(?<!\w)['’](?P<short>\d\d)\b",
    r"\b(?P<full>(?:for|in|(?<!end )(?<!course )of) the year)\b(?!-)",
    r"\b(?P<full>annual)(?= (?:\w+ )?(?:dividends?|earnings|eps|ffo|forecast|growth|guidance|outlook|revenues?|sales)\b)",
    rf"\b{_MONTH}[\s-]quarter\b{_OF_YEAR}",
    rf"\b(?:three months|3 months|quarter)[\s-]+(?:that )?ended(?: on)? {_MONTH}\.?(?: \d{{1,2}})?(?:,? {_YEAR})?",
    rf"\b(?P<to_date>year[\s-]to[\s-]date|ytd)\b{_OF_YEAR}",
    r"\b(?P<any>the quarter|this quarter|next quarter|qtrly|three[\s-]months?)\b",
)
_PATTERNS = tuple(map(re.compile, _PERIODS))
_PRIOR = re.compile(
    r"\b(?:(?:last|prior|previous|preceding)[\s-]*(?:fiscal[\s-]+)?(?:year|quarter|period)|year[\s-]ago|a year (?:ago|before|earlier|prior)|"
    r"the (?:year|quarter|month) (?:before|prior|earlier)|(?:twelve|12) months (?:ago|earlier|before)|(?:comparable|corresponding|same) (?:quarter|period)|"
    r"this time last year|(?:before|earlier)(?=[.,;]|$)|(?<!a )previously|(?:previous|prior|earlier|former|initial|original|old) (?:[a-z]+ ){0,2}(?:guidance|outlook|range|forecast|estimate|goal|target|view|expectation|projection)|(?:prior|previous(?:ly)?|formerly)(?=:))\b"
)


@dataclass(frozen=True, slots=True)
class Period:
    """A period; None for parts that the sentence leaves open."""

    span: str | None = None
    """`Q1` to `Q4`, `Qmar` (to March), `Q` (some quarter), `H1`, `H2`, `6M`, `9M`, `YTD` or `FY`."""

    year: int | None = None
    prior: bool = False
    """Whether it is the period compared with: "last year", "a year ago", "from ..."."""

    def conflict(self, other: "Period") -> bool:
        """Return whether the two cannot be the same period."""
        if self.year and other.year:
            if self.year != other.year:
                return True
        elif self.prior != other.prior and not (self.year or other.year):
            return True
        return not _compatible(self.span, other.span)

    def __str__(self) -> str:
        named = " ".join(str(part) for part in (self.span, self.year) if part)
        return " ".join(part for part in ("prior" if self.prior else "", named) if part) or "-"


ANY_PERIOD = Period()
"""A period of which nothing is known."""


class PeriodMention(NamedTuple):
    """A period with its position in the sentence."""

    start: int
    end: int
    period: Period


def find_periods(sentence: str) -> list[PeriodMention]:
    """Find the periods that a lower-case sentence names, from left to right."""
    mentions: list[PeriodMention] = []
    for mention in sorted(_mentions(sentence), key=lambda m: (m.start, -m.end)):
        if mentions and mention.start < mentions[-1].end:
            continue
        mentions.append(mention)
    return _merged(mentions, sentence)


def _mentions(sentence: str) -> Iterator[PeriodMention]:
    for pattern in _PATTERNS:
        for match in pattern.finditer(sentence):
            yield PeriodMention(match.start(), match.end(), _period(match.groupdict()))
    for match in _PRIOR.finditer(sentence):
        yield PeriodMention(match.start(), match.end(), Period(prior=True))


def _period(groups: dict[str, str | None]) -> Period:
    short = groups.get("short") or groups.get("tight") or groups.get("full_short")
    year = groups.get("year") or (f"20{short}" if short else None)
    return Period(_span(groups), int(year) if year else None)


def _span(groups: dict[str, str | None]) -> str | None:
    if quarter := groups.get("quarter") or groups.get("quarter2"):
        return f"Q{quarter}"
    if half := groups.get("half") or groups.get("half2"):
        return f"H{half}"
    if ordinal := groups.get("ordinal"):
        return ("H" if groups["part"] == "half" else "Q") + _ORDINALS.get(ordinal, ordinal[0])
    if months := groups.get("months"):
        return "6M" if months in ("six", "6") else "9M"
    if month := groups.get("month"):
        return f"Q{month}"
    if groups.get("to_date"):
        return "YTD"
    if groups.get("full") or groups.get("full_short"):
        return "FY"
    return "Q" if groups.get("any") else None


def _merged(mentions: list[PeriodMention], sentence: str) -> list[PeriodMention]:
    """Merge "the third quarter" and "of last year", which are one period."""
    merged: list[PeriodMention] = []
    for mention in mentions:
        last = merged[-1] if merged else None
        if last and re.fullmatch(
            r"(?:'s)?[\s,]*(?:of|in)?\s*(?:the)?\s*", sentence[last.end : mention.start]
        ):
            spans = [p.period.span for p in (last, mention) if p.period.span]
            span = next((s for s in spans if s != "FY"), spans[0] if spans else None)
            joined = replace(
                last.period,
                span=span,
                year=last.period.year or mention.period.year,
                prior=last.period.prior or mention.period.prior,
            )
            merged[-1] = PeriodMention(last.start, mention.end, joined)
        else:
            merged.append(mention)
    return merged


def _compatible(span: str | None, other: str | None) -> bool:
    if span is None or other is None or span == other:
        return True
    if {span, other} <= {"H1", "6M"} or "YTD" in (span, other):
        return {span, other} <= {"H1", "6M", "9M", "YTD"}
    if span[0] == other[0] == "Q" and len(span) != len(other):  # of a month, and by its number
        return True
    return "Q" in (span, other) and span[0] == other[0] == "Q"


Unit = Literal[
    "currency", "per_share", "percent", "points", "basis_points", "count", "multiple", "rank", "year", "date",
]  # fmt: skip
Base = str
"""Base of a change: `year` (the same period of last year), `quarter` (the one before), or a year as 2019."""
Status = Literal["actual", "guidance", "estimate", "hypothetical", "authorized"]
"""`estimate` is what analysts expected, `authorized` what may be done ("up to")."""

Bound = Literal["low", "high"]
Moved = Literal["from", "to"]

POWERS = {"one": 0, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
POWERS |= {"lakh": 5, "crore": 7}
POWERS |= {f"10^{power}": power for power in (4, 8, 10, 11, 13, 16)}
"""Power of ten by scale; of those without an English word by their exponent."""

_NOT_SHOWN = (
    "later",
    "words",
    "metrics",
    "compares",
    "named",
    "alone",
    "shared",
    "before",
    "after",
    "beside",
)
"""Fields that only comparing two figures needs."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A figure with its attributes, as its sentence states them."""

    text: str
    """As written."""

    span: Span
    sentence: Span
    """Position of the sentence that contains the figure."""

    value: float
    """As written, before the scale and without the sign."""

    decimals: int
    """Decimals as written; of a range those of the more precise end."""

    unit: Unit
    value_high: float | None = None
    """Upper end of a range, in the scale of the lower end."""

    middle: float | None = None
    """What a range was written around: 410 of "410, plus or minus 5"."""

    scale: str = "one"
    """A key of `POWERS`, or the word as written if its power is unknown."""

    currency: str | None = None
    """Lower-case code, e.g. `usd`; an unknown code or sign as written."""

    negative: bool = False
    hedged: bool = False
    """Given as approximate: "about", "nearly", "just over"."""

    bound: Bound | None = None
    """Whether it is only a lower ("over") or an upper end ("nearly", "at most")."""

    denied: bool = False
    """Whether the sentence negates it: "was not $5 million", "did not rise 5%"."""

    direction: Direction | None = None
    change: bool = False
    """Whether it is the size of a change ("up 5%"), not a level ("to $1.2 billion")."""

    level: bool | None = None
    """Whether words right before it make it a level ("costs were"), or a change ("fell by")."""

    moved: Moved | None = None
    """Which end it is of a move: "from 3.1% to 2.2%"."""

    derived: bool = False
    """Whether it is computed from figures of its sentence, not written there."""

    against: Base | None = None
    """Base of a change: the same period of last year, or the quarter before."""

    period: Period = ANY_PERIOD
    later: Period | None = None
    """Period of the figures that this earlier one is compared with, if the sentence names it."""

    basis: Basis | None = None
    status: Status | None = None
    metric: str | None = None
    named: bool = False
    """Whether the metric stands beside the figure."""

    alone: str = ""
    """Words of its sentence that are about it alone, in lower case."""

    shared: str = ""
    """Words of its sentence that are about it and its neighbours."""

    before: str = ""
    """Words between the figure before it and this one."""

    after: str = ""
    """Words after it that are about it."""

    beside: str = ""
    """Words that are about other figures of its unit alone."""

    per: str | None = None
    """What a price or rate is for one of: ounce, day."""

    measure: str | None = None
    """Dimension of a count with a unit: power of 5.4 GW; None for pieces."""

    size: float = 1.0
    """Size of that unit in the smallest of its dimension."""

    qualifiers: frozenset[str] = frozenset()
    """Words that narrow the metric, e.g. the name of a segment."""

    words: frozenset[str] = frozenset()
    """Content words of the sentence."""

    metrics: frozenset[str] = frozenset()
    """Metrics that the sentence names."""

    compares: bool = False
    """Whether the sentence compares periods, so that it may be unclear which a figure is of."""

    @property
    def dimension(self) -> str:
        """Dimension of the amount; figures of one dimension can be compared."""
        if self.scale not in POWERS:
            return f"{self.currency or self.unit} {self.scale}"
        if self.unit in ("currency", "per_share"):
            return self.currency or "money"
        if self.unit == "count":
            return self.measure or "count"
        return "points" if self.unit == "basis_points" else self.unit

    @property
    def amount(self) -> float:
        """Lower end in the base unit of its dimension: dollars, percentage points, pieces."""
        return self._signed(self.value)

    @property
    def amount_high(self) -> float | None:
        """Upper end in the same unit."""
        return None if self.value_high is None else self._signed(self.value_high)

    @property
    def step(self) -> float:
        """Smallest difference that its notation can show."""
        return self._factor * 10.0**-self.decimals

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that a reader is shown as JSON values."""
        fields = asdict(self)
        for name in _NOT_SHOWN:
            del fields[name]
        return fields | {"qualifiers": sorted(self.qualifiers)}

    @property
    def _factor(self) -> float:
        if self.unit == "basis_points":
            return 0.01
        return self.size * 10.0 ** POWERS.get(self.scale, 0)

    def _signed(self, value: float) -> float:
        return (-value if self.negative else value) * self._factor
