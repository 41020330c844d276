"""Lines drawn on a PDF page.

Text above a horizontal line spans the columns below it; a vertical line separates cells.
"""

import ctypes
from collections.abc import Iterable
from typing import Any, NamedTuple

_THICKEST = 3
"""Thickness of a line, in points; anything thicker is a box."""

_BOX_SEGMENTS = 5
"""Segments of a rectangle in a PDF: its first corner and four sides."""

_NEAR = 1
"""Largest gap between the parts of a line, in points."""


class HeadRule(NamedTuple):
    """A horizontal line."""

    level: float
    """Height above the page's bottom."""

    start: float
    end: float


class CellEdge(NamedTuple):
    """A vertical line, or a side of a drawn box."""

    x: float
    bottom: float
    top: float


class DrawnPath(NamedTuple):
    """A line or shape of a page, and its edges."""

    handle: Any
    left: float
    bottom: float
    right: float
    top: float

    def is_box(self) -> bool:
        """Return whether it is the outline of a rectangle."""
        from pypdfium2 import raw

        fill = ctypes.c_int()
        stroke = ctypes.c_int()
        raw.FPDFPath_GetDrawMode(self.handle, fill, stroke)
        return bool(stroke.value) and raw.FPDFPath_CountSegments(self.handle) == _BOX_SEGMENTS


def read_paths(page: Any) -> list[DrawnPath]:
    """Return the lines and shapes of a page."""
    from pypdfium2 import raw

    paths = []
    bounds = [ctypes.c_float() for _ in range(4)]
    handle = page.raw
    get_object = raw.FPDFPage_GetObject
    get_type = raw.FPDFPageObj_GetType
    path = raw.FPDF_PAGEOBJ_PATH
    for index in range(raw.FPDFPage_CountObjects(handle)):
        drawn = get_object(handle, index)
        if get_type(drawn) == path:
            raw.FPDFPageObj_GetBounds(drawn, *bounds)
            paths.append(DrawnPath(drawn, *(bound.value for bound in bounds)))
    return paths


def head_rules(paths: Iterable[DrawnPath]) -> list[HeadRule]:
    """Return the horizontal lines of a page from bottom to top."""
    return _join_rules(
        HeadRule(drawn.bottom, drawn.left, drawn.right)
        for drawn in paths
        if drawn.top - drawn.bottom < _THICKEST
    )


def cell_edges(paths: Iterable[DrawnPath]) -> list[CellEdge]:
    """Return the vertical lines of a page, and the sides of its boxes."""
    edges = []
    for drawn in paths:
        if drawn.right - drawn.left < _THICKEST:
            sides = [(drawn.left + drawn.right) / 2]
        elif drawn.is_box():
            sides = [drawn.left, drawn.right]
        else:
            continue
        edges += [CellEdge(side, drawn.bottom, drawn.top) for side in sides]
    return edges


def _join_rules(rules: Iterable[HeadRule]) -> list[HeadRule]:
    """Join the lines at one level that touch."""
    joined: list[HeadRule] = []
    for rule in sorted(rules):
        last = joined[-1] if joined else rule
        if joined and rule.level - last.level < _NEAR / 2 and rule.start <= last.end + _NEAR:
            joined[-1] = last._replace(end=max(last.end, rule.end))
        else:
            joined.append(rule)
    return joined
