"""Tables as plain data: text, Markdown, HTML and CSV are rendered from the same cells."""

import html
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from textwrap import fill
from typing import NamedTuple

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable

from .._util.encodable import csv_text
from ..stats.estimates import Estimate
from .cells import Cell, Over, Signed, join_parts, raw, show, show_parts

_GAP = 2
"""Characters between two columns in a terminal."""

_LEAST_WIDTH = 12
"""Minimum width of a text column in a terminal."""

_LONGEST_NAME = 30
"""Maximum characters of a name, such as a model's, that is never broken in a terminal."""

_SPECIAL = re.compile(r"([\\`*_\[\]|~#$])")


@dataclass(frozen=True, repr=False)
class Table:
    """Rows of cells under headings."""

    id: str
    """For links and file names, e.g. `headline`."""

    title: str
    text: str
    """Explanation of the table and how to read it."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    meanings: Mapping[str, str] = field(default_factory=dict)
    """Explanations of headings."""

    def __repr__(self) -> str:
        """Return the title and the rows."""
        return f"{self.title}\n{self.as_text()}"

    def _repr_html_(self) -> str:
        """Return the title and the rows for a notebook."""
        lines = [_html_row("th", self.columns)]
        lines += [_html_row("td", map(show, row)) for row in self.rows]
        return f"<table><caption>{html.escape(self.title)}</caption>{''.join(lines)}</table>"

    def as_text(self, width: int = 80) -> str:
        """Return the table for a terminal, at most `width` characters wide.

        Figures and short names are never broken. If there are too many columns, intervals move
        below their means, and columns that still do not fit form a separate table below.
        """
        columns = _text_columns(self, is_stacked=False)
        if sum(column.widest + _GAP for column in columns) > width:
            columns = _text_columns(self, is_stacked=True)
        return "\n".join(_draw(block, width) for block in _blocks(columns, width))

    def as_markdown(self) -> str:
        """Return the table with pipes; numbers are right-aligned."""
        lines = [
            [escape(name) for name in self.columns],
            ["---:" if is_figure else "---" for is_figure in self.figures()],
        ]
        for row in self.rows:
            lines.append([escape(cell) if isinstance(cell, str) else show(cell) for cell in row])
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def as_csv(self) -> str:
        """Return CSV with unrounded figures.

        Intervals have two more columns for their ends, counted figures one for n.
        """
        headings: list[str] = []
        columns: list[list[object]] = []
        for index, name in enumerate(self.columns):
            cells = [row[index] for row in self.rows]
            headings.append(name)
            columns.append([raw(cell) for cell in cells])
            for part in _further_fields(cells):
                headings.append(f"{name} {part}")
                columns.append([getattr(cell, part, None) for cell in cells])
        return csv_text([headings, *zip(*columns, strict=True)])

    def without_empty_columns(self) -> "Table":
        """Return the table without columns in which no cell is known, for readers."""
        has_value = [
            any(row[index] is not None for row in self.rows) for index in range(len(self.columns))
        ]
        rows = (tuple(compress(row, has_value)) for row in self.rows)
        return replace(self, columns=tuple(compress(self.columns, has_value)), rows=tuple(rows))

    def figures(self) -> list[bool]:
        """Return which columns hold figures."""
        flags = []
        for index in range(len(self.columns)):
            cells = [row[index] for row in self.rows]
            flags.append(_has_figures(cells))
        return flags


def _has_figures(cells: Iterable[Cell]) -> bool:
    return any(not isinstance(cell, str | None) for cell in cells)


def _further_fields(cells: Iterable[Cell]) -> tuple[str, ...]:
    """Return the fields of a column's cells that have columns of their own in CSV."""
    types = {type(cell) for cell in cells}
    if types & {Estimate, Signed}:
        return ("low", "high")
    return ("n",) if Over in types else ()


class _TextColumn(NamedTuple):
    """A column as text."""

    heading: str
    cells: list[str]
    is_figure: bool

    @property
    def widest(self) -> int:
        """Its width without line breaks."""
        return max(map(cell_len, [self.heading, *_lines_of(self.cells)]))

    @property
    def least(self) -> int:
        """Minimum width: the full width, or enough to read wrapped text."""
        return self.widest if self.is_whole else min(self.widest, _LEAST_WIDTH)

    @property
    def is_whole(self) -> bool:
        """Whether its cells are never broken: figures, and names up to a maximum length."""
        is_name = not any(" " in cell for cell in self.cells) and self.widest <= _LONGEST_NAME
        return self.is_figure or is_name


def _lines_of(cells: Iterable[str]) -> Iterator[str]:
    for cell in cells:
        yield from cell.splitlines()


def _text_columns(table: Table, *, is_stacked: bool) -> list[_TextColumn]:
    """Return the columns; if stacked, intervals are below their means and headings are wrapped."""
    columns = []
    for index, (heading, is_figure) in enumerate(zip(table.columns, table.figures(), strict=True)):
        separator = "\n" if is_figure and is_stacked else " "
        cells = [join_parts(show_parts(row[index]), separator) for row in table.rows]
        if is_figure and is_stacked:
            widest = max(map(len, [*_lines_of(cells), *heading.split()]))
            heading = fill(heading, widest)
        columns.append(_TextColumn(heading, cells, is_figure))
    return columns


def _blocks(columns: Sequence[_TextColumn], width: int) -> Iterator[list[_TextColumn]]:
    """Yield groups of columns that fit side by side, each starting with the first column."""
    first, *others = columns
    block = [first]
    for column in others:
        if len(block) > 1 and _least_width([*block, column]) > width:
            yield block
            block = [first]
        block.append(column)
    yield block


def _least_width(columns: Sequence[_TextColumn]) -> int:
    return sum(column.least + _GAP for column in columns)


def _draw(columns: Sequence[_TextColumn], width: int) -> str:
    out = io.StringIO()
    is_wide_enough = _least_width(columns) <= width
    drawn = RichTable(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for column in columns:
        drawn.add_column(
            column.heading,
            justify="right" if column.is_figure else "left",
            overflow="fold",
            no_wrap=column.is_figure or (column.is_whole and is_wide_enough),
        )
    rows = zip(*[column.cells for column in columns], strict=True)
    for row in rows:
        drawn.add_row(*row)
    Console(file=out, width=width, markup=False, highlight=False).print(drawn)
    return "\n".join(line.rstrip() for line in out.getvalue().strip("\n").splitlines())


def _html_row(element: str, texts: Iterable[str]) -> str:
    cells = [f"<{element}>{html.escape(text)}</{element}>" for text in texts]
    return f"<tr>{''.join(cells)}</tr>"


def escape(text: str) -> str:
    """Escape text for use within a line of Markdown."""
    return _SPECIAL.sub(r"\\\1", html.escape(" ".join(text.split()), quote=False))
