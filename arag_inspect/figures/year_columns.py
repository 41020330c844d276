"""The columns of tables whose years may be followed by shares and changes."""

import re
from collections.abc import Sequence

from .lexicon import MONTH
from .row_figures import MARK

YEAR = re.compile(r"(?<![\d,.$-])(?:19|20)\d\d(?![\d,.%])")

_THOUSANDS = re.compile(r"(?<![\d.,])(?:000s?|100(?= [tmb]\w+ion|\sthousand))\b")
"""Zeros of a scale, which are no figure: $'000."""

DATE = re.compile(rf"{MONTH}\s+\d{{1,2}},?|(?:years?|months|weeks) ended", re.IGNORECASE)
"""The day or the length of a period in a heading."""

_DAY = re.compile(
    rf"\b\d{{1,2}}\.?\s{MONTH}|\b\d{{1,2}}[./]\d{{1,2}}[./](?=(?:19|20)\d\d\b)", re.IGNORECASE
)
"""A day before the year of a column: 31 December 2023, 31.12.2023."""

_PART = re.compile(
    r"\b(?:(?P<part>[qh][1-4]|[1-4][qh]|fy)[\s-]?(?:(?:fy|fiscal(?:\syear)?)[\s-]?)?['’]?"
    r"(?:(?=(?:19|20)\d\d\b)|(?P<short>\d\d)\b)"
    r"|(?:19|20)\d\d[/–-](?P<end>\d\d)\b)",
    re.IGNORECASE,
)
"""Part of a year before the year of a column, or a fiscal year of two: Q1 2023, Q4 FY23, FY23, 2022/23."""

_CHANGE_COLUMN = re.compile(
    r"\b(?:increase\W+decrease|change|growth|variance|difference|increase|decrease)\b",
    re.IGNORECASE,
)
"""The heading of a column of changes."""

VERSUS = re.compile(
    rf"(?:fiscal |year ){{0,2}}{YEAR.pattern}\s+(?:vs?\.?|versus|compared (?:with|to))\s+"
    rf"(?:fiscal |year ){{0,2}}{YEAR.pattern}",
    re.IGNORECASE,
)
"""Heading of a column of changes, or a paragraph."""

_MOST_CHANGES = 2
"""Most columns of changes after the years that percent signs alone identify."""

_SHORT = 90
"""Characters; a longer line without figures is not a heading of years."""

_NOTE = re.compile(r"\d{1,2}(?:[.,]\d{0,2})*")
"""Number of a note to the accounts."""


def heading_years(line: str) -> tuple[list[int], int]:
    """Return the years of a heading line, and the number of columns of changes.

    A line with other figures is not a heading. Return changes without years if changes come
    between the years or are the only columns.
    """
    if len(line) > _SHORT:
        return [], 0
    dated = DATE.sub(" ", _DAY.sub(" ", _PART.sub(_year_alone, line)))
    bare = _THOUSANDS.sub("", VERSUS.sub(" change ", dated))
    *before, after = YEAR.split(bare)
    if not YEAR.search(dated) or re.search(r"\d", YEAR.sub(" ", bare)):
        return [], 0
    if any(_CHANGE_COLUMN.search(between) for between in before[1:]):
        return [], 1
    return [int(year) for year in YEAR.findall(bare)], len(_CHANGE_COLUMN.findall(after))


def _year_alone(part: re.Match[str]) -> str:
    """Return the year of a match of `_PART` in four digits, or nothing if the year follows it."""
    year = part["short"] or part["end"]
    return f" 20{year}" if year else " "


def columns_of_changes(extras: list[str], changes: int) -> int:
    """Return how many columns changes take: two each, if they are in percent too."""
    return 2 * changes if have_shares(extras, changes) else changes


def without_notes(figures: list[str], columns: int) -> list[str]:
    """Return the figures of a row without the numbers of notes before those of its columns."""
    more = max(0, len(figures) - columns)
    return figures[more:] if all(map(_NOTE.fullmatch, figures[:more])) else figures


def _are_percents(figures: Sequence[str]) -> bool:
    """Return whether all figures are percentages, ignoring dashes."""
    numbers = [figure for figure in figures if re.search(r"\d", figure)]
    return bool(numbers) and all("%" in number for number in numbers)


def have_shares(figures: list[str], years: int) -> bool:
    """Return whether a percentage follows each year's figure.

    Later rows of the table often omit the percent sign.
    """
    return (
        len(figures) == 2 * years
        and _are_percents(figures[1::2])
        and not _are_percents(figures[::2])
    )


def year_figures(years: list[int], figures: list[str], changes: int, shares: bool) -> list[str]:
    """Return one value per year, without footnote marks, changes and shares."""
    count = len(years)
    if len(set(years)) != count or len(figures) < count:
        return []
    if shares and len(figures) == 2 * count:
        return figures[::2]
    values = figures[:count]
    extras = figures[count:]
    if len(extras) in (0, changes):
        return values
    are_changes = "%" not in "".join(values) and all("%" in figure for figure in extras)
    if are_changes and not changes and len(extras) <= _MOST_CHANGES:
        return values
    mark = MARK.fullmatch(figures[0])
    return year_figures(years, figures[1:], changes, shares) if mark else []
