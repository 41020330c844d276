"""Parsing of values that several sets have in common."""

from collections.abc import Mapping
from typing import Any

from ....datasets._io.records import Row
from ..labelled import LabelledAnswer

YES_NO: Mapping[Any, float] = {0: 0.0, 1: 1.0, "0": 0.0, "1": 1.0, "no": 0.0, "yes": 1.0}
"""Labels of two values, as JSON and CSV have them."""


def number(row: Row, labels: Mapping[Any, float], label: Any) -> float:
    """Return the number that a label stands for.

    Raises:
        InputError: The label is of another vocabulary.
    """
    if label not in labels:
        expected = ", ".join(dict.fromkeys(map(str, labels)))
        raise row.wrong(f"label {label!r} is unknown; expected {expected}")
    return labels[label]


def share(row: Row, name: str) -> float:
    """Return a label from 0 to 1.

    Raises:
        InputError: It is not such a number.
    """
    value = row.values[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise row.wrong(f"{name!r} must be a number from 0 to 1, got {value!r}")
    return float(value)


def faithful(
    row: Row, name: str, answer: str | None, label: float, *, group: str, subset: str, source: str
) -> LabelledAnswer:
    """Return an answer whose label says how far its source supports it.

    Args:
        row: Row of the answer, for errors.
        name: Id of the answer.
        answer: Text; the set's datasheet determines whether it may be None or empty.
        label: 1 if the source supports all of it.
        group: Document.
        subset: Domain.
        source: Text that it was written from.

    Raises:
        InputError: The source is empty.
    """
    if not source.strip():
        raise row.wrong("the source is empty")
    return LabelledAnswer(
        id=name,
        unit=name,
        answer=answer or "",
        label=label,
        group=group,
        subset=subset,
        source=source,
        reference=source,
    )
