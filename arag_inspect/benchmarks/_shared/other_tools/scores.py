"""Scores of other tools, by tool and metric."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from statistics import fmean
from typing import Any

from arag_inspect._util.errors import InputError

from .names import SCORE, VERDICTS, VOCABULARY, normal
from .values import is_empty, json_in, number_of

_LISTS = {"metrics_data": "deepeval", "scores": "langfuse", "evaluations": "evaluations"}
_LISTS |= {"annotations": "phoenix", "results": "given"}
"""Columns with lists of named scores, and their origin."""

_WITHIN = ("scores", "named_scores", "feedback", "promptfoo")
"""Mappings whose members are scores of the tool."""

_REPEATED = ("grading_result.score", "grading_result.named_scores")
"""Scores of promptfoo that are at a row's top level too."""

_LANGFUSE = {"timestamp", "session_id", "tags", "total_cost"}
"""Columns with lists of scores in traces exported by Langfuse's user interface."""

_RAGAS = frozenset(VOCABULARY["ragas"])

_DECIMAL_COMMA = re.compile(r"-?(?:[01],\d+|\d+,(?!\d{3}$)\d+)")
"""A number with a decimal comma, as in semicolon-separated tables.

A comma before three digits may separate thousands, except after the 0 or 1 of a share.
"""

_PERCENTAGE = re.compile(r"(-?\d+(?:[.,]\d+)?)\s*%")

_MOST = 200
"""Maximum distinct score names that are read."""

GIVEN = "given"
"""Origin of a score from an unknown tool."""


class Scores:
    """The columns of a table with scores.

    Args:
        rows: Rows with flat names.
        names: Columns that may contain scores.
        choices: Names of scores, by column, that the user gives.

    Raises:
        InputError: A column of the user's has values that are not numbers.
    """

    def __init__(
        self,
        rows: Sequence[Mapping[str, Any]],
        names: Sequence[str],
        choices: Mapping[str, str],
    ) -> None:
        self._lists = {
            name: _LISTS[normal(name)]
            for name in names
            if normal(name) in _LISTS and _have_named_entries(rows, name)
        }
        self._origin = _origin(rows)
        self._single: dict[str, tuple[str, str]] = {}
        repeated_names = {name for name in names if normal(name).startswith(_REPEATED)}
        if self._origin != "promptfoo":
            repeated_names = set()
        for name in names:
            values = [row.get(name) for row in rows]
            if name not in repeated_names and self._is_score(name, values):
                self._single[name] = self._place(name)
        for column, name in choices.items():
            if not _are_values([row.get(column) for row in rows]):
                raise InputError(f"column {column} holds values that are not numbers")
            self._single[column] = GIVEN, name
        self.columns = {*self._lists, *self._single, *repeated_names}
        """Columns with scores."""

        self.unread = {name: _unread([row.get(name) for row in rows]) for name in self._single}
        """Number of values that are neither numbers nor verdicts, by column."""

    def _is_score(self, name: str, values: Sequence[object]) -> bool:
        """Return whether a column contains scores, in lists only as Langfuse exports them."""
        if _are_lists(values):
            is_score = self._origin == "langfuse" or normal(name).startswith("scores.")
            return is_score and _are_values(values)
        return _is_score(name) and _are_mostly_values(values)

    def _place(self, name: str) -> tuple[str, str]:
        """Return origin and name of a score: `judge.verdict` comes from `judge`."""
        first, _, inner = name.partition(".")
        is_of_tool = normal(first) in _WITHIN
        return (first, inner) if inner and not is_of_tool else (self._origin, inner or name)

    def scores_of(self, row: Mapping[str, Any]) -> dict[str, dict[str, float | None]]:
        """Return the scores of a row by origin and name."""
        scores: dict[str, dict[str, float | None]] = {}
        for name, (origin, key) in self._single.items():
            scores.setdefault(origin, {})[_key(key)] = _number(row.get(name))
        for name, origin in self._lists.items():
            for entry in _named_entries(row.get(name)):
                if _is_label(entry):
                    continue
                value = entry.get("score", entry.get("value"))
                scores.setdefault(origin, {})[_key(entry["name"])] = _number(value)
        return scores

    def labels_of(self, row: Mapping[str, Any]) -> dict[str, str]:
        """Return the labels of a row that are not numbers, by the name of their score."""
        entries = chain.from_iterable(_named_entries(row.get(name)) for name in self._lists)
        return {
            entry["name"]: str(entry.get("stringValue")) for entry in entries if _is_label(entry)
        }


def _is_label(entry: Mapping[str, Any]) -> bool:
    """Return whether a score of Langfuse is a category, whose number is meaningless."""
    return entry.get("dataType") == "CATEGORICAL" and bool(entry.get("stringValue"))


def _named_entries(value: object) -> Iterator[Mapping[str, Any]]:
    """Yield the first items of a list that are mappings with a name."""
    value = json_in(value) or value
    if not isinstance(value, list):
        return
    for entry in value[:_MOST]:
        if isinstance(entry, Mapping) and isinstance(entry.get("name"), str):
            yield entry


def _have_named_entries(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    """Return whether a column has a list of named scores in any row."""
    for row in rows:
        if any(entry.keys() & {"score", "value"} for entry in _named_entries(row.get(name))):
            return True
    return False


def _key(name: str) -> str:
    """Return a name without dots, which separate scorer and key in measures."""
    return name.strip().replace(".", "_")[:100]


def _origin(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the tool that wrote a table, judging by its columns.

    Other tools share the names of ragas for metrics, but not for questions and answers.
    """
    names: set[str] = set()
    for row in rows[:50]:
        names.update(map(normal, row))
    has_its_columns = "user_input" in names or {"question", "answer"} <= names
    if has_its_columns and {name.partition("(")[0] for name in names} & _RAGAS:
        return "ragas"
    if names >= _LANGFUSE:
        return "langfuse"
    is_promptfoo = any(name.startswith(("vars.", "promptfoo.")) for name in names)
    return "promptfoo" if is_promptfoo else GIVEN


def _is_score(name: str) -> bool:
    normalized_name = normal(name).partition("(")[0]
    is_known = normalized_name in _RAGAS or SCORE.fullmatch(normalized_name) is not None
    outer, _, member = normalized_name.partition(".")
    is_known = is_known or (outer in _WITHIN and bool(member))
    return is_known and not normalized_name.startswith("retriev")


def _are_values(values: Sequence[object]) -> bool:
    """Return whether all values are numbers or verdicts, and there are any."""
    return _are_mostly_values(values) and not _unread(values)


def _are_mostly_values(values: Sequence[object]) -> bool:
    """Return whether numbers and verdicts outnumber other words."""
    known_values = [value for value in values if not is_missing(value)]
    return 2 * _unread(values) < len(known_values)


def _unread(values: Sequence[object]) -> int:
    """Count the values that are neither missing nor numbers nor verdicts."""
    return sum(not is_missing(value) and _number(value) is None for value in values)


def _are_lists(values: Sequence[object]) -> bool:
    """Return whether all values are lists, and there are any."""
    known_values = [value for value in values if not is_empty(value)]
    return bool(known_values) and all(
        isinstance(json_in(value) or value, list) for value in known_values
    )


def is_missing(value: object) -> bool:
    """Return whether a value marks a missing number."""
    return is_empty(value) or str(value).strip().lower() in ("n/a", "na", "-", "error")


def _number(value: object) -> float | None:
    value = json_in(value) or value
    if isinstance(value, list):  # with the same name, as Langfuse exports them
        numbers = [number_of(item) for item in value]
        known_numbers = [number for number in numbers if number is not None]
        return fmean(known_numbers) if known_numbers and None not in numbers else None
    if isinstance(value, bool):
        return float(value)
    if not isinstance(value, str):
        return number_of(value)
    text = value.strip().lower()
    if text in VERDICTS:
        return VERDICTS[text]
    percentage = _PERCENTAGE.fullmatch(text)
    if percentage:
        return float(percentage[1].replace(",", ".")) / 100
    return number_of(text.replace(",", ".") if _DECIMAL_COMMA.fullmatch(text) else text)
