"""Lay out the cells of a table as lines of text that keep its columns."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

SEPARATOR = " | "
_OPENING = re.compile(r"(?:US|C|A|HK)?[$€£¥]\s?\(?|\(")
_CLOSING = re.compile(r"\)|\)?\s?%\s?\)?")
"""Cells with signs of the figure in the next or the previous cell."""

_YEAR = re.compile(r"(?:19|20)\d\d")
_end = itemgetter(1)


class GridCell(NamedTuple):
    """A cell with its horizontal extent: columns of a grid, or positions on a page."""

    start: float
    end: float
    text: str


def middle(extent: GridCell | tuple[float, float]) -> float:
    """Return the middle between two edges."""
    return (extent[0] + extent[1]) / 2


def lines_of(rows: Iterable[Sequence[GridCell]]) -> Iterator[str]:
    """Yield the line of each row, its cells separated by `|`.

    Columns without text are dropped, and the symbols of a figure (`$`, `(`, `)`, `%`) join it. A
    cell over several columns is written in the first of them; blank cells are kept, so that columns
    stay aligned. A row with a cell in the first column only is written as this cell alone.

    Args:
        rows: Cells of each row from left to right, blank ones included.
    """
    joined = [join_signs(_fill(row)) for row in rows]
    columns = _columns(chain.from_iterable(joined))
    for row in joined:
        texts = [""] * len(columns)
        for cell in row:
            column = bisect_right(columns, cell.start, key=_end)
            texts[column] = f"{texts[column]} {cell.text}".strip()
        yield line_of(texts)


def _fill(row: Iterable[GridCell]) -> list[GridCell]:
    return [cell for cell in row if cell.text]


def line_of(texts: Sequence[str]) -> str:
    """Return the line of a row, from the text of each of its columns."""
    if not any(texts[1:]):
        return texts[0] if texts else ""
    line = SEPARATOR.join(texts)
    if not (texts[0] or texts[-1]):
        return f"| {line} |"  # framed as in Markdown, so that both blank cells are visible
    return line.strip()


def join_signs(row: Sequence[GridCell]) -> list[GridCell]:
    """Join `$`, `(45` and `)`, or `12` and `%`, which EDGAR's pages have in separate cells."""
    joined: list[GridCell] = []
    for cell in row:
        before = joined[-1] if joined else None
        if before is not None and (_opens(before, cell) or _closes(before, cell)):
            joined[-1] = GridCell(before.start, cell.end, before.text + cell.text)
        else:
            joined.append(cell)
    return joined


def _opens(before: GridCell, cell: GridCell) -> bool:
    is_figure = cell.text[0].isdigit() or cell.text[0] in "(.-–—−$€£¥"
    return is_figure and _OPENING.fullmatch(before.text) is not None


def _closes(before: GridCell, cell: GridCell) -> bool:
    is_sign = _CLOSING.fullmatch(cell.text) is not None
    return is_sign and any(map(str.isdigit, before.text)) and not _YEAR.fullmatch(before.text)


def _columns(cells: Iterable[GridCell]) -> list[tuple[float, float]]:
    """Return the extents of the columns: cells that overlap share one, unless they span several."""
    columns: list[tuple[float, float]] = []
    for cell in sorted(cells, key=lambda cell: (cell.end - cell.start, cell.start)):
        first = bisect_right(columns, cell.start, key=_end)
        after = bisect_left(columns, cell.end, key=itemgetter(0))
        if first >= after:
            columns.insert(first, (cell.start, cell.end))
        elif after - first == 1:
            start, end = columns[first]
            columns[first] = (min(start, cell.start), max(end, cell.end))
    return columns
