"""Scales that judges grade on."""

from collections.abc import Mapping
from typing import Any, NamedTuple


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


def scale_of(metadata: Mapping[str, Any] | None) -> Scale | None:
    """Return the scale in a score's metadata; None if it has none."""
    ends = (metadata or {}).get("scale")
    if not isinstance(ends, list | tuple) or [type(end) for end in ends] != [int, int]:
        return None
    return Scale(*ends) if -_LARGEST <= ends[0] < ends[1] <= _LARGEST else None
