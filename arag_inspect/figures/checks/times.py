"""When a statement says that something happens: its years, parts of years, months and days."""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import product
from typing import NamedTuple, TypeVar

from ..dates import dates
from ..figure_wording import Event
from ..lexicon import MONTH, MONTHS
from ..periods import find_periods, short_years, without_periods
from ..wording.dates import find_events, is_moved

_NUMBERED_PART = re.compile(r"[QH][1-4]")
_QUARTERS = {"H1": ("Q1", "Q2"), "H2": ("Q3", "Q4")}
_WITHOUT_YEAR = re.compile(
    rf"\b(?P<month>{MONTH})\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?![.,]?\d)"
    rf"|\b(?P<day_first>\d{{1,2}})(?:st|nd|rd|th)?(?:\sof)?\s(?P<month_after>{MONTH})(?!\w)"
    rf"|\b(?:by|during|in|since|until)\s(?:(?:early|mid|late)[\s-])?(?P<month_alone>{MONTH})(?!\w)"
)
"""A day, or a month after a preposition: not the verbs "may" and "march"."""

_MONTH_OR_NUMBER = re.compile(rf"\b(?:{MONTH}(?!\w)|\d[\d/.-]*(?:st|nd|rd|th)?\b)")


class _Day(NamedTuple):
    """A month, or a day of it; None for what the text does not say."""

    year: int | None
    month: int
    day: int | None

    def may_be(self, other: "_Day") -> bool:
        """Return whether one of the two may be the other, or a day of it."""
        return all(
            mine == theirs or None in (mine, theirs)
            for mine, theirs in zip(self, other, strict=True)
        )


class _PartOfYear(NamedTuple):
    """A quarter or half: `Q1`, `H1`; None for a year that the text does not say."""

    year: int | None
    name: str

    def may_be(self, other: "_PartOfYear") -> bool:
        """Return whether one of the two may be the other, or a quarter of it."""
        is_in_other = self.name in (other.name, *_QUARTERS.get(other.name, ()))
        is_part = is_in_other or other.name in _QUARTERS.get(self.name, ())
        return is_part and (self.year == other.year or None in (self.year, other.year))


_T = TypeVar("_T", _Day, _PartOfYear)


class _Times(NamedTuple):
    """The times that a statement mentions."""

    years: frozenset[int]
    parts: frozenset[_PartOfYear]
    days: frozenset[_Day]
    events: frozenset[Event]


def are_at_other_times(text: str, other: str) -> bool:
    """Return whether two sentences mention times of one kind, but none in common.

    The kinds are years, parts of years, days or months, and the days of an event ("payable").
    """
    times, other_times = _times(text), _times(other)
    if times.years and other_times.years and times.years.isdisjoint(other_times.years):
        return True
    if _are_apart(times.parts, other_times.parts) or _are_apart(times.days, other_times.days):
        return True
    for word in {event.word for event in times.events}:
        events = [event for event in times.events if event.word == word]
        if all(is_moved(event, other_times.events) for event in events):
            return True
    return False


def _are_apart(times: Collection[_T], others: Collection[_T]) -> bool:
    """Return whether both sentences mention times of a kind, and none may be the same."""
    if not (times and others):
        return False
    return not any(mine.may_be(theirs) for mine, theirs in product(times, others))


def without_times(text: str) -> str:
    """Return a sentence in lower case without the words for its times."""
    return _MONTH_OR_NUMBER.sub(" ", without_periods(text.lower()))


@lru_cache(maxsize=8192)
def _times(text: str) -> _Times:
    """Read the times that a sentence mentions."""
    lower = text.lower()
    periods = [mention.period for mention in find_periods(lower)]
    years = {period.year for period in periods if period.year}
    parts = {
        _PartOfYear(period.year, period.span)
        for period in periods
        if period.span and _NUMBERED_PART.fullmatch(period.span)
    }
    return _Times(
        years=frozenset(years | short_years(text)),
        parts=frozenset(parts),
        days=frozenset(_days(lower)),
        events=find_events(lower),
    )


def _days(lower: str) -> Iterator[_Day]:
    """Yield the days and months of a sentence, with a year or without."""
    spans = []
    for named_date in dates(lower):
        if named_date.month:
            spans.append(named_date.span)
            yield _Day(named_date.year, named_date.month, named_date.day)
    for match in _WITHOUT_YEAR.finditer(lower):
        if any(start < match.end() and match.start() < end for start, end in spans):
            continue
        name = match["month"] or match["month_after"] or match["month_alone"]
        day = match["day"] or match["day_first"]
        yield _Day(None, MONTHS.index(name[:3]) + 1, int(day) if day else None)
