"""The dates of a text: a day, a month or a part of a year, with its year."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from ..text.sentences import Span
from .lexicon import MONTH, MONTHS
from .periods import find_periods

_YEAR = r"(?P<year{0}>(?:19|20)\d\d)\b(?![,.]\d|%)"
_NAMED_MONTH = rf"(?P<month{{0}}>{MONTH})"
_DAY = r"(?P<day{0}>\d{{1,2}})"
_DATE = re.compile(
    rf"\b{_NAMED_MONTH.format(1)}\s{_DAY.format(1)}(?:st|nd|rd|th)?,?\s{_YEAR.format(1)}"
    rf"|\b{_DAY.format(2)}(?:st|nd|rd|th|\.)?(?:\sof)?[\s-]{_NAMED_MONTH.format(2)},?[\s-]{_YEAR.format(2)}"
    rf"|\b{_YEAR.format(3)}-(?P<month3>\d\d)-{_DAY.format(3)}\b"
    rf"|\b{_NAMED_MONTH.format(4)}(?:,?\s(?:of\s)?|-){_YEAR.format(4)}"
)
_IN_NUMBERS = re.compile(
    r"(?<![\d/.])(\d{1,2})(?P<sign>[/.])(\d{1,2})(?P=sign)((?:19|20)\d\d)\b(?!/)"
)
"""A day whose month is a number before or after it: 06/30/2027, 30.06.2027."""

_NUMBERED_PART = re.compile(r"[QH][1-4]")
_VAGUE_PART = re.compile(
    r"\b(?P<part>early|mid|late|start|beginning|middle|end|spring|summer|autumn|fall|winter)"
    rf"[\s-](?:of\s|in\s)?{_YEAR.format('')}"
)
_SAME_PART = {
    "start": "early",
    "beginning": "early",
    "middle": "mid",
    "end": "late",
    "fall": "autumn",
}


@dataclass(frozen=True, slots=True)
class NamedDate:
    """A day, a month, or a part of a year."""

    text: str
    """As written."""

    span: Span

    year: int
    month: int | None = None
    day: int | None = None
    part: str | None = None
    """`Q1` to `Q4`, `H1`, `H2`, or a word such as `early`; None for a month or day."""

    def is_in(self, other: "NamedDate") -> bool:
        """Return whether it is another date or a part of it: a day of that month or quarter."""
        if self.year != other.year:
            return False
        if other.part:
            return other.part in (self.part, self._quarter, self._half)
        return self.month == other.month and other.day in (None, self.day)

    def is_in_any(self, others: Iterable["NamedDate"]) -> bool:
        """Return whether it is one of several dates, or a part of such a date."""
        return any(map(self.is_in, others))

    @property
    def _quarter(self) -> str | None:
        """Calendar quarter of a month or day."""
        return f"Q{(self.month + 2) // 3}" if self.month else None

    @property
    def _half(self) -> str | None:
        """Half of a year in which a quarter, month or day is."""
        quarter = self._quarter or self.part
        if quarter in ("Q1", "Q2"):
            return "H1"
        return "H2" if quarter in ("Q3", "Q4") else None


def dates(text: str) -> list[NamedDate]:
    """Return the dates of a text, from left to right; both readings of 03/04/2025."""
    named_dates = [*_days_and_months(text), *_days_in_numbers(text), *_parts_of_years(text)]
    return sorted(named_dates, key=lambda named_date: named_date.span.start)


def without_days(text: str) -> str:
    """Return a text with its year in place of each day."""
    days = {named_date.span: named_date.year for named_date in dates(text) if named_date.day}
    for (start, end), year in reversed(days.items()):
        text = f"{text[:start]}{year}{text[end:]}"
    return text


def _days_and_months(text: str) -> Iterator[NamedDate]:
    """Yield the days and months whose month is a word, or which are written as 2027-06-30."""
    for match in _DATE.finditer(text.lower()):
        form = next(number for number in "1234" if match[f"year{number}"])
        name = match[f"month{form}"]
        month = int(name) if name.isdigit() else MONTHS.index(name[:3]) + 1
        day = None if form == "4" else int(match[f"day{form}"])
        yield from _valid(match, text, int(match[f"year{form}"]), month, day)


def _days_in_numbers(text: str) -> Iterator[NamedDate]:
    """Yield the days whose month is a number, which comes second after points."""
    for match in _IN_NUMBERS.finditer(text):
        first, second, year = int(match[1]), int(match[3]), int(match[4])
        yield from _valid(match, text, year, second, first)
        if match["sign"] == "/" and first != second:
            yield from _valid(match, text, year, first, second)


def _parts_of_years(text: str) -> Iterator[NamedDate]:
    """Yield the quarters and halves, and such as the middle of a year."""
    lower = text.lower()
    for start, end, period in find_periods(lower):
        if period.year and period.span and _NUMBERED_PART.fullmatch(period.span):
            yield NamedDate(text[start:end], Span(start, end), period.year, part=period.span)
    for match in _VAGUE_PART.finditer(lower):
        part = _SAME_PART.get(match["part"], match["part"])
        yield NamedDate(match[0], Span(*match.span()), int(match["year"]), part=part)


def _valid(
    match: re.Match[str], text: str, year: int, month: int, day: int | None
) -> Iterator[NamedDate]:
    """Yield a day or month that exists: not February 30."""
    try:
        date(year, month, day or 1)
    except ValueError:
        return
    start, end = match.span()
    yield NamedDate(text[start:end], Span(start, end), year, month, day)
