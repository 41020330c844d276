"""Values in a log that count as figures, and those that cannot be."""

import re
from collections.abc import Iterator
from typing import Any

from inspect_ai.scorer import value_to_float

from ...types.measures import MeasureSpec

LARGEST = 1e15
"""Largest value of a measure, so that sums of squares are finite."""

_NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?\s*")
_WORDS = ("C", "I", "P", "N", "yes", "no", "true", "false")
_ROUNDING = 1e-5
"""How far single-precision arithmetic goes over the end of a range."""

_UNKNOWN_EFFORT = {
    **dict.fromkeys(("loops", "input_tokens", "output_tokens"), 0),
    **dict.fromkeys(("cost_usd", "cached_usd", "latency_ms")),
}
"""What stands for an effort that cannot be, by its name."""

_to_float = value_to_float()


def number(value: object) -> float | None:
    """Return a number of usual size, or None."""
    if isinstance(value, int | float) and abs(value) <= LARGEST:
        return float(value)
    return None


def figure(value: object) -> float | None:
    """Return the figure that a value of a score is: a number, also written as text, or a word."""
    if is_word(value):
        return float(_to_float(str(value).strip()))
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return number(float(value))
    return number(value)


def is_word(value: object) -> bool:
    """Return whether a value is one of Inspect's letters, or yes, no, true or false."""
    return isinstance(value, str) and value.strip() in _WORDS


def is_possible(value: object, spec: MeasureSpec) -> bool:
    """Return whether a value is no number, or one that a measure can have.

    NaN is Inspect's sign for no value.
    """
    if not isinstance(value, int | float) or value != value:
        return True
    low = -LARGEST if spec.low is None else spec.low - _ROUNDING
    high = LARGEST if spec.high is None else spec.high + _ROUNDING
    return low <= value <= high


def clean_effort(fields: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Leave out, in place, effort that is negative or endless, and yield its name and value."""
    for name, unknown in _UNKNOWN_EFFORT.items():
        value = fields.get(name)
        if isinstance(value, int | float) and not 0 <= value <= LARGEST:
            fields[name] = unknown
            yield name, value


def impossible(sample: object, what: str, value: object) -> str:
    """Name a value that is left out since it cannot be, with its sample."""
    text = f"{value:g}" if isinstance(value, float) else repr(value)[:40]
    if isinstance(value, int):
        text = "of too many digits" if abs(value) > LARGEST else str(value)
    return f"sample {str(sample)[:60]}, {what} {text}"


def first_line(text: str) -> str:
    """Return the first line with text, for a table."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
