"""CSV that no spreadsheet interprets as formulas."""

import csv
import io
import re
from collections.abc import Iterable

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Write rows as CSV; prefix texts that a spreadsheet would run with an apostrophe, keep
    numbers.
    """
    out = io.StringIO()
    bare = csv.writer(out, lineterminator="\n")
    quoted = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in rows:
        cells = [_cell(value) for value in row]
        returns = any(isinstance(cell, str) and "\r" in cell for cell in cells)
        (quoted if returns else bare).writerow(cells)  # a bare carriage return would end the row
    return out.getvalue()


def cell_text(cell: str) -> str:
    """Return the text from which `csv_text` made a cell."""
    return cell[1:] if cell.startswith("'") and _runs(cell[1:]) else cell


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and _runs(value) else value


def _runs(text: str) -> bool:
    return text.startswith(_FORMULA) and not _NUMBER.fullmatch(text)
