"""Find events by date: declared on May 3, payable June 13 to holders of record on May 23."""

import re
from collections.abc import Iterator

from .. import lexicon
from ..figure_wording import Event
from .verbs import stems_of

_DATE = re.compile(
    rf"\b(?P<month>{lexicon.MONTH})\s(?:(?P<day>\d{{1,2}})\b(?:,?\s(?P<year>(?:19|20)\d\d)\b)?"
    r"|(?P<year_alone>(?:19|20)\d\d)\b)"
    rf"|\b(?P<day_first>\d{{1,2}})\s(?P<month_after>{lexicon.MONTH})"
    r"(?:\s(?P<year_after>(?:19|20)\d\d)\b)?"
)
_STATE = re.compile(
    r"\b(?:(?<!\brecord )(?:as of|at)|ended|ending|for|since|through|until)\s(?:the\s)?$"
)
"""Before a date on which nothing happens."""

_OPENS = re.compile(r"(?:^|[,;:]\s|\band\s)(?:on|in)\s$")
"""Before a date with which a clause opens: what happens follows it."""

_WORDS_AFTER = re.compile(r",?(?:\s[a-z'’-]+){1,6}")
_WORD = re.compile(
    r"\b(?!(?:an?|and|are|as|at|be|been|by|dates?|has|have|in|is|its?|of|on|or|the|them|to|was|were"
    r"|will)\b)[a-z][a-z'’-]+"
)
"""A word that may say what happens."""

_ENDING = re.compile(r"(?<=pay)(?:able|ment)s?$")
"""Ending of any of several words for one event."""


def find_events(text: str) -> frozenset[Event]:
    """Find what happens on the dates of a sentence in lower case."""
    return frozenset(_events(text))


def is_moved(event: Event, others: frozenset[Event]) -> bool:
    """Return whether others have an event of its word, but on another day."""
    alike = [other for other in others if other.word == event.word]
    return bool(alike) and not any(map(event.may_be_on_day_of, alike))


def _events(text: str) -> Iterator[Event]:
    start = 0
    for date in _DATE.finditer(text):
        before = text[start : date.start()]
        start = date.end()
        if _STATE.search(before):
            continue
        after = _WORDS_AFTER.match(text, start) if _OPENS.search(before) else None
        words = _WORD.findall(after[0]) if after else _WORD.findall(before)[-1:]
        month = date["month"] or date["month_after"]
        day = date["day"] or date["day_first"] or ""
        year = date["year"] or date["year_alone"] or date["year_after"] or ""
        for word in stems_of(_ENDING.sub("", word) for word in words):
            yield Event(word, month[:3], day, year)
