"""Read the rows of printed tables, whose cells nothing separates."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .barred_tables import PrintedCell
from .column_heads import Head
from .lexicon import MONTH
from .printed_heads import (
    LONGEST_HEAD,
    NamedColumns,
    ballot_heads,
    is_head,
    lead_of,
    read_columns,
    read_names,
)
from .row_figures import count_in_label, joined, parts_of_row, split_row
from .year_columns import (
    DATE,
    VERSUS,
    YEAR,
    columns_of_changes,
    have_shares,
    heading_years,
    without_notes,
    year_figures,
)

_PART_OF_ROW = re.compile(
    r"(?:as a )?(?:%|percent(?:age)?) (?:of|change)\b|(?:%|percent|percentage)$", re.IGNORECASE
)
"""Label of the shares or changes of the row above."""

_MONTH = re.compile(rf"\b{MONTH}$", re.IGNORECASE)

_LONGEST_LABEL = 120
"""Characters; a longer line without figures is not part of a table."""

_PREFIX = re.compile(r"\[[^\]\n]*?(?:TABLE: (?P<head>[^\]\n]*))?\](?=\S)")
"""What a chunk has before its text, perhaps the head of a table that it continues."""

_BALLOT = "Votes"
"""Label of the row of a ballot that has none."""

_BALLOT_LINES = 6
"""Lines that the head of a ballot may take."""

_TITLES = 2
"""Lines above the head of a table that may name a segment."""

_CONTEXT = 4
"""Lines above a row that may name its table or block."""


class PrintedRow(NamedTuple):
    """A row with the figures of its columns."""

    label: str
    cells: tuple[PrintedCell, ...]
    section: str = ""
    """Title of its table, which may name a segment."""

    context: tuple[str, ...] = ()
    """Lines above the row without figures: titles of the table and of blocks of rows."""

    start: int = 0
    end: int = 0
    """Position of its line in the text."""

    @property
    def figures(self) -> dict[int | None, str]:
        """Figure by year, as printed."""
        return {cell.head.year: cell.text for cell in self.cells if cell.head.kind == "value"}


@dataclass(slots=True)
class PrintedColumns:
    """The columns of a table as its headings, and the rows so far, show them."""

    years: list[int] = field(default_factory=list)
    """Years of the columns from left to right; empty outside of a table."""

    changes: int = 0
    """Number of columns of changes after those of the years."""

    shares: bool = False
    """Whether a share follows each year's figure."""

    notes: bool = False
    """Whether a column with the numbers of notes precedes the years."""

    is_headed: bool = False
    """Whether the line above names the years."""

    label: str = ""
    """Label of the last row that is not a share or change of another."""

    prose: str = ""
    """The last line of prose, which may say what a ballot was about."""

    lines: list[str] = field(default_factory=list)
    """Lines since the last row."""

    named: NamedColumns | None = None
    """The columns as those lines name them, if they do."""

    def read_heading(self, line: str) -> bool:
        """Take over what a line says of the columns; return whether it is a heading."""
        if is_head(line):
            self.lines.append(line)
            self._read_years(line)
            return True
        return self._read_years(line)

    def may_have_rows(self) -> bool:
        """Take over the lines since the last row; return whether the columns are known."""
        if any(map(is_head, self.lines)):
            self.named = read_columns(self.lines)
            self.shares = False
        elif self.lines and not (self.years or self.named):
            self.named = read_names(self.lines[-1])
        self.lines = []
        return bool(self.years) or self.named is not None

    def read_ballot(self, label: str, figures: list[str]) -> PrintedRow | None:
        """Return the row of a ballot that has no label but the names of its columns."""
        for first in range(len(self.lines), max(-1, len(self.lines) - _BALLOT_LINES), -1):
            heads = ballot_heads(" ".join([*self.lines[first:], label]), len(figures))
            if heads:
                about = self.lines[first - 1] if first else self.prose
                self.lines = []
                return _row(_BALLOT, heads, figures)._replace(section=about)
        return None

    @property
    def are_known(self) -> bool:
        """Whether a table has begun."""
        return bool(self.years or self.lines) or self.named is not None

    def end(self) -> None:
        """Forget the columns: prose follows."""
        self.years = []
        self.lines = []
        self.named = None

    def _read_years(self, line: str) -> bool:
        """Take over the years that a line names; return whether it names more than one."""
        years, changes = heading_years(line)
        if self.is_headed and changes and not YEAR.search(VERSUS.sub(" ", line)):
            self.changes += changes  # "2022 vs. 2021" below the years
            return True
        self.is_headed = len(years) >= 2
        if self.is_headed or (changes and not years):
            self.years = years
            self.changes = changes
            self.shares = False
            self.notes = "note" in line.lower()
            return True
        return False

    def read_row(self, label: str, figures: list[str]) -> PrintedRow | None:
        """Return a row with the figures of its columns; None if it is unclear which are whose."""
        figures = figures[count_in_label(label, figures) :]
        label = label.strip(" .:$—–-")
        if _PART_OF_ROW.match(label):
            label = f"{self.label} {label}"
        else:
            self.label = label
        if not label or DATE.search(label) or _MONTH.search(label):
            return None
        heads = self.named.heads(figures, self.shares) if self.named else None
        if heads:
            self.shares = self.shares or any(head.kind == "share" for head in heads)
        else:
            heads, figures = self._heads_of_years(figures)
        return _row(label, heads, figures) if heads else None

    def _heads_of_years(self, figures: list[str]) -> tuple[list[Head], list[str]]:
        """Return the heads and the figures of the years of a row that has others besides."""
        number = len(self.years)
        if self.notes:
            figures = without_notes(figures, number + self.changes)
        self.shares = self.shares or have_shares(figures, number)
        self.changes = columns_of_changes(figures[number:], self.changes)
        cells = year_figures(self.years, figures, self.changes, self.shares)
        return [Head(year=year) for year in self.years] if cells else [], cells


def read_rows(text: str, columns: PrintedColumns | None = None) -> Iterator[PrintedRow]:
    """Read the rows of every table in a text whose columns are years, or have names.

    A row is one line, or its figures are on the line below its label. One that has other figures
    besides those of the columns (a share of sales, a change) is read if it is clear which are which,
    and skipped otherwise.

    Args:
        text: Lines of a document.
        columns: Those of a table that may go on from another text; become those of the last table.
    """
    columns = columns or PrintedColumns()
    context: list[str] = []
    section = ""
    end = -1
    for printed in text.split("\n"):
        start = end + 1
        end = start + len(printed)
        prefix = _PREFIX.match(printed)
        if prefix and prefix["head"]:
            columns.end()
            columns.read_heading(prefix["head"][-LONGEST_HEAD:])
        line = joined(printed[prefix.end() :] if prefix else printed)
        if columns.read_heading(line) or _is_blank_or_day(line):
            section = " ".join([*context[-_TITLES:], lead_of(line)]) if line else section
            continue
        label, figures = split_row(line)
        ballot = columns.read_ballot(label, figures)
        if ballot:
            yield ballot._replace(start=start, end=end)
        elif figures and columns.may_have_rows():
            if not label.strip() and context:
                label = context.pop()  # its figures are on a line of their own
            above = tuple(context[-_CONTEXT:])
            for part in parts_of_row(label, figures):
                row = columns.read_row(*part)
                if row:
                    yield row._replace(context=above, section=section, start=start, end=end)
        elif line.endswith(".") or (len(line) > _LONGEST_LABEL and not line.endswith(":")):
            columns.end()
            columns.prose = line
            context = []
        else:
            context.append(line)
            columns.lines.append(line)


def _row(label: str, heads: Sequence[Head], figures: Sequence[str]) -> PrintedRow:
    """Return a row with those of its figures that are stated."""
    cells = [
        PrintedCell(head, figure)
        for head, figure in zip(heads, figures, strict=True)
        if figure[0] not in "nN"
    ]
    return PrintedRow(label, tuple(cells))


def _is_blank_or_day(line: str) -> bool:
    """Return whether a line is blank, or only the day of a column whose year follows."""
    bare = line.lstrip(" ,")
    if re.fullmatch(r"\d{1,2},", line.strip()):
        return True  # of a date that is broken into lines
    return not bare or (DATE.match(bare) is not None and not DATE.sub("", bare).strip(" ,"))
