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
        place = self.path.index(DYNAMIC)
        return (*self.path[:place], *self.path[place + 2 :])

    def text(self, key: str) -> str:
        """Return a detail as text; empty if absent."""
        value = self.fact.get(key)
        return value if isinstance(value, str) else ""


def tracked_values(extraction: object) -> list[Tracked]:
    """Return every object with a `value` other than null and a citation or time."""
    return list(_walk(extraction, (), ""))


def histories(values: Sequence[Tracked]) -> list[list[Tracked]]:
    """The states of each value, from the first to the latest."""
    found: dict[tuple[str | int, ...], list[Tracked]] = {}
    for one in values:
        found.setdefault(one.series, []).append(one)
    return list(found.values())


def row_label(row: dict[str, Any]) -> str:
    """What a row calls itself, in it or in its static part; empty where it does not."""
    static = row.get(STATIC)
    named = (part.get(key) for part in (row, static) if isinstance(part, dict) for key in _NAMES)
    return next((name for name in named if isinstance(name, str) and name.strip()), "")


def _walk(value: object, path: tuple[str | int, ...], label: str) -> Iterator[Tracked]:
    if isinstance(value, dict):
        if "value" in value and _MARKS & value.keys():
            if value["value"] is not None:
                yield Tracked(path, label, value)
            return
        label = row_label(value) or label
        for key, one in value.items():
            yield from _walk(one, (*path, str(key)), label)
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from _walk(one, (*path, place), label)
