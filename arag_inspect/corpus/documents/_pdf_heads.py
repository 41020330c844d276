"""Find the lines of a PDF page that are the head of a table."""

from collections.abc import Sequence

from ._grid import GridCell, middle
from ._pdf_columns import TableColumns
from ._pdf_lines import PageLine

_MOST_PIECES = 60
"""Maximum lines of a head; the parts of one line may be drawn one by one."""

_MOST_LABELS = 8
"""Maximum lines above the labels alone, between a head and the first row."""

_LONGEST = 60
"""Longest head of one column, in characters; a longer one is prose."""

_LONGEST_LABEL = 120
_FARTHEST = 3
"""Largest distance between two lines of a head, in heights of a letter."""

_CENTRAL = 0.03
"""Largest distance of a title from the middle of the table, as a share of its width."""


def find_head(lines: Sequence[PageLine], columns: TableColumns) -> range:
    """Return the indices of the lines of a head, among those above the first row; empty if none."""
    pieces: list[int] = []
    for index in reversed(range(len(lines))):
        line = lines[index]
        above = columns.above(line)
        if line.is_row or not _is_short(line, above, columns) or len(pieces) >= _MOST_PIECES:
            break
        if (not pieces and above and not _is_title(line, columns)) or (
            pieces and _belongs(line, above, [lines[piece] for piece in pieces], columns)
        ):
            pieces.append(index)
        elif pieces or len(lines) - index > _MOST_LABELS or line.text.rstrip().endswith("."):
            break
    return range(pieces[-1], pieces[0] + 1) if pieces else range(0)


def _is_short(line: PageLine, above: Sequence[GridCell], columns: TableColumns) -> bool:
    """Return whether the cells of a line are short enough for the columns that they overlap."""
    if not above:
        return 0 < len(line.text) <= _LONGEST_LABEL
    widths = [len(columns.find_overlaps(cell)) for cell in above]
    return any(widths) and all(
        len(cell.text) <= _LONGEST * max(1, width - 1)
        for cell, width in zip(above, widths, strict=True)
    )


def _belongs(
    line: PageLine, above: Sequence[GridCell], pieces: Sequence[PageLine], columns: TableColumns
) -> bool:
    """Return whether a line belongs to the head of some lines below or beside it."""
    top = max(piece.baseline for piece in pieces)
    bottom = min(piece.baseline for piece in pieces)
    half = line.height / 2
    if bottom - half < line.baseline < top + half:
        return True
    if line.baseline > top + _FARTHEST * line.height:
        return False
    # a line above the labels belongs to the head if its bracket is closed in the line below
    if not above:
        return line.text.count("(") > line.text.count(")")
    return not (_is_title(line, columns) and _cover(pieces, columns))


def _is_title(line: PageLine, columns: TableColumns) -> bool:
    """Return whether a line is a single cell centred above the table, not above its columns."""
    if len(line.cells) != 1:
        return False
    cell = line.cells[0]
    left = columns.boxes[0][0]
    right = columns.boxes[-1][1]
    table_distance = abs(middle(cell) - middle((columns.margin, right)))
    column_distance = abs(middle(cell) - middle((left, right)))
    is_central = table_distance < _CENTRAL * (right - columns.margin)
    return table_distance < column_distance and (is_central or cell.start < left)


def _cover(pieces: Sequence[PageLine], columns: TableColumns) -> bool:
    """Return whether there is a head above each column."""
    covered: set[int] = set()
    for piece in pieces:
        for cell in columns.above(piece):
            covered.update(columns.find_overlaps(cell))
    return len(covered) == len(columns.boxes)
