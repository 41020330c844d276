"""Read the rows of printed tables whose columns are years."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .lexicon import MONTH

_YEAR = re.compile(r"(?<![\d,.$-])(?:19|20)\d\d(?![\d,.%])")
_THOUSANDS = re.compile(r"(?<![\d.,])(?:000s?|100(?= [tmb]\w+ion|\sthousand))\b")
_DATE = re.compile(rf"{MONTH}\s+\d{{1,2}},?|(?:years?|months|weeks) ended", re.IGNORECASE)
_DAY = re.compile(
    rf"\b\d{{1,2}}\.?\s{MONTH}|\b\d{{1,2}}[./]\d{{1,2}}[./](?=(?:19|20)\d\d\b)", re.IGNORECASE
)
"""A day before the year of a column: 31 December 2023, 31.12.2023."""

_PART = re.compile(
    r"\b(?:(?P<part>[qh][1-4]|[1-4][qh]|fy)[\s-]?['’]?(?:(?=(?:19|20)\d\d\b)|(?P<short>\d\d)\b)|(?:19|20)\d\d[/–-](?P<end>\d\d)\b)",
    re.IGNORECASE,
)
"""Part of a year before the year of a column, or a fiscal year of two: Q1 2023, FY23, 2022/23."""

_LONGEST_PART = 2
_NUMBER = re.compile(
    r"\(?(?:[-–+](?!\s))?[$€£¥₹]?\s?\(?[-–]?\d[\d,]*(?:\.\d+)?\)?\s?%?\)?(?:(?<!\b(?:19|20)\d\d)-(?=\s|$))?"
    r"|(?<=\s)(?:[—–-]+|[#*]|(?i:n[/.]?[am])\.?)(?=\s|$)"
)
_NO_FIGURE = re.compile(r"\sn[/.]?[am]\.?\s*$", re.IGNORECASE)
_FIGURES = re.compile(rf"(?:\s*+(?>{_NUMBER.pattern}|[$€£%]))++\s*+$")
"""Figures up to the end of a line (possessive, so that a long number is not split)."""

_LAST_SIGNS = {*"),%$€£—–-#*"}
"""What a figure may end with, besides a digit."""

_LONGEST = 2_000
"""Characters of a row; a longer line is no row of a table."""

_CHANGE_COLUMN = re.compile(
    r"\b(?:increase\W+decrease|change|growth|variance|difference|increase|decrease)\b",
    re.IGNORECASE,
)
_VERSUS = re.compile(
    rf"(?:fiscal |year ){{0,2}}{_YEAR.pattern}\s+(?:vs?\.?|versus|compared (?:with|to))\s+(?:fiscal |year ){{0,2}}{_YEAR.pattern}",
    re.IGNORECASE,
)
"""Heading of a column of changes, or a paragraph."""

_SPAN = re.compile(r"\b((?:three|six|nine|twelve) months|(?:1[34]|2[67]|39|40|5[23]) weeks)\b")
_MARK = re.compile(r"\(\d{1,2}\)")
"""A number in parentheses that may mark a footnote."""

_OPEN_LABEL = re.compile(
    r"\b(?:of|and|or|to|in|at|by|for|from|than|through|with|due|after|before|until|note|level|rule|item)\s\S+$"
    r"|\b(?:fiscal|year|quarter)\s(?:19|20)\d\d$",
    re.IGNORECASE,
)
"""A label that continues with a number."""

_MONTH = re.compile(rf"\b{MONTH}$", re.IGNORECASE)
_MOST_CHANGES = 2
"""Most columns of changes after the years that percent signs alone identify."""

_SHORT = 90
"""Characters; a longer line without figures is not part of a table."""

_CONTEXT = 4
"""Lines above a row that may name its table or block."""


class Row(NamedTuple):
    """A row with the values of its year columns."""

    label: str
    context: tuple[str, ...]
    """Lines above the row without figures: titles of the table and of blocks of rows."""

    percent: bool
    figures: dict[int, str]
    """Figure by year, as printed."""

    start: int = 0
    end: int = 0
    """Position of its line in the text."""

    span: str | None = None
    """Months or part of the year that its columns cover, if the years repeat or the head of each has it."""


_NOTE = re.compile(r"\d{1,2}(?:[.,]\d{0,2})*")
"""Number of a note to the accounts."""


def read_rows(text: str) -> Iterator[Row]:
    """Read the rows of every table in a text whose columns are years.

    A row is one line. One that has other figures besides those of the years (a share of sales,
    a change) is read if it is clear which are which, and skipped otherwise.

    Args:
        text: Lines of a document.
    """
    years, column_years = list[int](), list[int]()
    changes, shares, notes, is_head = 0, False, False, False
    context: list[str] = []
    spans: list[str] = []
    end = -1
    for printed in text.split("\n"):
        start, end = end + 1, end + 1 + len(printed)
        line = _joined(printed)
        spans = _SPAN.findall(line.lower()) or spans
        heading_years, columns = _heading_years(line)
        if is_head and columns and not _YEAR.search(_VERSUS.sub(" ", line)):
            changes += columns  # "2022 vs. 2021" below the years
            continue
        is_head = len(heading_years) >= 2
        if is_head or (columns and not heading_years):
            years, column_years, changes, shares = heading_years, [], columns, False
            notes = "note" in line.lower()
            long_spans = [span for span in spans if len(span) > _LONGEST_PART]
            spans = _parts_of_years(line) or long_spans
            continue
        if heading_years and len(line.split()) == 1:  # a column's year on a line of its own
            column_years.append(heading_years[0])
            years, changes, shares = list(column_years), 0, False
            continue
        bare = line.lstrip(" ,")
        if not bare or (_DATE.match(bare) and not _DATE.sub("", bare).strip(" ,")):
            continue  # the day of a column whose year follows
        column_years = []
        label, figures = _split(line)
        if figures and years:
            figures = figures[_count_in_label(label, figures) :]
            if notes:
                figures = _without_notes(figures, len(years) + changes)
            shares = shares or _have_shares(figures, len(years))
            changes = _columns_of_changes(figures[len(years) :], changes)
            label = label.strip(" .:$—–-")
            if not label or _DATE.search(label) or _MONTH.search(label):
                continue
            above, blocks = tuple(context[-_CONTEXT:]), _blocks(years, figures, spans)
            for span, block_years, block in blocks:
                cells = _year_figures(block_years, block, changes, shares)
                if cells:
                    pairs = zip(block_years, cells, strict=True)
                    stated = {year: cell for year, cell in pairs if cell[0] not in "nN"}
                    yield Row(label, above, _are_percents(cells), stated, start, end, span)
        elif len(line) > _SHORT or line.endswith("."):
            years, context = [], []
        else:
            context.append(line)


def _columns_of_changes(extras: list[str], changes: int) -> int:
    """Return how many columns changes take: two each, if they are in percent too."""
    return 2 * changes if _have_shares(extras, changes) else changes


def _without_notes(figures: list[str], columns: int) -> list[str]:
    """Return the figures of a row without the numbers of notes before those of its columns."""
    more = max(0, len(figures) - columns)
    return figures[more:] if all(map(_NOTE.fullmatch, figures[:more])) else figures


def _blocks(
    years: list[int], figures: list[str], spans: Sequence[str]
) -> list[tuple[str | None, list[int], list[str]]]:
    """Split a row whose years repeat, as three and six months of both, into its blocks."""
    count = len(set(years))
    number = len(years) // count
    repeats = number > 1 and years == years[:count] * number and len(figures) == len(years)
    if not repeats or len(spans) != number:
        same = len(spans) == len(years) and spans[0][0] in "qh" and len({*spans}) == 1
        return [(spans[0] if same else None, years, figures)]
    return [
        (span, years[:count], figures[index * count : (index + 1) * count])
        for index, span in enumerate(spans)
    ]


def _joined(line: str) -> str:
    """Return a row of Markdown or of cells as one line, signs and digits of a cell together."""
    if "|" not in line:
        return line
    line = " ".join(line.replace("|", " ").split())
    return re.sub(r"(?<=\()\s+|(?<=\d)\s+(?=[)%])", "", line)


def _year_alone(part: re.Match[str]) -> str:
    year = part["short"] or part["end"]
    return f" 20{year}" if year else " "


def _heading_years(line: str) -> tuple[list[int], int]:
    """Return the years of a heading line, and the number of columns of changes.

    A line with other figures is not a heading. Return changes without years if changes come
    between the years or are the only columns.
    """
    if len(line) > _SHORT:
        return [], 0
    dated = _DATE.sub(" ", _DAY.sub(" ", _PART.sub(_year_alone, line)))
    bare = _THOUSANDS.sub("", _VERSUS.sub(" change ", dated))
    *before, after = _YEAR.split(bare)
    if not _YEAR.search(dated) or re.search(r"\d", _YEAR.sub(" ", bare)):
        return [], 0
    if any(_CHANGE_COLUMN.search(between) for between in before[1:]):
        return [], 1
    return [int(year) for year in _YEAR.findall(bare)], len(_CHANGE_COLUMN.findall(after))


def _parts_of_years(line: str) -> list[str]:
    """Return the parts of years that a heading names, each as a letter and a number: q1, h2, fy."""
    parts = [match["part"].lower() for match in _PART.finditer(line) if match["part"]]
    return [part[::-1] if part[0].isdigit() else part for part in parts]


def _split(line: str) -> tuple[str, list[str]]:
    """Return the label of a row and its figures; no figures if the line is not a row."""
    end = line.rstrip()[-1:]
    is_figure = end.isdigit() or end in _LAST_SIGNS or _NO_FIGURE.search(line[-8:])
    match = _FIGURES.search(line) if is_figure and len(line) <= _LONGEST else None
    if match is None:
        return line, []
    figures = match[0]
    label = line[: match.end() - len(figures.lstrip())]
    return label, [figure.strip() for figure in _NUMBER.findall(figures)]


def _count_in_label(label: str, figures: Sequence[str]) -> int:
    """Count the figures that belong to a label: one in "allowance of $5 and"."""
    if label.count("(") > label.count(")"):
        closing = (i for i, figure in enumerate(figures, 1) if ")" in figure and "(" not in figure)
        return next(closing, len(figures))
    glued = not label[-1:].isspace() and _MARK.fullmatch(figures[0])
    glued = glued or (label[-1:].isalpha() and re.fullmatch(r"\d\d?", figures[0]))
    return int(bool(glued or _OPEN_LABEL.search(f"{label.rstrip(' $')} {figures[0]}")))


def _are_percents(figures: Sequence[str]) -> bool:
    """Return whether all figures are percentages, ignoring dashes."""
    numbers = [figure for figure in figures if re.search(r"\d", figure)]
    return bool(numbers) and all("%" in number for number in numbers)


def _have_shares(figures: list[str], years: int) -> bool:
    """Return whether a percentage follows each year's figure.

    Later rows of the table often omit the percent sign.
    """
    return (
        len(figures) == 2 * years
        and _are_percents(figures[1::2])
        and not _are_percents(figures[::2])
    )


def _year_figures(years: list[int], figures: list[str], changes: int, shares: bool) -> list[str]:
    """Return one value per year, without footnote marks, changes and shares."""
    count = len(years)
    if len(set(years)) != count or len(figures) < count:
        return []
    if shares and len(figures) == 2 * count:
        return figures[::2]
    values, extras = figures[:count], figures[count:]
    if len(extras) in (0, changes):
        return values
    are_changes = "%" not in "".join(values) and all("%" in figure for figure in extras)
    if are_changes and not changes and len(extras) <= _MOST_CHANGES:
        return values
    mark = _MARK.fullmatch(figures[0])
    return _year_figures(years, figures[1:], changes, shares) if mark else []
