"""Tables as plain data: text, Markdown, HTML and CSV are made from the same cells."""

import html
import io
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import pandas as pd
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as RichTable

from .._util.encodable import csv_text
from ..stats.estimates import Estimate


class Share(NamedTuple):
    """A part of a whole, shown in per cent."""

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
    """A figure with the number of samples behind it."""

    value: float | Share | Usd
    n: int


NOTHING = "-"
"""Shown for an empty cell."""

Cell = str | int | float | Estimate | Share | Usd | P | Signed | Over | None
"""None for an empty cell."""

_SPECIAL = re.compile(r"([\\`*_\[\]|~#$])")


@dataclass(frozen=True)
class Table:
    """Rows of cells under headings."""

    id: str
    """For links and file names, e.g. `headline`."""

    title: str
    text: str
    """Content of the table and how to read it."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    meanings: Mapping[str, str] = field(default_factory=dict)
    """What headings mean."""

    def as_text(self, width: int = 80) -> str:
        """Return the table for a terminal, at most `width` characters wide."""
        out = io.StringIO()
        drawn = RichTable(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
        for name, right in zip(self.columns, self._figures(), strict=True):
            drawn.add_column(name, justify="right" if right else "left", overflow="fold")
        for row in self.rows:
            drawn.add_row(*map(show, row))
        Console(file=out, width=width, markup=False, highlight=False).print(drawn)
        return "\n".join(line.rstrip() for line in out.getvalue().strip("\n").splitlines())

    def as_markdown(self) -> str:
        """Return the table with pipes; numbers are right-aligned."""
        lines = [
            [escape(name) for name in self.columns],
            ["---:" if right else "---" for right in self._figures()],
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

    def _figures(self) -> list[bool]:
        """Return which columns hold figures."""
        return [
            any(not isinstance(row[index], str | None) for row in self.rows)
            for index in range(len(self.columns))
        ]


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
    """Round to three decimals below ten, one below a thousand, none above."""
    size = abs(value)
    decimals = 3 if size < 10 else 1 if size < 1000 else 0
    text = f"{value:{sign},.{decimals}f}"
    return text if any(digit in text for digit in "123456789") else f"{0:.{decimals}f}"


def _decimals_of_dollars(size: float) -> int:
    """Return two from a dollar on, else four, or as many as show two digits that are not zero."""
    if size >= 1:
        return 2
    return max(4, 1 - math.floor(math.log10(size))) if size > 1e-9 else 4


def _interval(low: float | None, high: float | None, sign: str = "") -> str:
    if low is None or high is None:
        return ""
    return f" [{_number(low, sign)}, {_number(high, sign)}]"
