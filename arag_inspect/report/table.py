"""Tables as plain data: text, Markdown, HTML and CSV are rendered from the same cells."""

import html
import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from textwrap import fill
from typing import NamedTuple

import pandas as pd
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable

from .._util.encodable import csv_text
from ..stats.estimates import Estimate, Paired


class Share(NamedTuple):
    """A share, shown in per cent."""

    value: float


class Usd(NamedTuple):
    """Dollars."""

    value: float


class Priced(NamedTuple):
    """A mean or difference in dollars, with its interval."""

    figure: "Estimate | Signed"


class P(NamedTuple):
    """A p-value."""

    value: float


class Signed(NamedTuple):
    """A difference with its interval, shown with its sign."""

    value: float
    low: float | None = None
    high: float | None = None
    why: str = ""
    """Why no interval is shown, if that is to be said."""

    @classmethod
    def of(cls, paired: Paired) -> "Signed":
        """Return the difference of two systems."""
        return cls(paired.difference, paired.low, paired.high)


class Over(NamedTuple):
    """A figure with its number of samples."""

    value: float | Share | Usd
    n: int


class Needed(NamedTuple):
    """A number of samples that a comparison needs, shown up to `MOST_NEEDED`."""

    value: int


MOST_NEEDED = 100_000
"""Largest number of samples that is named as needed; a larger one is out of reach."""

NOTHING = "-"
"""Text of an empty cell."""

Cell = str | int | float | Estimate | Share | Usd | Priced | P | Signed | Over | Needed | None
"""Value of a cell; None for an empty one."""

_PRECISION = 6
"""Decimals to which numbers are rounded first, since equal ones may differ in their last bits."""

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
        cells = [_join(show_parts(row[index]), separator) for row in table.rows]
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


def show(cell: Cell) -> str:
    """Return a cell as text.

    E.g. `0.559 [0.512, 0.603]`, `12.5 %`, `$0.0123 (n 12)`, `< 0.001` or `-`.
    """
    return _join(show_parts(cell), " ")


def _join(parts: Iterable[str], separator: str) -> str:
    return separator.join(filter(None, parts))


def show_parts(cell: Cell) -> tuple[str, str]:
    """Return the figure of a cell and its interval, e.g. `0.559` and `[0.512, 0.603]`."""
    match cell:
        case Estimate():
            return _number(cell.mean), _interval(cell.low, cell.high)
        case Signed():
            figure = _number(cell.value, "+")
            interval = _interval(*_ends(cell), "+")
            is_explained = cell.why and not interval
            return f"{figure} ({cell.why})" if is_explained else figure, interval
        case Priced():
            return _price_parts(cell.figure)
        case _:
            return _show_single(cell), ""


def _show_single(cell: str | int | float | Share | Usd | P | Over | Needed | None) -> str:
    match cell:
        case None:
            return NOTHING
        case str():
            return cell
        case Share():
            return f"{round(cell.value, 3) + 0.0:.1%}".replace("%", " %")
        case Usd():
            dollars = round(cell.value, 12)  # equal means may differ in their last bits
            return f"${dollars:,.{_decimals_of_dollars(abs(dollars))}f}"
        case P():
            return "< 0.001" if cell.value < 0.001 else f"{cell.value:.3f}"
        case Over():
            return f"{show(cell.value)} (n {cell.n:,})"
        case Needed():
            return show_needed(cell.value)
        case int():
            return f"{cell:,}"
        case _:
            return _number(cell)


def show_needed(samples: int) -> str:
    """Return a number of samples as text, at most `more than 100,000`."""
    return f"{samples:,}" if samples <= MOST_NEEDED else f"more than {MOST_NEEDED:,}"


def show_score(value: float | None) -> str:
    """Return the score of an answer as in a table, without zeros at its end: `4` or `0.125`.

    `shown` in elements.js returns the same text.
    """
    if value is None:
        return NOTHING
    text = _number(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


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
        case Priced():
            return raw(cell.figure)
        case Share() | Usd() | P() | Signed() | Needed():
            return cell.value
        case _ if cell == NOTHING:
            return None
        case _:
            return cell


def _number(value: float, sign: str = "") -> str:
    """Format a number with three decimals below ten, one below a thousand, none above.

    Numbers that differ only after the sixth decimal have the same text.
    """
    value = round(value, _PRECISION)
    size = abs(value)
    decimals = 1 if size < 1000 else 0
    if size < 10:
        decimals = 3
    text = f"{value:{sign},.{decimals}f}"
    return text if any(digit in text for digit in "123456789") else f"{0:.{decimals}f}"


def _decimals_of_dollars(size: float) -> int:
    """Return two from one dollar up, else four, or as many as show two significant digits."""
    if size >= 1:
        return 2
    return max(4, 1 - math.floor(math.log10(size))) if size > 1e-9 else 4


def _price_parts(figure: Estimate | Signed) -> tuple[str, str]:
    """Return e.g. `+$0.0031` and `[-$0.0002, +$0.0064]`, with the decimals of the first."""
    value = figure.mean if isinstance(figure, Estimate) else figure.value
    low, high = _ends(figure)
    ends = [] if low is None or high is None else [low, high]
    sign = "" if isinstance(figure, Estimate) else "+"
    decimals = _decimals_of_dollars(abs(value))

    def amount(dollars: float) -> str:
        text = f"{round(dollars, 12):{sign},.{decimals}f}"
        return text.replace("+", "+$").replace("-", "-$") if text[0] in "+-" else f"${text}"

    return amount(value), f"[{', '.join(map(amount, ends))}]" if ends else ""


def _ends(figure: Estimate | Signed) -> tuple[float | None, float | None]:
    """Return the interval of a figure; none for a difference that is the same on every sample."""
    if isinstance(figure, Signed) and figure.low == figure.high:
        return None, None
    return figure.low, figure.high


def _interval(low: float | None, high: float | None, sign: str = "") -> str:
    if low is None or high is None:
        return ""
    return f"[{_number(low, sign)}, {_number(high, sign)}]"
