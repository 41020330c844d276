"""Positions of the characters of a PDF page."""

import ctypes
import math
from collections import Counter
from typing import Any, NamedTuple

_QUARTER = math.pi / 2
_SIDEWAYS = {3: 1, 1: -1}
"""Quarter turns of text that is read upwards or downwards, with the direction."""

_ANGLES = 100
"""Maximum characters whose angles determine how a page is rotated."""


class TextLine(NamedTuple):
    """A piece of a text line."""

    text: str
    start: int
    """Index of its first character on the page."""


class Geometry:
    """Positions of a page's characters, in points in reading orientation, by index."""

    def __init__(self, textpage: Any, count: int) -> None:
        from pypdfium2 import raw

        handle = textpage.raw
        x = ctypes.c_double()
        y = ctypes.c_double()
        rect = raw.FS_RECTF()
        read_box = raw.FPDFText_GetLooseCharBox
        read_origin = raw.FPDFText_GetCharOrigin
        sampled = range(0, count, max(1, count // _ANGLES))
        angles = Counter(
            round(raw.FPDFText_GetCharAngle(handle, index) / _QUARTER) for index in sampled
        )
        turn = angles.most_common(1)[0][0] if angles else 0

        self.is_sideways = turn in _SIDEWAYS
        """Whether the page is read upwards or downwards."""

        def box(index: int) -> tuple[float, float, float]:
            read_box(handle, index, rect)
            if turn in _SIDEWAYS:
                start, end = sorted((_SIDEWAYS[turn] * rect.bottom, _SIDEWAYS[turn] * rect.top))
                return start, end, abs(rect.right - rect.left)
            return rect.left, rect.right, abs(rect.top - rect.bottom)

        def baseline(index: int) -> float:
            read_origin(handle, index, x, y)
            return -_SIDEWAYS[turn] * x.value if turn in _SIDEWAYS else y.value

        self.box = box
        """Left and right edge of a character, and its height."""

        self.baseline = baseline
        """Height of a character's baseline above the page's bottom."""

    def is_raised(self, index: int, base: int) -> bool:
        """Return whether a character is smaller and higher than another."""
        height = self.box(base)[2]
        if self.box(index)[2] >= 0.85 * height:
            return False
        return 0.1 * height < self.baseline(index) - self.baseline(base) < height
