"""Read Word, PowerPoint and Excel files; runs in the subprocess of `_worker.py`."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

_SEPARATOR = " | "


def read(path: str) -> Iterator[str]:
    """Yield the paragraphs, slides or sheets of a file; a row of a table is a line.

    Raises:
        ValueError: A package is missing, or the file is encrypted, damaged or of an older format.
    """
    suffix = Path(path).suffix.lower()
    try:
        yield from {".docx": _document, ".pptx": _slides, ".xlsx": _sheets}[suffix](path)
    except ModuleNotFoundError as error:
        command = "pip install 'arag-inspect[office]'"
        raise ValueError(f"needs {error.name}, which is not installed; run: {command}") from None
    except MemoryError:
        raise
    except Exception as error:  # the three packages raise what their parsers raise
        reason = f"{type(error).__name__}: {error}"[:120]
        raise ValueError(f"is damaged, encrypted or no {suffix[1:]} file ({reason})") from None


def _document(path: str) -> Iterator[str]:
    from docx import Document

    for block in Document(path).iter_inner_content():
        if hasattr(block, "rows"):
            # a merged cell is in a row once for each column that it spans
            yield from (_row(dict.fromkeys(row.cells)) for row in block.rows)
        elif block.text.strip():
            yield block.text


def _slides(path: str) -> Iterator[str]:
    from pptx import Presentation

    for slide in Presentation(path).slides:
        shapes = sorted(_flat(slide.shapes), key=lambda shape: (shape.top or 0, shape.left or 0))
        for shape in shapes:
            if shape.has_text_frame:
                yield shape.text_frame.text
            elif getattr(shape, "has_table", False):
                yield from (_row(row.cells) for row in shape.table.rows)
        if slide.has_notes_slide:
            yield slide.notes_slide.notes_text_frame.text
        yield ""


def _flat(shapes: Iterable[Any]) -> Iterator[Any]:
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _flat(shape.shapes)
        else:
            yield shape


def _row(cells: Iterable[Any]) -> str:
    return _SEPARATOR.join(" ".join(cell.text.split()) for cell in cells)


def _sheets(path: str) -> Iterator[str]:
    from openpyxl import load_workbook

    for sheet in load_workbook(path, read_only=True, data_only=True).worksheets:
        if sheet.sheet_state != "visible":
            continue
        yield sheet.title
        for row in sheet.iter_rows():
            cells = [_shown(cell) for cell in row]
            while cells and not cells[-1]:
                cells.pop()
            if cells:
                yield _SEPARATOR.join(cells)
        yield ""


def _shown(cell: Any) -> str:
    """Return the value of a cell as it is shown: with its percent sign and thousands."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return " ".join(str(value).removesuffix(" 00:00:00").split())
    decimals = cell.number_format.partition(".")[2]
    digits = len(decimals) - len(decimals.lstrip("0"))
    if "%" in cell.number_format:
        return f"{value:.{digits}%}"
    if cell.number_format == "General":
        return f"{value:.15g}"
    return f"{value:,.{digits}f}" if "," in cell.number_format else f"{value:.{digits}f}"
