"""Amounts of a table, such as tokens and dollars, with points or commas for decimals."""

import re
from collections.abc import Iterator, Sequence

from arag_inspect._util.wording import format_count
from arag_inspect.benchmark.rows import SourceRow

from .columns import EFFORT, Columns
from .scores import is_missing
from .values import number_of

_WITH_POINT = re.compile(r"-?(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?")
_WITH_COMMA = re.compile(r"-?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?")
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d{0,2}(?:\.\d{3})+")
"""A whole number with separated thousands."""

_CURRENCY = re.compile(r"[$€\s\u00a0]")
_UNITS = {
    "cost_usd": re.compile(r"(?i)usd$"),
    "latency_ms": re.compile(r"(?i)ms$"),
    "latency_s": re.compile(r"(?i)(?<!m)s(?:ec(?:onds?)?|ek)?$"),
}
"""Unit after an amount, by role."""

_WHOLE = ("input_tokens", "output_tokens")
"""Roles whose amounts are whole numbers."""


class Amounts:
    """The columns of a table with amounts.

    A column has decimal commas if all its numbers can be read that way, but not all with points.
    """

    def __init__(self, columns: Columns, rows: Sequence[SourceRow]) -> None:
        self._columns = columns
        self._comma_roles: set[str] = set()
        self._point_roles: set[str] = set()
        self._unread: dict[str, int] = {}
        for role in EFFORT:
            if role in columns.by_role:
                self._find_notation(role, rows)

    def _find_notation(self, role: str, rows: Sequence[SourceRow]) -> None:
        values = [self._columns.value(row, role) for row in rows]
        texts = [_without_unit(value, role) for value in values if isinstance(value, str)]
        texts = [text for text in texts if not is_missing(text)]
        has_points = all(map(_WITH_POINT.fullmatch, texts))
        has_commas = all(map(_WITH_COMMA.fullmatch, texts))
        if has_commas and not has_points:
            self._comma_roles.add(role)
        elif has_points and not has_commas:
            self._point_roles.add(role)
        amounts = (self.amount_of(row, role) for row in rows)
        pairs = zip(values, amounts, strict=True)
        unread = sum(
            (amount is None or amount < 0) and not is_missing(value) for value, amount in pairs
        )
        if unread:
            self._unread[self._columns.by_role[role]] = unread

    def amount_of(self, row: SourceRow, role: str) -> float | None:
        """Return an amount of a row; None if it is missing or not a number."""
        value = self._columns.value(row, role)
        if isinstance(value, str):
            value = _without_unit(value, role)
            if role in _WHOLE and _GROUPED.fullmatch(value):
                value = re.sub(r"[.,]", "", value)
            elif role in self._comma_roles:
                value = value.replace(".", "").replace(",", ".")
            elif role in self._point_roles:
                value = value.replace(",", "")
        return number_of(value)

    def notes(self) -> Iterator[str]:
        """Yield how many values of a column are not read."""
        for column, count in self._unread.items():
            values = format_count(count, "value")
            yield (
                f"{column}: left out {values}, negative, not numbers or with an unclear comma; "
                "write them as in 1234.5"
            )


def _without_unit(text: str, role: str) -> str:
    """Return an amount without spaces, currency signs and the unit of its role."""
    amount = _CURRENCY.sub("", text)
    return _UNITS[role].sub("", amount) if role in _UNITS else amount
