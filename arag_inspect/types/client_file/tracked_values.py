"""Find the tracked values of an extraction."""

from collections.abc import Iterator
from typing import Any, NamedTuple

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
        """The path as text: `pensions.0.contribution`."""
        return ".".join(str(part) for part in self.path)

    def text(self, key: str) -> str:
        """Return a detail as text; empty if absent."""
        value = self.fact.get(key)
        return value if isinstance(value, str) else ""


def tracked_values(extraction: object) -> list[Tracked]:
    """Return every object with a `value` other than null and a citation or time."""
    return list(_walk(extraction, (), ""))


def _walk(value: object, path: tuple[str | int, ...], label: str) -> Iterator[Tracked]:
    if isinstance(value, dict):
        if "value" in value and _MARKS & value.keys():
            if value["value"] is not None:
                yield Tracked(path, label, value)
            return
        named = (value[name] for name in _NAMES if isinstance(value.get(name), str))
        label = next(named, label)
        for key, one in value.items():
            yield from _walk(one, (*path, str(key)), label)
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from _walk(one, (*path, place), label)
