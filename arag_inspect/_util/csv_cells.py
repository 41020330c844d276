"""CSV that no spreadsheet interprets as formulas."""

import csv
import io
import re
from collections.abc import Iterable

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Write rows as CSV, with an apostrophe before texts that would run as formulas."""
    out = io.StringIO()
    bare = csv.writer(out, lineterminator="\n")
    quoted = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in rows:
        cells = [safe_cell(value) for value in row]
        has_return = any(isinstance(cell, str) and "\r" in cell for cell in cells)
        (quoted if has_return else bare).writerow(cells)  # a bare carriage return would end the row
    return out.getvalue()


def cell_text(cell: str) -> str:
    """Return the text from which `csv_text` made a cell."""
    return cell[1:] if cell.startswith("'") and _is_formula(cell[1:]) else cell


def safe_cell(value: object) -> object:
    """Return a cell with an apostrophe before a text that would run as a formula."""
    return f"'{value}" if isinstance(value, str) and _is_formula(value) else value


def _is_formula(text: str) -> bool:
    return text.startswith(_FORMULA) and not _NUMBER.fullmatch(text)
