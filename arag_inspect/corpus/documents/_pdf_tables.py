"""Write the tables of a PDF page with `|` between their cells."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ._grid import line_of
from ._pdf_columns import LabelledRow, TableColumns
from ._pdf_heads import find_head
from ._pdf_lines import PageLine, is_figure, merge_neighbours
from ._pdf_rules import HeadRule
from ._pdf_spans import texts_above

_FARTHEST = 5
"""Largest distance between two lines of a table, in heights of a letter."""

_MOST_LABELS = 6
"""Maximum consecutive lines of labels alone between two rows."""

_LONGEST_LABEL = 120
"""Longest title of a block of rows or first line of a label, in characters."""

_FEWEST_HEADLESS = 3
"""Minimum rows of a table without a head."""

_HYPHEN = "\ufffe"
"""PDFium's sign for a hyphen at the end of a line."""


class _WrittenTable(NamedTuple):
    start: int
    """Index of its first line on the page."""

    end: int
    lines: list[str]


def write_tables(
    lines: Sequence[PageLine], find_rules: Callable[[], Sequence[HeadRule]]
) -> Iterator[str]:
    """Yield the lines of a page, with `|` between the cells of tables.

    The lines of a head become one line: the text above each column, from top to bottom. A table
    stays as printed if its columns overlap or their heads are unclear.

    Args:
        lines: Lines of the page in reading order.
        find_rules: Returns the rules of the page; called only where they matter.
    """
    lines = merge_neighbours(lines)
    end = 0
    for table in _tables(lines, find_rules):
        yield from (line.text for line in lines[end : table.start])
        yield from (text.replace(f"{_HYPHEN} ", "-").replace(_HYPHEN, "-") for text in table.lines)
        end = table.end
    yield from (line.text for line in lines[end:])


def _tables(
    lines: Sequence[PageLine], find_rules: Callable[[], Sequence[HeadRule]]
) -> Iterator[_WrittenTable]:
    """Yield the tables of a page."""
    end = 0
    for body in range(len(lines)):
        if body >= end and lines[body].is_row:
            start = end
            end = _end_of_body(lines, body)
            table = _table(lines, range(start, body), range(body, end), find_rules)
            if table is not None:
                yield table


def _end_of_body(lines: Sequence[PageLine], body: int) -> int:
    """Return the index after the last row of the table whose first row is `body`."""
    last = body
    left = next(cell.start for cell in lines[body].cells[1:] if is_figure(cell.text))
    for index in range(body + 1, len(lines)):
        line = lines[index]
        if lines[index - 1].baseline - line.baseline > _FARTHEST * line.height:
            break
        if line.is_row:
            last = index
        elif index - last > _MOST_LABELS or not _is_between_rows(line, left):
            break
    return last + 1


def _is_between_rows(line: PageLine, left: float) -> bool:
    """Return whether a line may be between two rows.

    It is the title of a block of rows, the start of a label or a lone figure.

    Args:
        line: The line.
        left: Left edge of the figures.
    """
    text = line.text.rstrip()
    if len(text) > _LONGEST_LABEL or text.endswith("."):
        return False
    if len(line.cells) == 1:
        return line.cells[0].start < left or is_figure(text)
    return all(cell.end <= left for cell in line.cells)


def _table(
    lines: Sequence[PageLine],
    above: range,
    body: range,
    find_rules: Callable[[], Sequence[HeadRule]],
) -> _WrittenTable | None:
    """Return a table; None if it is unclear.

    Args:
        lines: Lines of the page.
        above: Indices of the lines that may be its head.
        body: Indices of its rows, with labels between them.
        find_rules: Returns the rules of the page.
    """
    rows = [lines[index].cells for index in body if lines[index].is_row]
    if _are_pages(rows):
        return None
    columns = TableColumns(rows)
    head = find_head(lines[above.start : above.stop], columns)
    if not head:
        is_list = len(columns.extents) == 1 and _is_list_of_amounts(rows)
        list_rows = list(_rows(lines[body.start : body.stop], columns)) if is_list else []
        return _WrittenTable(body.start, body.stop, list_rows) if is_list else None
    if len(columns.extents) == len(rows) == 1:
        return None
    first, after = above.start + head.start, above.start + head.stop
    notes = [line for line in lines[first:after] if _is_note(line, columns)]
    heads = texts_above(
        [line for line in lines[first:after] if line not in notes], columns, find_rules
    )
    if heads is None:
        return None
    head_lines = [*(note.text.strip() for note in notes), line_of(heads)]
    return _WrittenTable(first, body.stop, [*head_lines, *_rows(lines[after : body.stop], columns)])


def _is_note(line: PageLine, columns: TableColumns) -> bool:
    """Return whether a line of a head is a note on several columns: (in thousands)."""
    text = line.text.strip()
    is_enclosed = len(line.cells) == 1 and text.startswith("(") and text.endswith(")")
    return is_enclosed and len(columns.find_overlaps(line.cells[0])) > 1


def _are_pages(rows: Sequence[LabelledRow]) -> bool:
    """Return whether rows end in ascending numbers alone, as a table of contents does."""
    figures = [cell.text for row in rows for cell in row[1:] if is_figure(cell.text)]
    numbers = [int(text) for text in figures if text.isdecimal()]
    return len(numbers) == len(figures) == len(rows) > 1 and sorted(numbers) == numbers


def _is_list_of_amounts(rows: Sequence[LabelledRow]) -> bool:
    """Return whether rows without a head are a list of amounts of money."""
    return len(rows) >= _FEWEST_HEADLESS and any("$" in row[-1].text for row in rows)


def _rows(lines: Sequence[PageLine], columns: TableColumns) -> Iterator[str]:
    """Yield the lines below a head; a label on several lines moves to the line of its figures."""
    labels: list[str] = []
    for line in lines:
        texts = columns.texts(columns.cells(line)) if line.is_row else None
        if texts is None:
            labels.append(line.text)
            continue
        while labels and (not texts[0] or texts[0][0].islower()):
            texts[0] = f"{labels.pop()} {texts[0]}".strip()
        yield from labels
        yield line_of(texts)
        labels = []
    yield from labels
