"""Horizontal lines drawn on a PDF page: what stands above one spans the columns below it."""

import ctypes
from collections.abc import Iterable
from typing import Any, NamedTuple

_THICKEST = 3
"""Thickness of a line, in points; anything thicker is a box."""

_NEAR = 1
"""Largest gap between the parts of a line, in points."""


class HeadRule(NamedTuple):
    """A horizontal line."""

    level: float
    """Height above the page's bottom."""

    start: float
    end: float


def read_rules(page: Any) -> list[HeadRule]:
    """Return the horizontal lines of a page from bottom to top."""
    from pypdfium2 import raw

    left, bottom, right, top = edges = [ctypes.c_float() for _ in range(4)]
    rules = []
    handle = page.raw
    get_object = raw.FPDFPage_GetObject
    get_type = raw.FPDFPageObj_GetType
    path = raw.FPDF_PAGEOBJ_PATH
    for index in range(raw.FPDFPage_CountObjects(handle)):
        drawn = get_object(handle, index)
        if get_type(drawn) == path:
            raw.FPDFPageObj_GetBounds(drawn, *edges)
            if top.value - bottom.value < _THICKEST:
                rules.append(HeadRule(bottom.value, left.value, right.value))
    return _join_rules(rules)


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
