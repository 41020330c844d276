"""Find the tracked values of an extraction."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

STATIC, DYNAMIC = "static", "dynamic"
"""Keys of what does not change, and of the list of states of what does."""

_MARKS = frozenset({"citation", "call_time", "is_estimate", "value_as_of_date", "recorded_at"})
_NAMES = ("label", "name")


class Tracked(NamedTuple):
    """A value with its details."""

    path: tuple[str | int, ...]
    label: str
    """Label of its row; empty if the row has none."""

    fact: dict[str, Any]

    @property
    def section(self) -> str:
        """First part of the path, e.g. `pensions`."""
        return str(self.path[0]) if self.path else ""

    @property
    def field(self) -> str:
        """Last named part of the path, e.g. `contribution`."""
        return next((part for part in reversed(self.path) if isinstance(part, str)), "")

    @property
    def place(self) -> str:
        """The path as text: `pensions.0.dynamic.1.contribution`."""
        return ".".join(str(part) for part in self.path)

    @property
    def series(self) -> tuple[str | int, ...]:
        """The path without the place of the state: the same for every state of one value."""
        if DYNAMIC not in self.path:
            return self.path
        index = self.path.index(DYNAMIC)
        return (*self.path[:index], *self.path[index + 2 :])

    def text(self, key: str) -> str:
        """Return a detail as text; empty if absent."""
        value = self.fact.get(key)
        return value if isinstance(value, str) else ""


def tracked_values(extraction: object) -> list[Tracked]:
    """Return every object with a `value` other than null and a citation or time."""
    return list(_walk(extraction, (), ""))


def histories(values: Sequence[Tracked]) -> list[list[Tracked]]:
    """Return the states of each value, from the first to the latest."""
    states_by_series: dict[tuple[str | int, ...], list[Tracked]] = {}
    for value in values:
        states_by_series.setdefault(value.series, []).append(value)
    return list(states_by_series.values())


def row_label(row: dict[str, Any]) -> str:
    """Return the label of a row or of its static part; empty if it has none."""
    static = row.get(STATIC)
    labels = (part.get(key) for part in (row, static) if isinstance(part, dict) for key in _NAMES)
    return next((label for label in labels if isinstance(label, str) and label.strip()), "")


def _walk(value: object, path: tuple[str | int, ...], label: str) -> Iterator[Tracked]:
    if isinstance(value, dict):
        if "value" in value and _MARKS & value.keys():
            if value["value"] is not None:
                yield Tracked(path, label, value)
            return
        label = row_label(value) or label
        for key, item in value.items():
            yield from _walk(item, (*path, str(key)), label)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _walk(item, (*path, index), label)
