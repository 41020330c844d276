"""The column of each role in an exported file: a known name, or the user's choice."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

from arag_inspect._util.errors import InputError, check_choice
from arag_inspect.benchmark.rows import SourceRow

from .names import BARE, ROLES, directness, field_of, known_name, normal
from .values import is_conversation, is_empty, json_in, text_of

Use = Literal["questions", "results"]
"""Use of a file: a bare `answer` is the reference or, in results, the system's answer."""

EFFORT = ("input_tokens", "output_tokens", "cost_usd", "latency_ms", "latency_s")
"""Roles whose values are numbers."""

KINDS = ("company", "period")
"""Roles that become metadata under their own names, by which reports group."""

SCORE_ROLE = re.compile(r"score\.([^.\s]+)")
"""Role of a column with a score: `score.clarity` is kept as the measure `given.clarity`."""

_UNUSED: Mapping[Use, Collection[str]] = {
    "questions": ("answer", "passages", "error", *EFFORT),
    "results": (),
}


@dataclass(frozen=True, slots=True)
class Columns:
    """The column of each role, and the values of a row's roles."""

    by_role: Mapping[str, str]
    ids: Sequence[str]
    """Columns that may contain the id of a row, best first."""

    variants: Mapping[str, Sequence[str]]
    """Columns with the value of a role in rows of another shape, such as `input.question` for
    `input`."""

    def columns_of(self, roles: Collection[str]) -> set[str]:
        """Return all columns of roles."""
        columns = [self.by_role[role] for role in roles if role in self.by_role]
        return {*columns, *chain.from_iterable(self.variants.get(role, ()) for role in roles)}

    def value(self, row: SourceRow, role: str) -> Any:
        """Return a role's value, parsed if it is a conversation in JSON; None without a column."""
        column = self.by_role.get(role)
        value = None if column is None else row.values.get(column)
        if is_empty(value):
            others = (row.values.get(name) for name in self.variants.get(role, ()))
            value = next((other for other in others if not is_empty(other)), value)
        parsed = json_in(value)
        return parsed if is_conversation(parsed) else value

    def row_id(self, row: SourceRow) -> str:
        """Return the first id of a row that is not empty, or an empty string."""
        ids = (text_of(row.values.get(column)) for column in self.ids)
        return next(filter(None, ids), "")

    def score_names(self) -> dict[str, str]:
        """Return the names of the scores with a column of the user's, by column."""
        roles = ((SCORE_ROLE.fullmatch(role), column) for role, column in self.by_role.items())
        return {column: role[1] for role, column in roles if role}

    def find_unused(self, use: Use) -> list[str]:
        """Return the columns whose roles a use ignores."""
        return sorted(self.columns_of(_UNUSED[use]))


def parse_columns(text: str) -> dict[str, str]:
    """Read `question=Frage,score.clarity=Note`: the column of each role.

    Raises:
        InputError: A part is malformed or has an unknown role.
    """
    columns: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        role, sign, column = (piece.strip() for piece in part.partition("="))
        if not (sign and column):
            raise InputError(f"--columns {part!r} is not ROLE=COLUMN, e.g. question=Frage")
        if not SCORE_ROLE.fullmatch(role):
            check_choice("role in --columns", role, [*ROLES])
        if role in columns:
            raise InputError(f"--columns names two columns for {role}; {_advice(role)}")
        columns[role] = column
    return columns


def _advice(role: str) -> str:
    """Return what to do instead of naming two columns for a role."""
    if role == "answer":
        return "give one, and repeat the command with the other and another --log-dir"
    if role in ("passages", "evidence"):
        return "give one; without --columns, context_1 and context_2 are read as one"
    return "give one"


def find_columns(
    file: str,
    names: Sequence[str],
    filled: Collection[str],
    use: Use,
    choices: Mapping[str, str],
) -> Columns:
    """Find the column of each role: the user's choice, or the best known name.

    Args:
        file: Name of the file, for messages.
        names: All columns.
        filled: Columns in which at least one row has a value.
        use: Use of the file.
        choices: Columns that the user gives, as `parse_columns` returns them.

    Raises:
        InputError: The file lacks a column of the user's, or a column with the question.
    """
    columns_by_name = _columns_by_known_name([name for name in names if name in filled])
    by_role = {role: _require_column(file, names, column) for role, column in choices.items()}
    ids = [by_role["id"]] if "id" in by_role else []
    taken_columns = {column for role, column in by_role.items() if role != "id"}
    for role, role_names in _names_of_roles(use, filled):
        candidates = [columns_by_name[name] for name in role_names if name in columns_by_name]
        free_columns = [column for column in candidates if column not in taken_columns]
        if role in by_role or not free_columns:
            continue
        by_role[role] = free_columns[0]
        taken_columns.add(free_columns[0])
        if role == "id":
            ids = free_columns
    _place_passages(by_role, names, use, choices)
    if "question" not in by_role:
        raise InputError(
            f"{file} has no column that is known to hold the question; name it, e.g. "
            f"--columns question=COLUMN,reference=COLUMN; it has {_format_columns(names)}"
        )
    variants = {
        role: _variants_of(column, filled)
        for role, column in by_role.items()
        if role not in choices
    }
    return Columns(by_role, ids, variants)


def _variants_of(column: str, names: Collection[str]) -> list[str]:
    """Return the other columns of the same field, the most direct first."""
    field = field_of(column)
    variants = [name for name in names if name != column and field_of(name) == field]
    return sorted(variants, key=directness)


def _place_passages(
    by_role: dict[str, str], names: Sequence[str], use: Use, choices: Mapping[str, str]
) -> None:
    """Take passages for evidence or for text read, if their name alone does not tell."""
    if use == "questions" and "passages" in by_role and not by_role.keys() & {"evidence", "answer"}:
        by_role["evidence"] = by_role.pop("passages")
    if known_name(by_role.get("evidence", "")) != "context" or "evidence" in choices:
        return
    if use == "questions":
        if "supporting_facts" in map(normal, names):  # the rest of the context is meant to mislead
            del by_role["evidence"]
    elif "passages" not in by_role and {*map(known_name, names)}.isdisjoint(ROLES["passages"]):
        by_role["passages"] = by_role.pop("evidence")


def _columns_by_known_name(names: Sequence[str]) -> dict[str, str]:
    """Return the column of each name, the most direct of several."""
    columns_by_name: dict[str, str] = {}
    for name in names:
        columns_by_name.setdefault(normal(name), name)
    for name in sorted(names, key=directness):
        columns_by_name.setdefault(known_name(name), name)
    columns_by_name.pop("", None)  # a column without a known name
    return columns_by_name


def _names_of_roles(use: Use, columns: Collection[str]) -> list[tuple[str, Sequence[str]]]:
    """Return roles with their known names, in the order of choosing columns."""
    names = dict(ROLES)
    if any(normal(column).startswith("vars.") for column in columns):  # `id` numbers the results
        names["id"] = [f"vars.{name}" for name in names["id"]]
    bare_roles = ("reference", "answer") if use == "questions" else ("answer", "reference")
    return list(names.items()) + [(role, BARE) for role in bare_roles]


def match_column(names: Sequence[str], column: str) -> str | None:
    """Return the user's column, ignoring case; None if not given."""
    matches = [name for name in names if column in (name, normal(name))]
    matches += [name for name in names if normal(name) == normal(column)]
    return matches[0] if matches else None


def _require_column(file: str, names: Sequence[str], column: str) -> str:
    match = match_column(names, column)
    if match is None:
        raise InputError(f"{file} has no column {column!r}; it has {_format_columns(names)}")
    return match


def _format_columns(names: Sequence[str]) -> str:
    return ", ".join(name for name in names if name.strip()) or "nothing"
