"""Lists of periods, one for each figure: the three and nine months ended June 30, 2031."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .. import lexicon

_YEAR = r"(?:19|20)\d\d"
_DAY = rf"{lexicon.MONTH}\s\d{{1,2}}"
_NUMBER = (
    r"(?:three|six|nine|twelve|thirteen|fourteen|twenty-(?:six|seven)|thirty-nine|forty"
    r"|fifty-(?:two|three)|3|6|9|12|13|14|26|27|39|40|52|53)"
)
_ITEM = re.compile(
    r"(?<![\w$€£.,-])(?:"
    rf"(?P<day>{_DAY},?\s)?(?:(?:fiscal(?:\syear)?|fy|{lexicon.MONTH})\s)?(?P<year>{_YEAR})|{_DAY}"
    rf"|(?:full|fiscal)\syear(?:\sof\s{_YEAR})?"
    rf"|(?P<number>(?:first\s)?{_NUMBER}|first|second|third|fourth|[hq][1-4])"
    r"(?P<noun>[\s-](?:fiscal\s)?(?:months?|weeks?|quarter|half)(?:\speriod)?)?s?"
    rf"(?P<head>\s(?:ended|ending)\s(?:on\s)?{_DAY}(?:,\s{_YEAR})?"
    rf"|,?\s(?:of\s)?(?:fiscal\s)?{_YEAR})?"
    r")(?![\w%-]|[.,]\d)"
)
"""A date, a year, or a part of a year; another item may have its noun and year."""

_AND = re.compile(r"(?:,\s(?:and\s|or\s)?|\s(?:and|or)\s)(?:(?:as of|at|during|for|in|the)\s)*")
"""Between two items."""

_OPENING = re.compile(
    rf"(?:\b{_NUMBER}[\s-](?:months?|weeks?)\s|\b(?:quarters?|years?)\s)?"
    r"\b(?:as of|at|during|ended|ending|for|in|of|on)\s(?:the\s)?(?:[a-z-]+\s)?$"
)
"""Words right before a list, which are about all of its items."""


class ItemList(NamedTuple):
    """A list of things that words enumerate."""

    items: list[str]
    remainder: str
    """The text without the list."""

    start: int


def find_times(text: str, size: int) -> ItemList | None:
    """Find the first list of a size of dates or periods in a text in lower case.

    Without one, they are all that the text names, if these are as many: $4 in May and $9 in June.
    """
    everywhere = list(_ITEM.finditer(text))
    for run in [*_runs(everywhere, text), everywhere]:
        has_time = any(item["year"] or item["noun"] or not item["number"] for item in run)
        if len(run) == size and has_time:
            opening = _OPENING.search(text, 0, run[0].start())
            start = opening.start() if opening else run[0].start()
            before = text[start : run[0].start()]
            items = [before + item for item in _complete(run)]
            return ItemList(items, f"{text[:start]} {text[run[-1].end() :]}", start)
    return None


def _runs(items: Sequence[re.Match[str]], text: str) -> Iterator[Sequence[re.Match[str]]]:
    """Yield the dates and periods with nothing but commas and "and" between them."""
    run: list[re.Match[str]] = []
    for item in items:
        if run and not _AND.fullmatch(text, run[-1].end(), item.start()):
            yield run
            run = []
        run.append(item)
    yield run


def _complete(run: Sequence[re.Match[str]]) -> Iterator[str]:
    """Yield items in full.

    The last one may have the noun of all (the three and nine months ended June 30), and the first
    one the day (May 31, 2031 and 2030).
    """
    last = run[-1]
    for item in run:
        if item["number"]:
            noun = item["noun"] or last["noun"] or ""
            head = item["head"] or last["head"] or ""
            yield f"{item['number']}{noun}{head}"
        elif item["year"] and not item["day"]:
            yield f"{run[0]['day'] or ''}{item[0]}"
        else:
            yield item[0]
