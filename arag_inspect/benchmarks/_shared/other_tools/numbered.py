"""Columns of passages with a number in their name, such as `context_1` and `context_2`."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import chain

from arag_inspect.benchmark.rows import SourceRow

from .names import ROLES, known_name
from .values import is_empty

_NUMBERED = re.compile(r"(.*\D)(\d{1,3})")
_PASSAGES = {*ROLES["passages"], *ROLES["evidence"]}


def join_numbered(rows: Sequence[SourceRow], choices: Collection[str]) -> list[SourceRow]:
    """Return rows with numbered columns of passages joined to a column with a list.

    Args:
        rows: Rows with flat names.
        choices: Columns that the user gives, which remain as they are.
    """
    names = list(dict.fromkeys(chain.from_iterable(row.values for row in rows)))
    numbered_columns = {
        column: members
        for column, members in _numbered_columns(names).items()
        if len(members) > 1 and column not in names and {*members}.isdisjoint(choices)
    }
    return [_join(row, numbered_columns) for row in rows] if numbered_columns else list(rows)


def _numbered_columns(names: Sequence[str]) -> dict[str, list[str]]:
    """Return the columns of each name of passages, in the order of their numbers."""
    numbers_by_column: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for name in names:
        match = _NUMBERED.fullmatch(name)
        column = next(_columns_of_passages(match[1].rstrip(" _.-")), "") if match else ""
        if match and column:
            numbers_by_column[column][int(match[2])] = name
    return {
        column: [members[number] for number in sorted(members)]
        for column, members in numbers_by_column.items()
    }


def _columns_of_passages(name: str) -> Iterator[str]:
    """Yield a name, or its plural, if it is known to contain passages."""
    for column in (name, f"{name}s"):
        if known_name(column) in _PASSAGES:
            yield column


def _join(row: SourceRow, numbered_columns: dict[str, list[str]]) -> SourceRow:
    """Return a row with a list of passages in place of its numbered columns."""
    used = {*chain.from_iterable(numbered_columns.values())}
    values = {name: value for name, value in row.values.items() if name not in used}
    for column, members in numbered_columns.items():
        passages = [row.values.get(name) for name in members]
        values[column] = [passage for passage in passages if not is_empty(passage)] or None
    return SourceRow(row.place, values)
