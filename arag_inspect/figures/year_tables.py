"""Read the rows of printed tables whose columns are years."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .lexicon import MONTH

_YEAR = re.compile(r"(?<![\d,.$-])(?:19|20)\d\d(?![\d,.%])")
_THOUSANDS = re.compile(r"(?<![\d.,])(?:000s?|100(?= [tmb]\w+ion|\sthousand))\b")
"""Zeros of a scale, which are no figure: $'000."""

_DATE = re.compile(rf"{MONTH}\s+\d{{1,2}},?|(?:years?|months|weeks) ended", re.IGNORECASE)
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

_PART_OR_YEAR = re.compile(rf"{_PART.pattern}|{_YEAR.pattern}", re.IGNORECASE)
_LONGEST_PART = 2
"""Characters of a part of a year as `_parts_of_years` names it; months and weeks are longer."""

_NUMBER = re.compile(
    r"\(?(?:[-–+](?!\s))?[$€£¥₹]?\s?\(?[-–]?\d[\d,]*(?:\.\d+)?\)?\s?%?\)?"
    r"(?:(?<!\b(?:19|20)\d\d)-(?=\s|$))?"
    r"|(?<=\s)(?:[—–-]+|[#*]|(?i:n[/.]?[am])\.?)(?=\s|$)"
)
"""A figure of a row, or a sign that there is none."""

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
"""The heading of a column of changes."""

_VERSUS = re.compile(
    rf"(?:fiscal |year ){{0,2}}{_YEAR.pattern}\s+(?:vs?\.?|versus|compared (?:with|to))\s+"
    rf"(?:fiscal |year ){{0,2}}{_YEAR.pattern}",
    re.IGNORECASE,
)
"""Heading of a column of changes, or a paragraph."""

_SPAN = re.compile(r"\b((?:three|six|nine|twelve) months|(?:1[34]|2[67]|39|40|5[23]) weeks)\b")
"""The length of a period in a heading."""

_MARK = re.compile(r"\(\d{1,2}\)")
"""A number in parentheses that may mark a footnote."""

_OPEN_LABEL = re.compile(
    r"\b(?:"
    r"of|and|or|to|in|at|by|for|from|than|through|with|due|after|before|until|note|level|rule"
    r"|item)\s\S+$"
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


class YearRow(NamedTuple):
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


def read_rows(text: str) -> Iterator[YearRow]:
    """Read the rows of every table in a text whose columns are years.

    A row is one line. One that has other figures besides those of the years (a share of sales,
    a change) is read if it is clear which are which, and skipped otherwise.

    Args:
        text: Lines of a document.
    """
    columns = _Columns()
    context: list[str] = []
    end = -1
    for printed in text.split("\n"):
        start = end + 1
        end = start + len(printed)
        line = _joined(printed)
        if columns.read_heading(line) or _is_blank_or_day(line):
            continue
        columns.stacked_years = []
        label, figures = _split(line)
        if figures and columns.years:
            above = tuple(context[-_CONTEXT:])
            for row in columns.read_row(label, figures):
                yield row._replace(context=above, start=start, end=end)
        elif len(line) > _SHORT or line.endswith("."):
            columns.years = []
            context = []
        else:
            context.append(line)


@dataclass(slots=True)
class _Columns:
    """The columns of a table as its headings, and the rows so far, show them."""

    years: list[int] = field(default_factory=list)
    """Years of the columns from left to right; empty outside of a table."""

    stacked_years: list[int] = field(default_factory=list)
    """Years on lines of their own right above, one for each column."""

    spans: list[str] = field(default_factory=list)
    """Months or parts of years that the headings name."""

    changes: int = 0
    """Number of columns of changes after those of the years."""

    shares: bool = False
    """Whether a share follows each year's figure."""

    notes: bool = False
    """Whether a column with the numbers of notes precedes the years."""

    is_headed: bool = False
    """Whether the line above names the years."""

    def read_heading(self, line: str) -> bool:
        """Take over what a line says of the columns; return whether it is a heading."""
        self.spans = _SPAN.findall(line.lower()) or self.spans
        years, changes = _heading_years(line)
        if self.is_headed and changes and not _YEAR.search(_VERSUS.sub(" ", line)):
            self.changes += changes  # "2022 vs. 2021" below the years
            return True
        self.is_headed = len(years) >= 2
        if self.is_headed or (changes and not years):
            self.years = years
            self.stacked_years = []
            self.changes = changes
            self.shares = False
            self.notes = "note" in line.lower()
            long_spans = [span for span in self.spans if len(span) > _LONGEST_PART]
            self.spans = _parts_of_years(line) or long_spans
            return True
        if years and len(line.split()) == 1:
            self.stacked_years.append(years[0])
            self.years = list(self.stacked_years)
            self.changes = 0
            self.shares = False
            return True
        return False

    def read_row(self, label: str, figures: list[str]) -> Iterator[YearRow]:
        """Yield a row with the figures of its years; of years that repeat, one for each block."""
        figures = figures[_count_in_label(label, figures) :]
        if self.notes:
            figures = _without_notes(figures, len(self.years) + self.changes)
        self.shares = self.shares or _have_shares(figures, len(self.years))
        self.changes = _columns_of_changes(figures[len(self.years) :], self.changes)
        label = label.strip(" .:$—–-")
        if not label or _DATE.search(label) or _MONTH.search(label):
            return
        for span, years, block in _blocks(self.years, figures, self.spans):
            cells = _year_figures(years, block, self.changes, self.shares)
            if cells:
                by_year = dict(zip(years, cells, strict=True))
                stated = {year: cell for year, cell in by_year.items() if cell[0] not in "nN"}
                yield YearRow(label, (), _are_percents(cells), stated, span=span)


def _is_blank_or_day(line: str) -> bool:
    """Return whether a line is blank, or only the day of a column whose year follows."""
    bare = line.lstrip(" ,")
    return not bare or (_DATE.match(bare) is not None and not _DATE.sub("", bare).strip(" ,"))


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
    if repeats and len(spans) == len(years):
        spans = _spans_of_blocks(spans, count)
    if not repeats or len(spans) != number:
        is_one_part = len(spans) == len(years) and len(set(spans)) == 1 and spans[0][0] in "qh"
        return [(spans[0] if is_one_part else None, years, figures)]
    return [
        (span, years[:count], figures[index * count : (index + 1) * count])
        for index, span in enumerate(spans)
    ]


def _spans_of_blocks(spans: Sequence[str], count: int) -> list[str]:
    """Return the span of each block of `count` columns; none if the columns of a block differ."""
    blocks = [set(spans[start : start + count]) for start in range(0, len(spans), count)]
    return [block.pop() for block in blocks if len(block) == 1]


def _joined(line: str) -> str:
    """Return a row of Markdown or of cells as one line, signs and digits of a cell together."""
    if "|" not in line:
        return line
    line = " ".join(line.replace("|", " ").split())
    return re.sub(r"(?<=\()\s+|(?<=\d)\s+(?=[)%])", "", line)


def _year_alone(part: re.Match[str]) -> str:
    """Return the year of a match of `_PART` in four digits, or nothing if the year follows it."""
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
    """Return the part of the year of each column of a heading: q1, h2, fy; none if it names none."""
    parts: list[str] = []
    named_part = ""
    for match in _PART_OR_YEAR.finditer(line):
        part = (match["part"] or "").lower()
        named_part = part or named_part
        is_year_still_to_come = bool(part) and not match["short"]
        if not is_year_still_to_come:
            parts.append(named_part or "fy")
            named_part = ""
    if not _names_part(line):
        return []
    return [part[::-1] if part[0].isdigit() else part for part in parts]


def _names_part(line: str) -> bool:
    return any(match["part"] for match in _PART.finditer(line))


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
    first = figures[0]
    is_mark = not label[-1:].isspace() and _MARK.fullmatch(first) is not None
    is_glued = label[-1:].isalpha() and re.fullmatch(r"\d\d?", first) is not None
    continues = _OPEN_LABEL.search(f"{label.rstrip(' $')} {first}") is not None
    return int(is_mark or is_glued or continues)


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
    values = figures[:count]
    extras = figures[count:]
    if len(extras) in (0, changes):
        return values
    are_changes = "%" not in "".join(values) and all("%" in figure for figure in extras)
    if are_changes and not changes and len(extras) <= _MOST_CHANGES:
        return values
    mark = _MARK.fullmatch(figures[0])
    return _year_figures(years, figures[1:], changes, shares) if mark else []
