"""Values in a log: which count as figures, and which are impossible."""

import re
from collections.abc import Mapping
from math import nan
from typing import Any

from inspect_ai.scorer import value_to_float

from ...measure import MeasureSpec

LARGEST = 1e15
"""Largest value of a measure, so that sums of squares are finite."""

_NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?\s*")
_LETTERS = ("C", "I", "P", "N")
_WORDS = ("yes", "no", "true", "false")
_ROUNDING = 1e-5
"""Tolerance beyond the end of a range, for single-precision arithmetic."""

_MOST_LOOPS = 10_000
"""Maximum plausible loops for one answer; the report has a row for each loop."""

_UNKNOWN_EFFORT = {
    "loops": 0,
    "input_tokens": 0,
    "output_tokens": 0,
    "cached_calls": 0,
    "cached_usd": 0,
    "cost_usd": None,
    "latency_ms": None,
    "wall_ms": None,
    "skipped_tokens": None,
}
"""Replacement for an impossible value of an effort field, by field."""

_to_float = value_to_float()


def number(value: object) -> float | None:
    """Return a value if it is a number of plausible size, else None."""
    if isinstance(value, int | float) and abs(value) <= LARGEST:
        return float(value)
    return None


def or_nan(value: float | None) -> float:
    """Return a number as in a frame: NaN if it is unknown."""
    return nan if value is None else value


def figure(value: object) -> float | None:
    """Convert a score value to a figure: a number, possibly written as text, or a known word."""
    if is_word(value):
        return float(_to_float(str(value).strip()))
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return number(float(value))
    return number(value)


def is_word(value: object) -> bool:
    """Return whether a value is one of Inspect's letters, or yes, no, true or false in any case."""
    return is_letter(value) or (isinstance(value, str) and value.strip().lower() in _WORDS)


def is_letter(value: object) -> bool:
    """Return whether a value is one of Inspect's letters, such as C for correct."""
    return isinstance(value, str) and value.strip() in _LETTERS


def is_possible(value: object, spec: MeasureSpec) -> bool:
    """Return whether a value is possible for a measure; values that are not numbers always are.

    NaN is how Inspect marks a missing value.
    """
    if not isinstance(value, int | float) or value != value:
        return True
    low = -LARGEST if spec.low is None else spec.low - _ROUNDING
    high = LARGEST if spec.high is None else spec.high + _ROUNDING
    return low <= value <= high


def split_effort(fields: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return fields in which negative or too large effort is unknown, and these values by name."""
    wrong: dict[str, Any] = {}
    for name in _UNKNOWN_EFFORT:
        value = fields.get(name)
        most = _MOST_LOOPS if name == "loops" else LARGEST
        if isinstance(value, int | float) and not 0 <= value <= most:
            wrong[name] = value
    return {**fields, **{name: _UNKNOWN_EFFORT[name] for name in wrong}}, wrong


def impossible(sample: object, name: str, value: object) -> str:
    """Describe an impossible value that is left out, with its sample and name."""
    text = f"{value:g}" if isinstance(value, float) else repr(value)[:40]
    if isinstance(value, int):
        text = "of too many digits" if abs(value) > LARGEST else str(value)
    return f"sample {str(sample)[:60]}, {name} {text}"


def first_line(text: str) -> str:
    """Return the first non-blank line, for a table."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
