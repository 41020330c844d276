"""CSV whose text no spreadsheet takes for a formula: the one writer of such files here."""

import csv
import io
import re
from collections.abc import Iterable

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Rows as CSV; a text that a spreadsheet would run begins with an apostrophe, numbers stay as they are."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue()


def cell_text(cell: str) -> str:
    """The text that a cell was made from by `csv_text`."""
    return cell[1:] if cell.startswith("'") and _runs(cell[1:]) else cell


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and _runs(value) else value


def _runs(text: str) -> bool:
    return text.startswith(_FORMULA) and not _NUMBER.fullmatch(text)
