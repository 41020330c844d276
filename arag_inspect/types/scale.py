"""Scales that judges grade on."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._util.errors import InputError


class Scale(NamedTuple):
    """Lowest and highest grade, whole numbers."""

    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.low}-{self.high}"

    def of_five(self, grade: float) -> float:
        """Return the grade at the same position on a scale from 1 to 5."""
        return 1 + 4 * (grade - self.low) / (self.high - self.low)


USUAL = Scale(1, 5)

_LARGEST = 1_000_000


def parse_scale(scale: object) -> Scale:
    """Read a scale given as text (`1,5`) or as two numbers.

    Raises:
        InputError: It is not two whole numbers from 0 upwards that rise.
    """
    if isinstance(scale, Sequence) and not isinstance(scale, str):
        scale = tuple(scale)
    match = re.fullmatch(r"[\[(]?(\d+), ?(\d+)[\])]?", str(scale))
    if match is None:
        raise InputError(f"scale must be two whole numbers such as 1,5, got {scale!r}")
    result = Scale(int(match[1]), int(match[2]))
    if result.low >= result.high:
        raise InputError(f"scale must rise from a lowest score of 0 or more, got {scale!r}")
    return result


def scale_of(metadata: Mapping[str, Any] | None) -> Scale | None:
    """Return the scale in a score's metadata; None if it has none."""
    ends = (metadata or {}).get("scale")
    if not isinstance(ends, list | tuple) or [type(end) for end in ends] != [int, int]:
        return None
    return Scale(*ends) if -_LARGEST <= ends[0] < ends[1] <= _LARGEST else None
