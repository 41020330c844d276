"""Scores that another tool gave, by the tool and the name of its metric."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .names import SCORE, VERDICTS, VOCABULARY, normal
from .values import is_empty, number_of

_LISTS = {"metrics_data": "deepeval", "scores": "langfuse", "evaluations": "evaluations"}
_LISTS |= {"annotations": "phoenix"}
"""Columns with lists of scores, each with its name, and where they come from."""

_WITHIN = ("scores", "named_scores", "feedback")
"""Mappings whose members are scores of the tool."""

_RAGAS = frozenset(VOCABULARY["ragas"])

_DECIMAL_COMMA = re.compile(r"-?[01],\d+")
"""A share with a decimal comma, as in semicolon-separated tables."""

_PERCENTAGE = re.compile(r"(-?\d+(?:[.,]\d+)?)\s*%")

_MOST = 200
"""Maximum distinct score names that are read."""

GIVEN = "given"
"""Origin of a score from an unknown tool."""


class Scores:
    """The columns of a table that hold scores.

    Args:
        rows: Rows with flat names.
        names: Columns that may hold scores.
    """

    def __init__(self, rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> None:
        self._lists = {name: _LISTS[normal(name)] for name in names if normal(name) in _LISTS}
        self._origin = _origin(rows)
        self._single: dict[str, tuple[str, str]] = {}
        for name in names:
            if _is_score(name) and _are_values([row.get(name) for row in rows]):
                self._single[name] = self._place(name)
        self.columns = {*self._lists, *self._single}
        """Columns that hold scores."""

    def _place(self, name: str) -> tuple[str, str]:
        """Return the origin of a score and its name there: `judge.verdict` is of `judge`."""
        first, _, inner = name.partition(".")
        is_of_tool = normal(first) in _WITHIN
        return (first, inner) if inner and not is_of_tool else (self._origin, inner or name)

    def of(self, row: Mapping[str, Any]) -> dict[str, dict[str, float | None]]:
        """Return the scores of a row by origin and name."""
        scores: dict[str, dict[str, float | None]] = {}
        for name, (origin, key) in self._single.items():
            scores.setdefault(origin, {})[_key(key)] = _number(row.get(name))
        for name, origin in self._lists.items():
            for entry in _named_entries(row.get(name)):
                value = entry.get("score", entry.get("value"))
                scores.setdefault(origin, {})[_key(entry["name"])] = _number(value)
        return scores


def _named_entries(value: object) -> Iterator[Mapping[str, Any]]:
    """Yield the first items of a list that are mappings with a name."""
    if not isinstance(value, list):
        return
    for entry in value[:_MOST]:
        if isinstance(entry, Mapping) and isinstance(entry.get("name"), str):
            yield entry


def _key(name: str) -> str:
    """Return a name without dots, which separate scorer and key in measures."""
    return name.strip().replace(".", "_")[:100]


def _origin(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the tool that wrote a table, judging by its columns.

    Other tools also name metrics as ragas does, but not the columns of questions and answers.
    """
    names: set[str] = set()
    for row in rows[:50]:
        names.update(map(normal, row))
    has_its_columns = "user_input" in names or {"question", "answer"} <= names
    if has_its_columns and {name.partition("(")[0] for name in names} & _RAGAS:
        return "ragas"
    is_promptfoo = any(name.startswith("vars.") for name in names)
    return "promptfoo" if is_promptfoo else GIVEN


def _is_score(name: str) -> bool:
    normalized_name = normal(name).partition("(")[0]
    is_known = normalized_name in _RAGAS or SCORE.fullmatch(normalized_name) is not None
    outer, _, member = normalized_name.partition(".")
    is_known = is_known or (outer in _WITHIN and bool(member))
    return is_known and not normalized_name.startswith("retriev")


def _are_values(values: Sequence[object]) -> bool:
    """Return whether there are values and all are numbers or verdicts."""
    known_values = [value for value in values if not _is_missing(value)]
    return bool(known_values) and all(_number(value) is not None for value in known_values)


def _is_missing(value: object) -> bool:
    return is_empty(value) or str(value).strip().lower() in ("n/a", "na", "-", "error")


def _number(value: object) -> float | None:
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
