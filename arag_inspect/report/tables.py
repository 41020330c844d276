"""Tables as plain data: Markdown, pages and CSV are made from the same cells."""

import csv
import io
from dataclasses import dataclass
from typing import NamedTuple

from .statistics import Estimate


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


Cell = str | int | float | Estimate | Share | Usd | P | Signed | None
"""None where there is nothing to show."""


@dataclass(frozen=True)
class Table:
    """Rows of cells under headings."""

    id: str
    """For links and file names, e.g. `headline`."""

    title: str
    text: str
    """What is shown and how to read it."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"table {self.id}: {len(row)} cells, {len(self.columns)} columns")


def show(cell: Cell) -> str:
    """A cell as text, e.g. `0.559 [0.512, 0.603]`, `12.5 %`, `$0.0123`, `< 0.001` or `-`."""
    match cell:
        case None:
            return "-"
        case str():
            return cell
        case Estimate():
            return f"{_number(cell.mean)}{_interval(cell.low, cell.high)}"
        case Signed():
            return f"{_number(cell.value, '+')}{_interval(cell.low, cell.high, '+')}"
        case Share():
            return f"{cell.value:.1%}".replace("%", " %")
        case Usd():
            return f"${cell.value:,.4f}" if abs(cell.value) < 1 else f"${cell.value:,.2f}"
        case P():
            return "< 0.001" if cell.value < 0.001 else f"{cell.value:.3f}"
        case int():
            return f"{cell:,}"
        case _:
            return _number(cell)


def raw(cell: Cell) -> str | int | float | None:
    """The figure behind a cell, unrounded; of an estimate its mean."""
    match cell:
        case Estimate():
            return cell.mean
        case Share() | Usd() | P() | Signed():
            return cell.value
        case _:
            return cell


def as_csv(table: Table) -> str:
    """A table as CSV with figures unrounded; where there are intervals, a column has two more, for their ends."""
    wide = [
        any(isinstance(row[i], Estimate | Signed) for row in table.rows) for i in _places(table)
    ]
    heading: list[str] = []
    for name, has_interval in zip(table.columns, wide, strict=True):
        heading += [name, f"{name} low", f"{name} high"] if has_interval else [name]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(heading)
    for row in table.rows:
        writer.writerow(value for i in _places(table) for value in _values(row[i], wide[i]))
    return out.getvalue()


def _values(cell: Cell, wide: bool) -> list[str | int | float | None]:
    ends = [cell.low, cell.high] if isinstance(cell, Estimate | Signed) else [None, None]
    return [raw(cell), *ends] if wide else [raw(cell)]


def _places(table: Table) -> range:
    return range(len(table.columns))


def _number(value: float, sign: str = "") -> str:
    """Three decimals below ten, one below a thousand, none above."""
    size = abs(value)
    decimals = 3 if size < 10 else 1 if size < 1000 else 0
    shown = f"{value:{sign},.{decimals}f}"
    return shown if any(digit in shown for digit in "123456789") else f"{0:.{decimals}f}"


def _interval(low: float | None, high: float | None, sign: str = "") -> str:
    if low is None or high is None:
        return ""
    return f" [{_number(low, sign)}, {_number(high, sign)}]"
