"""Places of names in a plot of points, so that they cover neither points nor each other."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from ..chart import WIDTH, Spec
from ..frames import Row

HEIGHT = 160
"""Height of the plot in pixels."""

SIDES = (
    {"align": "right", "dx": -8, "dy": -12},
    {"align": "left", "dx": 8, "dy": 12},
    {"align": "left", "dx": 8, "dy": -12},
    {"align": "right", "dx": -8, "dy": 12},
)
"""Places of a name beside its point; the first is clear of a frontier that rises to the right."""

_LETTER = 6
"""Mean width of a letter in pixels."""

_LONGEST = {WIDTH: 320, 250: 120}
"""Width of the plot, as a file and on a phone -> maximum width of a name; page.js cuts longer ones."""


class _LabelBox(NamedTuple):
    """A rectangle in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: "_LabelBox") -> bool:
        """Return whether the two have an area in common."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


class Canvas:
    """Area of a plot, in which points, lines and names take places, also on a phone.

    Args:
        points: Points of the plot.
        x: Channel of the abscissa.
        y: Channel of the ordinate.
    """

    def __init__(self, points: Sequence[Row], x: Spec, y: Spec) -> None:
        self._x = x["field"]
        self._is_log = x["scale"].get("type") == "log"
        amounts = [self._amount(point) for point in points]
        self._start = min(amounts) if self._is_log else 0.0
        self._span = (max(amounts) - self._start) or 1.0
        qualities = [point["quality"] for point in points]
        low, self._high = y["scale"].get("domain") or (min(qualities), max(qualities))
        self._height = (self._high - low) or 1.0
        self._taken: dict[int, list[_LabelBox]] = {width: [] for width in _LONGEST}
        for point in points:
            top = self.top(point)
            for width, boxes in self._taken.items():
                left = self.across(point) * width
                boxes.append(_LabelBox(left - 6, top - 6, left + 6, top + 6))

    def _amount(self, point: Row) -> float:
        amount = float(point[self._x])
        return math.log(amount) if self._is_log else amount

    def across(self, point: Row) -> float:
        """Return the distance of a point from the left, as a share of the width."""
        return (self._amount(point) - self._start) / self._span

    def top(self, point: Row) -> float:
        """Return the distance of a point from the top in pixels."""
        return float(self._high - point["quality"]) / self._height * HEIGHT

    def keep_free(self, top: float) -> None:
        """Keep names off a horizontal line."""
        for width, boxes in self._taken.items():
            boxes.append(_LabelBox(0, top - 1, width, top + 1))

    def place(self, name: str, across: float, top: float, sides: Sequence[Spec]) -> int | None:
        """Return the number of the first side with room for a name, which is then taken."""
        for number, side in enumerate(sides):
            boxes = {}
            for width, longest in _LONGEST.items():
                length = min(_LETTER * len(name), longest)
                boxes[width] = _box(across * width, top, length, side)
            if all(self._is_free(width, box) for width, box in boxes.items()):
                for width, box in boxes.items():
                    self._taken[width].append(box)
                return number
        return None

    def _is_free(self, width: int, box: _LabelBox) -> bool:
        is_inside = box.left >= 0 and box.right <= width
        return is_inside and not any(map(box.overlaps, self._taken[width]))


def _box(left: float, top: float, length: float, side: Spec) -> _LabelBox:
    """Return the area of a name of this length beside a point."""
    start = left + side["dx"] - (length if side["align"] == "right" else 0)
    return _LabelBox(start, top + side["dy"] - 6, start + length, top + side["dy"] + 6)
