"""Values of cells, and their text in every format."""

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

from .._util.extras import extra
from ..stats.estimates import Estimate, Paired

with extra("report"):
    import pandas as pd


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
    """Reason for a missing interval; empty to leave it out."""

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
"""Largest number of samples that is shown as needed; larger numbers are out of reach."""

NOTHING = "-"
"""Text of an empty cell."""

Cell = str | int | float | Estimate | Share | Usd | Priced | P | Signed | Over | Needed | None
"""Value of a cell; None for an empty one."""

_PRECISION = 6
"""Decimals to which numbers are rounded first, as equal numbers may differ in their last bits."""


def show(cell: Cell) -> str:
    """Return a cell as text.

    E.g. `0.559 [0.512, 0.603]`, `12.5 %`, `$0.0123 (n 12)`, `< 0.001` or `-`.
    """
    return join_parts(show_parts(cell), " ")


def join_parts(parts: Iterable[str], separator: str) -> str:
    """Join a figure and its interval, if it has one."""
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
    """Return two decimals from one dollar up, else four or enough for two significant digits."""
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
