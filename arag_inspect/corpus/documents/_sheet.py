"""Read the first sheet of an Excel file as a table; runs in the subprocess of `_worker.py`."""

import json
from collections.abc import Iterator
from typing import Any

from ._office import one_line_errors, text_as_shown


def read(path: str, most_cells: int) -> Iterator[str]:
    """Yield the rows of the first visible sheet, each a JSON list with the text of its cells.

    Args:
        path: The file.
        most_cells: Maximum cells, empty ones included.

    Raises:
        ValueError: A package is missing, the file is encrypted, damaged or of an older format, or
            the sheet has too many cells.
    """
    cells_read = 0
    with one_line_errors(".xlsx"):
        for row in _first_sheet(path).iter_rows():
            cells_read += max(1, len(row))
            if cells_read > most_cells:
                break
            texts = [_text(cell) for cell in row]
            while texts and not texts[-1]:  # cells with only a format are empty
                texts.pop()
            yield json.dumps(texts)
    if cells_read > most_cells:
        raise ValueError(f"has more than {most_cells:,} cells in its first sheet")


def _first_sheet(path: str) -> Any:
    from openpyxl import load_workbook

    sheets = load_workbook(path, read_only=True, data_only=True).worksheets
    return next(sheet for sheet in sheets if sheet.sheet_state == "visible")


def _text(cell: Any) -> str:
    """Return the text of a cell: as written, with its lines, or a number as it is shown."""
    return cell.value.strip() if isinstance(cell.value, str) else text_as_shown(cell)
