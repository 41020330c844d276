"""Read the pages of a PDF in reading order; runs in the subprocess of `_worker.py`."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import pairwise
from typing import Any

from ._grid import GridCell
from ._html import NOTE, format_raised
from ._pdf_geometry import Geometry, TextLine
from ._pdf_lines import PageLine, is_figure, line_of_words
from ._pdf_prose import order_columns
from ._pdf_rules import CellEdge, DrawnPath, cell_edges, head_rules, read_paths
from ._pdf_tables import write_tables

LONGEST_LINE = 250
"""Longest line, in characters; a longer one is several lines of small print that PDFium merged."""

_CLOSING = {"%", ")", "%)", ")%"}
"""Signs of a figure that may be separated from it."""

_LONGEST_HEAD = 180
"""Longest line of a table's head, in characters; a longer one is prose."""

_NUMBER = re.compile(r"(?<=\S)(?:\d+|\s{1,2}[(\[]?\d\d?\b)")
_WORD = re.compile(r"\S+")
_MARK_SIGNS = {*"0123456789()[], \r\n"}
_NEAR = 0.3
"""Largest gap before a footnote's mark, in heights of the character before it."""

_MARK_DIGITS = 2
"""Maximum digits of a raised number."""

_DASHES = re.compile(r"(?<!\S)[-–—]+\s*$")
"""Cells without a figure; PDFium takes them for hyphens and adds them to the row above."""

_SAME = 0.4
"""Largest difference of two baselines in one row, in heights of a character."""

_CELL = re.compile(r"[$€£(]*\s?[-–—−]?\s?[\d,.'’]*\s?[%)xX]*|[Nn][./]?[AMam]\.?")


def read(path: str) -> Iterator[str]:
    """Yield the text of each page; `NOTE` for a page with only pictures or drawings.

    Raises:
        ValueError: The file is encrypted or damaged; says which.
    """
    import pypdfium2
    from pypdfium2 import raw

    try:
        document = pypdfium2.PdfDocument(path)
        for number in range(len(document)):
            page = document[number]
            if raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY) == raw.FLATTEN_SUCCESS:
                page.close()
                # flattening has written the values of its forms into the page
                page = document[number]
            drawn = next(page.get_objects(max_depth=1), None) is not None
            text = _page_text(page).replace("\0", "")
            unread = drawn and not text.strip()
            yield NOTE if unread else re.sub("[\ud800-\udfff]", "\ufffd", text)
    except pypdfium2.PdfiumError as error:
        if error.err_code == pypdfium2.raw.FPDF_ERR_PASSWORD:
            raise ValueError("is encrypted and needs a password") from None
        raise ValueError(f"is damaged, truncated or not a PDF ({error})") from None


def _page_text(page: Any) -> str:
    from pypdfium2 import raw

    textpage = page.get_textpage()
    text: str = textpage.get_text_range()
    count = raw.FPDFText_CountChars(textpage)
    if len(text) != count:  # make indices of the text equal those of the page's characters
        text = "".join(chr(raw.FPDFText_GetUnicode(textpage, index)) for index in range(count))
    geometry = Geometry(textpage, count)
    glyphs = list(text)
    for index, mark in _superscripts(text, geometry):
        glyphs[index] = mark
    lines = _table_rows(order_columns(list(_lines(text, geometry)), geometry), geometry)
    find_paths = cache(partial(read_paths, page))
    page_lines = _page_lines(lines, glyphs, geometry, find_paths)
    text = "\n".join(write_tables(page_lines, cache(lambda: head_rules(find_paths()))))
    textpage.close()
    page.close()
    return text


def _lines(text: str, geometry: Geometry) -> Iterator[TextLine]:
    """Yield PDFium's lines; merged ones are split where the baseline moves."""
    lines = list(re.finditer(r"[^\s\ufffe][^\n\ufffe]*(?:\ufffe\n?)?", text))
    merged = any(len(line[0]) > LONGEST_LINE for line in lines)
    for line in lines:
        dashed = line[0].rstrip()[-1:] in {*"-–—"} and _DASHES.search(line[0])
        cuts = _find_baseline_moves(line, geometry) if merged or dashed else ()
        for start, end in pairwise([line.start(), *cuts, line.end()]):
            yield TextLine(text[start:end].rstrip(), start)


def _find_baseline_moves(line: re.Match[str], geometry: Geometry) -> Iterator[int]:
    """Yield where the baseline moves by half a line or more."""
    level: float | None = None
    for index, sign in enumerate(line[0], start=line.start()):
        if not sign.isspace():
            baseline = geometry.baseline(index)
            if level is None:
                level = baseline
            elif baseline != level and abs(baseline - level) > geometry.box(index)[2] / 2:
                yield index
                level = baseline


def _superscripts(text: str, geometry: Geometry) -> Iterator[tuple[int, str]]:
    """Yield the index of each character of a raised number, and its replacement.

    A raised number is an exponent or the mark of a footnote, which is omitted.
    """
    for match in _NUMBER.finditer(text):
        base = match.start() - 1
        start = end = match.end()
        while base and text[base] in "([":
            base -= 1
        while text[start - 1] in _MARK_SIGNS and geometry.is_raised(start - 1, base):
            start -= 1
        if not 0 < sum(map(str.isdigit, text[start:end])) <= _MARK_DIGITS:
            continue
        while text[end : end + 1] in _MARK_SIGNS and geometry.is_raised(end, base):
            end += 1
        end -= len(text[start:end]) - len(text[start:end].rstrip())
        first = start + len(text[start:end]) - len(text[start:end].lstrip())
        gap = geometry.box(first)[0] - geometry.box(start - 1)[1]
        after = re.match(r"\s{0,2}[A-Za-z]", text[end : end + 3])
        is_text = after is not None and geometry.is_raised(end + after.end() - 1, base)
        if is_text or gap > _NEAR * geometry.box(base)[2]:
            continue  # small text beside a figure in large type
        mark = format_raised(
            text[max(0, start - 4) : start], text[start:end].strip(), text[end : end + 1]
        )
        for index in range(start, end):
            yield index, mark if index == end - 1 else ""


def _page_lines(
    rows: Sequence[Sequence[TextLine]],
    glyphs: Sequence[str],
    geometry: Geometry,
    find_paths: Callable[[], Sequence[DrawnPath]],
) -> list[PageLine]:
    """Return the rows of a page, with words as far as they may be tables or their heads."""
    ends = [number for number, row in enumerate(rows) if _may_end_in_figure(row)]
    after = ends[-1] + 1 if ends else 0
    edges = cell_edges(find_paths()) if ends and not geometry.is_sideways else []
    return [
        _page_line(row, glyphs, geometry, edges, has_words=number < after and _may_be_cells(row))
        for number, row in enumerate(rows)
    ]


def _may_end_in_figure(row: Sequence[TextLine]) -> bool:
    words = row[-1].text.split()
    return len(row) + len(words) > 2 and (is_figure(words[-1]) or words[-1] in _CLOSING)


def _may_be_cells(row: Sequence[TextLine]) -> bool:
    return sum(len(text) for text, _ in row) <= _LONGEST_HEAD or _may_end_in_figure(row)


def _page_line(
    row: Sequence[TextLine],
    glyphs: Sequence[str],
    geometry: Geometry,
    edges: Sequence[CellEdge],
    has_words: bool,
) -> PageLine:
    words = []
    for text, start in row if has_words else ():
        for match in _WORD.finditer(text):
            first = start + match.start()
            last = start + match.end() - 1
            word = "".join(glyphs[first : last + 1])
            if word:
                words.append(GridCell(geometry.box(first)[0], geometry.box(last)[1], word))
    start = row[0].start
    text = _join_pieces(row, glyphs, geometry)
    baseline = geometry.baseline(start)
    level_edges = [edge.x for edge in edges if edge.bottom < baseline < edge.top]
    return line_of_words(text, words, baseline, geometry.box(start)[2], level_edges)


def _join_pieces(cells: Sequence[TextLine], glyphs: Sequence[str], geometry: Geometry) -> str:
    """Return the text of a row, with a space where there is one between its pieces.

    Args:
        cells: Pieces of the row.
        glyphs: Text for each character of the page.
        geometry: Where they are.
    """
    text = ""
    for number, (_, start) in enumerate(cells):
        if number:
            above = cells[number - 1]
            _, right, height = geometry.box(above.start + len(above.text) - 1)
            if geometry.box(start)[0] - right > 0.1 * height:
                text += " "
        text += "".join(glyphs[start : start + len(cells[number].text)])
    return text


def _table_rows(lines: list[TextLine], geometry: Geometry) -> list[list[TextLine]]:
    """Return rows of lines: cells at one height, even in tables drawn column by column."""
    heights = [geometry.baseline(line.start) for line in lines]
    boxes = [geometry.box(line.start) for line in lines]
    rows: list[list[TextLine]] = []
    levels: list[float] = []
    index = 0
    while index < len(lines):
        height_tolerance = _SAME * boxes[index][2]
        if levels and -height_tolerance <= heights[index] - levels[-1] <= 2 * height_tolerance:
            last = rows[-1][-1]
            if boxes[index][0] >= geometry.box(last.start + len(last.text) - 1)[1]:
                rows[-1].append(lines[index])
                index += 1
                continue
        column = _column(lines, heights, index, levels, height_tolerance) if levels else []
        for line, height in column:
            row = next(
                row_index
                for row_index, level in enumerate(levels)
                if level <= height + height_tolerance
            )
            if levels[row] >= height - height_tolerance:
                rows[row].append(line)
            else:
                rows.insert(row, [line])
                levels.insert(row, height)
        if not column:
            rows.append([lines[index]])
            levels.append(heights[index])
        index += max(1, len(column))
    return rows


def _column(
    lines: list[TextLine],
    heights: list[float],
    start: int,
    levels: list[float],
    height_tolerance: float,
) -> list[tuple[TextLine, float]]:
    """Return the lines from `start` on that are a column of figures beside the rows above."""
    if heights[start] <= levels[-1] + 2 * height_tolerance:
        return []
    end = start + 1
    while end < len(lines) and heights[end] < heights[end - 1] - height_tolerance:
        end += 1

    def is_at_level(index: int) -> bool:
        return any(abs(level - heights[index]) <= height_tolerance for level in levels)

    column_lines = list(filter(is_at_level, range(start, end)))
    if len(column_lines) < 2:
        return []
    column = slice(start, column_lines[-1] + 1)
    texts = [line.text for line in lines[column]]
    figures = sum(bool(_CELL.fullmatch(text)) for text in texts)
    if 3 * min(figures, len(column_lines)) < 2 * len(texts):
        return []
    return list(zip(lines[column], heights[column], strict=True))
