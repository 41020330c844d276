"""Read Word, PowerPoint and Excel files; runs in the subprocess of `_worker.py`."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from ._grid import SEPARATOR, line_of
from ._html import NOTE
from ._word import diagrams, read_document
from ._workbook import hidden_parts

_CURRENCY = re.compile(r"(?<!\[)\$|[€£¥₹]")
"""Sign of a currency in a number's format; `[$-409]` is a language."""

_END = re.compile(r'[0#](,*)(?:"([^"]*)")?[^0#"]*$')
"""End of a number's format: a comma for each thousand it is divided by, and its unit."""

_LITERAL = re.compile(r'"[^"]*"|[_*].|\[[^\]]*\]')
_FRACTION = re.compile(r"[?#\d]\s?/\s?[?#\d]")


def read(path: str, most_cells: int) -> Iterator[str]:
    """Yield the paragraphs, slides or sheets of a file; a row of a table is a line.

    Args:
        path: The file.
        most_cells: Cells of a workbook that are read, empty ones included.

    Raises:
        ValueError: A package is missing, or the file is encrypted, damaged or of an older format.
    """
    suffix = Path(path).suffix.lower()
    readers: dict[str, Callable[[str], Iterator[str]]] = {
        ".docx": read_document,
        ".pptx": _slides,
        ".xlsx": partial(_sheets, most_cells=most_cells),
    }
    with one_line_errors(suffix):
        yield from readers[suffix](path)


@contextmanager
def one_line_errors(suffix: str) -> Iterator[None]:
    """Raise the errors of reading a file of this suffix as a `ValueError` of one line."""
    try:
        yield
    except ModuleNotFoundError as error:
        command = "pip install 'arag-inspect[office]'"
        raise ValueError(f"needs {error.name}, which is not installed; run: {command}") from None
    except MemoryError:
        raise
    except Exception as error:  # the three packages pass on any error of their parsers
        reason = f"{type(error).__name__}: {error}"[:120]
        raise ValueError(f"is damaged, encrypted or not a {suffix[1:]} file ({reason})") from None


def _slides(path: str) -> Iterator[str]:
    from pptx import Presentation

    hidden = 0
    for slide in Presentation(path).slides:
        if slide.element.get("show") == "0":
            hidden += 1
            continue
        shapes = sorted(_flat(slide.shapes), key=lambda shape: (shape.top or 0, shape.left or 0))
        for shape in shapes:
            if shape.has_text_frame:
                yield shape.text_frame.text
            elif getattr(shape, "has_table", False):
                for row in shape.table.rows:
                    yield _row(cell.text for cell in row.cells)
            elif getattr(shape, "has_chart", False):
                yield from _points(shape.chart.element)
        yield from diagrams(slide.part)
        if slide.has_notes_slide:
            yield slide.notes_slide.notes_text_frame.text
        yield ""
    if hidden:
        yield f"{NOTE}{hidden} hidden slides"


def _flat(shapes: Iterable[Any]) -> Iterator[Any]:
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _flat(shape.shapes)
        else:
            yield shape


def _points(chart: Any) -> Iterator[str]:
    """Yield the points of a chart: series, category, value."""
    for series in chart.xpath(".//c:ser"):
        name = " ".join(series.xpath("c:tx//c:v/text()"))
        labels = {pt.get("idx"): "".join(pt.itertext()) for pt in series.xpath("c:cat//c:pt")}
        for point in series.xpath("c:val//c:pt"):
            yield _row([name, labels.get(point.get("idx"), ""), "".join(point.itertext())])


def _row(cells: Iterable[str]) -> str:
    return SEPARATOR.join(" ".join(cell.split()) for cell in cells)


@dataclass
class _CellCounts:
    """Cells of a workbook read so far."""

    most: int
    read: int = 0
    unsaved: int = 0
    """Formulas without a result."""

    def is_exceeded(self) -> bool:
        """Return whether there are more cells than are read."""
        return self.read > self.most


def _sheets(path: str, most_cells: int) -> Iterator[str]:
    from openpyxl import load_workbook

    formulas = load_workbook(path, read_only=True)
    counts = _CellCounts(most_cells)
    hidden_sheets = 0
    for sheet in load_workbook(path, read_only=True, data_only=True).worksheets:
        if sheet.sheet_state != "visible":
            hidden_sheets += 1
            continue
        rows = zip(sheet.iter_rows(), formulas[sheet.title].iter_rows(), strict=True)
        yield sheet.title
        yield from _sheet_lines(sheet.title, rows, hidden_parts(path, sheet.title), counts)
        if counts.is_exceeded():
            yield f"{NOTE}the cells after the first {most_cells:,}"
            break
    if hidden_sheets:
        yield f"{NOTE}{hidden_sheets} hidden sheets"
    if counts.unsaved:
        unsaved = f"{counts.unsaved} cells, which the file does not contain"
        yield f"{NOTE}the results of formulas in {unsaved}"


def _sheet_lines(
    title: str,
    rows: Iterable[tuple[Sequence[Any], Sequence[Any]]],
    hidden: tuple[set[int], set[int]],
    counts: _CellCounts,
) -> Iterator[str]:
    """Yield the visible rows of a sheet and a note on the hidden ones.

    Args:
        title: Title of the sheet.
        rows: Cells of each row with their results, and with their formulas.
        hidden: Numbers of the hidden rows and columns.
        counts: Counts the cells.
    """
    hidden_rows, hidden_columns = hidden
    width = 0
    widest = 0
    for number, (row, formulas) in enumerate(rows, start=1):
        counts.read += max(1, len(row))
        if counts.is_exceeded():
            break
        widest = max(widest, len(row))
        if number in hidden_rows:
            continue
        visible = [index for index in range(len(row)) if index + 1 not in hidden_columns]
        for index in visible:
            counts.unsaved += formulas[index].data_type == "f" and row[index].value is None
        cells = [text_as_shown(row[index]) for index in visible]
        while len(cells) > width and not cells[-1]:
            cells.pop()
        width = len(cells) if any(cells) else 0
        if width:
            yield line_of(cells)
    yield ""
    filled_columns = sum(column <= widest for column in hidden_columns)
    if hidden_rows or filled_columns:
        parts = f"{len(hidden_rows)} hidden rows and {filled_columns} hidden columns"
        yield f"{NOTE}{parts} of sheet {title}"


def text_as_shown(cell: Any) -> str:
    """Return the value of a cell as it is shown: with its percent sign and thousands.

    A date has its day only if that is shown.
    """
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, date):
        return _date_as_shown(value, cell.number_format)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return " ".join(str(value).split())
    style = re.sub(r"\\(.)", r'"\1"', cell.number_format.partition(";")[0])
    code = _LITERAL.sub("", style)
    sign = _CURRENCY.search(style)
    decimals = code.partition(".")[2]
    digits = len(decimals) - len(decimals.lstrip("0"))
    if "%" in code:
        return f"{value:.{digits}%}"
    if style == "General" or _FRACTION.search(code):
        return f"{value:.15g}"
    end = _END.search(style)
    thousands, unit = (len(end[1]), end[2] or "") if end else (0, "")
    minus = "-" if value < 0 else ""
    currency = sign[0] if sign and sign[0] not in unit else ""
    separator = "," if "," in code else ""
    number = f"{abs(value) / 1000**thousands:{separator}.{digits}f}"
    return f"{minus}{currency}{number}{unit}"


def _date_as_shown(value: date, style: str) -> str:
    """Return a date, without its day or month if its format has only the year or the month."""
    code = _LITERAL.sub("", style).lower()
    if "yy" in code and "d" not in code:
        return f"{value:%B %Y}" if "m" in code else f"{value:%Y}"
    return str(value).removesuffix(" 00:00:00")
