"""Tables as plain data: text, Markdown, HTML and CSV are rendered from the same cells."""

import html
import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import fill
from typing import NamedTuple

import pandas as pd
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable

from .._util.encodable import csv_text
from ..stats.estimates import Estimate


class Share(NamedTuple):
    """A share, shown in per cent."""

    value: float


class Usd(NamedTuple):
    """Dollars."""

    value: float


class P(NamedTuple):
    """A p-value."""

    value: float


class Signed(NamedTuple):
    """A difference with its interval, shown with its sign."""

    value: float
    low: float | None = None
    high: float | None = None


class Over(NamedTuple):
    """A figure with its number of samples."""

    value: float | Share | Usd
    n: int


NOTHING = "-"
"""Text of an empty cell."""

Cell = str | int | float | Estimate | Share | Usd | P | Signed | Over | None
"""Value of a cell; None for an empty one."""

_GAP = 2
"""Characters between two columns in a terminal."""

_LEAST = 12
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

    def as_text(self, width: int = 80) -> str:
        """Return the table for a terminal, at most `width` characters wide.

        Figures and short names are never broken. If there are too many columns, intervals move
        below their means, and columns that still do not fit form a separate table below.
        """
        columns = [
            _text_column(self, index, is_stacked=False) for index in range(len(self.columns))
        ]
        if sum(column.widest + _GAP for column in columns) > width:
            columns = [
                _text_column(self, index, is_stacked=True) for index in range(len(self.columns))
            ]
        return "\n".join(_draw(block, width) for block in _blocks(columns, width))

    def as_markdown(self) -> str:
        """Return the table with pipes; numbers are right-aligned."""
        lines = [
            [escape(name) for name in self.columns],
            ["---:" if right else "---" for right in self.figures()],
            *([escape(c) if isinstance(c, str) else show(c) for c in row] for row in self.rows),
        ]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def as_csv(self) -> str:
        """Return CSV with unrounded figures.

        Intervals have two more columns for their ends, counted figures one for n.
        """
        rows: list[list[object]] = [[] for _ in range(len(self.rows) + 1)]
        for index, name in enumerate(self.columns):
            cells = [row[index] for row in self.rows]
            more: dict[str, str] = {}
            if any(isinstance(cell, Estimate | Signed) for cell in cells):
                more = {"low": f"{name} low", "high": f"{name} high"}
            elif any(isinstance(cell, Over) for cell in cells):
                more = {"n": f"{name} n"}
            rows[0] += [name, *more.values()]
            for row, cell in zip(rows[1:], cells, strict=True):
                row += [raw(cell), *(getattr(cell, field, None) for field in more)]
        return csv_text(rows)

    def figures(self) -> list[bool]:
        """Return which columns hold figures."""
        return [
            any(not isinstance(row[index], str | None) for row in self.rows)
            for index in range(len(self.columns))
        ]


class _TextColumn(NamedTuple):
    """A column as text."""

    heading: str
    cells: list[str]
    is_figure: bool

    @property
    def widest(self) -> int:
        """Its width without line breaks."""
        lines = [self.heading, *(line for cell in self.cells for line in cell.splitlines())]
        return max(map(cell_len, lines))

    @property
    def least(self) -> int:
        """Minimum width: the full width, or enough to read wrapped text."""
        return self.widest if self.is_whole else min(self.widest, _LEAST)

    @property
    def is_whole(self) -> bool:
        """Whether its cells are never broken: figures, and names up to a maximum length."""
        is_name = not any(" " in cell for cell in self.cells) and self.widest <= _LONGEST_NAME
        return self.is_figure or is_name


def _text_column(table: Table, index: int, *, is_stacked: bool) -> _TextColumn:
    """Return a column; if stacked, intervals are below their means and the heading is wrapped."""
    column, heading = [row[index] for row in table.rows], table.columns[index]
    is_figure = any(not isinstance(cell, str | None) for cell in column)
    cells = [show(cell) for cell in column]
    if is_figure and is_stacked:
        cells = [cell.replace(" [", "\n[") for cell in cells]
        widest = max(len(line) for cell in cells for line in cell.splitlines())
        heading = fill(heading, max(widest, *map(len, heading.split())))
    return _TextColumn(heading, cells, is_figure)


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
    for cells in zip(*(column.cells for column in columns), strict=True):
        drawn.add_row(*cells)
    Console(file=out, width=width, markup=False, highlight=False).print(drawn)
    return "\n".join(line.rstrip() for line in out.getvalue().strip("\n").splitlines())


def escape(text: str) -> str:
    """Escape text for use within a line of Markdown."""
    return _SPECIAL.sub(r"\\\1", html.escape(" ".join(text.split()), quote=False))


def show(cell: Cell) -> str:
    """Return a cell as text.

    E.g. `0.559 [0.512, 0.603]`, `12.5 %`, `$0.0123 (n 12)`, `< 0.001` or `-`.
    """
    match cell:
        case None:
            return NOTHING
        case str():
            return cell
        case Estimate():
            return f"{_number(cell.mean)}{_interval(cell.low, cell.high)}"
        case Signed():
            return f"{_number(cell.value, '+')}{_interval(cell.low, cell.high, '+')}"
        case Share():
            return f"{round(cell.value, 3) + 0.0:.1%}".replace("%", " %")
        case Usd():
            return f"${cell.value:,.{_decimals_of_dollars(abs(cell.value))}f}"
        case P():
            return "< 0.001" if cell.value < 0.001 else f"{cell.value:.3f}"
        case Over():
            return f"{show(cell.value)} (n {cell.n:,})"
        case int():
            return f"{cell:,}"
        case _:
            return _number(cell)


def mean_over(
    values: "pd.Series[float] | Iterable[float]",
    unit: Callable[[float], float | Share | Usd] = float,
) -> Over | None:
    """Return the mean of the known values, with n; None without values."""
    numbers = pd.Series(values, dtype=float).dropna()
    return Over(unit(float(numbers.mean())), numbers.size) if numbers.size else None


def raw(cell: Cell) -> str | int | float | None:
    """Return the unrounded figure of a cell; the mean of an estimate."""
    match cell:
        case Estimate():
            return cell.mean
        case Over():
            return raw(cell.value)
        case Share() | Usd() | P() | Signed():
            return cell.value
        case _ if cell == NOTHING:
            return None
        case _:
            return cell


def _number(value: float, sign: str = "") -> str:
    """Format a number with three decimals below ten, one below a thousand, none above."""
    size = abs(value)
    decimals = 3 if size < 10 else 1 if size < 1000 else 0
    text = f"{value:{sign},.{decimals}f}"
    return text if any(digit in text for digit in "123456789") else f"{0:.{decimals}f}"


def _decimals_of_dollars(size: float) -> int:
    """Return two from one dollar up, else four, or as many as show two significant digits."""
    if size >= 1:
        return 2
    return max(4, 1 - math.floor(math.log10(size))) if size > 1e-9 else 4


def _interval(low: float | None, high: float | None, sign: str = "") -> str:
    if low is None or high is None:
        return ""
    return f" [{_number(low, sign)}, {_number(high, sign)}]"
