"""Metadata of a sample: the columns of an exported file that have no role."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from arag_inspect.benchmark.rows import SourceRow

from .names import VOCABULARY, normal
from .values import is_empty, json_in

RUBRIC = "rubric"
"""Column with the criteria of the scorer `rubric`, which may be mappings."""

_LONGEST = 2_000
"""Longest value, in characters."""


def is_metadata(name: str) -> bool:
    """Return whether a column may become metadata: it is not reserved and does not number rows."""
    is_reserved = name.startswith("__") and not name.startswith("__metadata:")
    return not is_reserved and normal(name) not in VOCABULARY["positions"]


def metadata_of(row: SourceRow, used: Collection[str], left_out: Counter[str]) -> dict[str, Any]:
    """Return a row's otherwise unused values, by name without `metadata`.

    Args:
        row: The row.
        used: Columns that have another use.
        left_out: Counts, by column, the values that are too long or nested.
    """
    metadata: dict[str, Any] = {}
    for name, value in row.values.items():
        if name in used or is_empty(value) or not is_metadata(name):
            continue
        if normal(name) == RUBRIC:
            metadata[RUBRIC] = json_in(value) or value
        elif _is_plain(value) and len(str(value)) <= _LONGEST:
            metadata[_short_name(name)] = value
        else:
            left_out[name] += 1
    return metadata


def _short_name(name: str) -> str:
    name = name.rpartition(".metadata.")[2]
    first, _, inner = name.partition(".")
    is_member = inner and normal(first) in VOCABULARY["metadata"]
    return inner if is_member else name.removeprefix("__metadata:")


def _is_plain(value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, str | int | float) for item in value)
    return not isinstance(value, Mapping)
