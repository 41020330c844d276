"""Group items in order of first occurrence."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Item = TypeVar("Item")


def group(items: Iterable[Item], key: Callable[[Item], Any]) -> dict[Any, list[Item]]:
    """Group items by a key, in order of first occurrence."""
    groups: dict[Any, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups
