"""Find tables made of other elements: by role, by style, by position."""

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple

from ._grid import GridCell, lines_of
from ._styles import Styles

_ELEMENTS = ("div", "span", "section", "article", "ul", "li", "p", "a")
_ROLES = {
    **dict.fromkeys(("table", "grid", "treegrid"), "table"),
    "row": "tr",
    **dict.fromkeys(("cell", "gridcell", "columnheader", "rowheader"), "td"),
}
"""Parts of a table by their ARIA role."""

_DISPLAYS = {"table": "table", "inline-table": "table", "table-row": "tr", "table-cell": "td"}
_DISPLAY = re.compile(
    r"(?<![\w-])display\s*:\s*(inline-table|table-row|table-cell|table)(?![\w-])", re.IGNORECASE
)
_POSITION = re.compile(
    r"(?<![\w-])(?P<side>left|top|bottom)\s*:\s*(?P<value>-?\d+(?:\.\d+)?)", re.IGNORECASE
)
_ABSOLUTE = re.compile(r"(?<![\w-])position\s*:\s*absolute\b", re.IGNORECASE)
_STYLE = re.compile(r"display|position|left|top|bottom", re.IGNORECASE)
"""A style that may have one of these roles."""

_LEAST = 6
"""Minimum positioned elements of a page."""

_LETTER = 3.0
"""Width of a letter, in the page's units; low, so that columns do not merge."""

_LINE = 3.0
"""Largest distance between elements of one line."""

_SHORT = 60
"""Longest part of a row, in characters; a line with a longer part is prose in columns."""


class _Placed(NamedTuple):
    """A positioned element."""

    below: float
    """Distance from the top; smaller is higher."""

    left: float
    element: Any


def mark_tables(tree: Any) -> None:
    """Turn elements that a page displays as tables into tables.

    Elements with the role or the style of a table's parts get its tags. Positioned elements on one
    line (ESEF, pdf2htmlEX) become a row.
    """
    styles = Styles(tree, _STYLE)
    pages: dict[Any, list[_Placed]] = {}
    for element in list(tree.iter(*_ELEMENTS)):
        style = styles.style_of(element)
        display = _DISPLAY.search(style)
        tag = _ROLES.get(element.get("role") or "") or (display and _DISPLAYS[display[1].lower()])
        if tag:
            element.tag = tag
            continue
        placed = _place(element, style)
        if placed:
            pages.setdefault(element.getparent(), []).append(placed)
    for parts in pages.values():
        if len(parts) >= _LEAST:
            _write_lines(parts)


def _place(element: Any, style: str) -> _Placed | None:
    sides = {match["side"].lower(): float(match["value"]) for match in _POSITION.finditer(style)}
    vertical = sides.get("top", -sides["bottom"] if "bottom" in sides else None)
    if vertical is None or "left" not in sides or not _is_placed(element, style):
        return None
    return _Placed(vertical, sides["left"], element)


def _is_placed(element: Any, style: str) -> bool:
    """Return whether an element is positioned, by its style or by a class of pdf2htmlEX."""
    has_class = "t" in (element.get("class") or "").split()
    return has_class or _ABSOLUTE.search(style) is not None


def _write_lines(parts: Sequence[_Placed]) -> None:
    """Write the elements of a page on its lines, from the top."""
    from lxml.html import Element

    ordered = sorted(parts, key=lambda part: (part.below, part.left))
    tops: list[float] = []
    for part in ordered:
        is_same = tops and part.below - tops[-1] <= _LINE
        tops.append(tops[-1] if is_same else part.below)
    rows = []
    for _, group in groupby(zip(tops, ordered, strict=True), key=lambda pair: pair[0]):
        cells = [_cell(part) for _, part in sorted(group, key=lambda pair: pair[1].left)]
        is_row = all(len(cell.text) <= _SHORT for cell in cells[1:])
        rows += [cells] if is_row else [[cell] for cell in cells]
    table_lines = lines_of(cells for cells in rows if len(cells) > 1)
    page = parts[0].element.getparent()
    for part in parts:
        part.element.drop_tree()
    for cells in rows:
        line = Element("div")
        line.text = next(table_lines) if len(cells) > 1 else cells[0].text
        page.append(line)


def _cell(part: _Placed) -> GridCell:
    text = " ".join("".join(part.element.itertext()).split())
    return GridCell(part.left, part.left + max(1, len(text)) * _LETTER, text)
