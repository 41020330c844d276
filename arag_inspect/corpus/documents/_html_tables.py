"""Turn the tables of an HTML page into lines of text, a row each; see `_grid.lines_of`."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice, zip_longest
from typing import Any, NamedTuple

from ._grid import GridCell, lines_of

INLINE = {"a", "b", "i", "u", "em", "font", "small", "span", "strong", "sub", "sup"}
_ROWS = "rows"
"""Attribute that marks the lines of a table with several rows."""

_CELLS = ("td", "th")
_LONGEST_CELL = 300
"""Longest cell of a table, in characters; a longer one is page layout and keeps its paragraphs."""

_MOST_SPANNED = 200
"""Maximum columns or rows that a cell spans."""

_FIGURE = re.compile(
    r"[-–—−(]*+[$€£¥₹]?[-–—−(\s]*+\d[\d.,’']*+[\s)%x]*+(?:\(\w\))?|[-–—−]+|n/?[am]\.?",
    re.IGNORECASE,
)


class _Box(NamedTuple):
    """A cell on the grid of its table."""

    start: int
    end: int
    lines: list[str]
    nested: list[Any]
    """Lines of tables of several rows within it."""

    element: Any
    """The cell; None if it began in a row above."""

    @property
    def text(self) -> str:
        return " ".join(filter(None, self.lines))


def write_table(table: Any) -> None:
    """Replace a table by its lines; nested tables are already replaced.

    A table used for page layout is replaced by the contents of its cells. A table within a table of
    figures follows the row that contains it.
    """
    rows = list(_boxes(table))
    if not rows:
        _block(table)
        return
    has_nested = any(box.nested for box in chain.from_iterable(rows))
    lays_out = has_nested and not any(map(_has_figures, rows))
    rows_as_blocks = [lays_out or _holds_text(row) for row in rows]
    printed = [
        [] if is_block else _split_stacked(row)
        for row, is_block in zip(rows, rows_as_blocks, strict=True)
    ]
    lines = lines_of(chain.from_iterable(printed))
    elements = []
    for row, is_block, parts in zip(rows, rows_as_blocks, printed, strict=True):
        if is_block:
            elements += [_block(box.element) for box in row if box.element is not None]
            continue
        elements += [_line(text) for text in islice(lines, len(parts)) if text]
        elements += chain.from_iterable(box.nested for box in row)
    captions = [_block(caption) for caption in table.findall("caption")]
    for part in list(table):
        table.remove(part)
    table.tag = "div"
    table.text = None
    table.extend([*captions, *elements])
    if len(elements) > 1:
        table.set(_ROWS, "")


def _block(element: Any) -> Any:
    element.tag = "div"
    return element


def _line(text: str) -> Any:
    from lxml.html import Element

    line = Element("div")
    line.text = text
    return line


def _has_figures(row: Sequence[_Box]) -> bool:
    """Return whether a row has both a label and a figure."""
    texts = [box.text for box in row if box.text and not box.nested]
    return len(texts) > 1 and any(map(_FIGURE.fullmatch, texts))


def _holds_text(row: Sequence[_Box]) -> bool:
    """Return whether a row contains paragraphs, not cells."""
    long_boxes = [box for box in row if len(box.text) > _LONGEST_CELL]
    return bool(long_boxes) and (any(box.nested for box in long_boxes) or not _has_figures(row))


def _boxes(table: Any) -> Iterator[list[_Box]]:
    """Yield the cells of each row; a label over several rows is repeated in each."""
    spanned: dict[int, tuple[int, list[str]]] = {}
    for row in table.iter("tr"):  # nested tables have lost theirs
        boxes = [
            _Box(column_index, column_index + 1, lines, [], None)
            for column_index, (_, lines) in spanned.items()
        ]
        started_spans: dict[int, tuple[int, list[str]]] = {}
        column = 0
        for cell in row.iterchildren(*_CELLS):
            while column in spanned:
                column += 1
            width = _span(cell, "colspan")
            height = _span(cell, "rowspan")
            nested = [inner for inner in cell.iter("div") if inner.get(_ROWS) is not None]
            box = _Box(column, column + width, _lines(cell), nested, cell)
            boxes.append(box)
            if height > 1:
                is_label = column == 0 or column - 1 in (started_spans.keys() | spanned.keys())
                started_spans[column] = height, box.lines if is_label else []
                started_spans |= {
                    column_index: (height, []) for column_index in range(column + 1, box.end)
                }
            column = box.end
        spanned = {
            column_index: (height - 1, lines)
            for column_index, (height, lines) in (spanned | started_spans).items()
            if height > 1
        }
        yield sorted(boxes, key=lambda box: box.start)


def _span(cell: Any, name: str) -> int:
    digits = re.match(r"\s*(\d{1,4})", cell.get(name) or "")
    return min(max(1, int(digits[1])), _MOST_SPANNED) if digits else 1


def _lines(cell: Any) -> list[str]:
    """Return the lines of a cell, without nested tables."""
    lines = [""]
    for text in _texts(cell):
        if text == "\n":
            lines.append("")
        else:
            lines[-1] += text
    lines = [" ".join(line.split()) for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        del lines[0]
    return lines


def _texts(element: Any) -> Iterator[str]:
    """Yield the text of an element, and a line break for each `<br>` or block in it."""
    yield " ".join((element.text or "").split("\n"))
    for child in element:
        if child.tag == "br":
            yield "\n"
        elif child.get(_ROWS) is None:
            is_block = child.tag not in INLINE and not str(child.tag).startswith("ix:")
            yield from _texts(child)
            if is_block and child.getnext() is not None:
                yield "\n"
        yield " ".join((child.tail or "").split("\n"))


def _split_stacked(row: Sequence[_Box]) -> list[list[GridCell]]:
    """Return a row as several where its label and its figures are stacked in their cells."""
    filled = [box for box in row if box.text]
    if not _is_stacked(filled):
        return [[GridCell(box.start, box.end, box.text) for box in row]]
    lines_by_box = [box.lines for box in filled]
    rows = []
    for lines in zip_longest(*lines_by_box, fillvalue=""):
        cells = [
            GridCell(box.start, box.end, line) for box, line in zip(filled, lines, strict=True)
        ]
        rows.append(cells)
    return rows


def _is_stacked(boxes: Sequence[_Box]) -> bool:
    """Return whether cells have the same number of lines, all figures except in the first cell."""
    height = len(boxes[0].lines) if boxes else 0
    if height < 2 or len(boxes) < 2 or any(len(box.lines) != height for box in boxes):
        return False
    lines = chain.from_iterable(box.lines for box in boxes[1:])
    return all(_FIGURE.fullmatch(line) for line in lines if line)
