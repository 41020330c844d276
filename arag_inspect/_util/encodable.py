"""Text that can be encoded in files, requests, terminals and CSV."""

import csv
import io
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass, replace
from io import TextIOWrapper
from typing import Any, TypeVar

from pydantic import BaseModel
from pydantic_core import to_json

T = TypeVar("T")


def encodable(value: T) -> T:
    r"""Replace lone surrogates by U+FFFD, and join surrogate pairs.

    A lone surrogate can occur in a text in memory, e.g. after a truncated `\ud83d`
    in JSON, but cannot be encoded in a file or request.

    Args:
        value: Text, or lists, mappings, models and dataclasses that contain text; anything else is
            returned unchanged.

    Returns:
        The same object if nothing needs repair; nothing is changed in place.
    """
    try:
        to_json(value)  # fails on a lone surrogate; much faster than a walk
        return value
    except ValueError:
        result: T = change_texts(value, _replace_lone_surrogates)
        return result


def drawable(value: T) -> T:
    """Replace control characters that XML, and so SVG, cannot contain by visible symbols.

    Args:
        value: As for `encodable`.
    """
    result: T = change_texts(value, lambda text: text.translate(_VISIBLE))
    return result


_VISIBLE = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n\r"}
_VISIBLE |= {0xFFFE: 0xFFFD, 0xFFFF: 0xFFFD}


def change_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return a value with its texts changed.

    Args:
        value: As for `encodable`.
        change: Returns the new text.
    """
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list | tuple):
        items = [change_texts(item, change) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, dict):
        return {change_texts(k, change): change_texts(v, change) for k, v in value.items()}
    if isinstance(value, BaseModel):
        changed = {}
        for name, field in vars(value).items():
            new = change_texts(field, change)
            if new is not field and new != field:
                changed[name] = new
        return value.model_copy(update=changed) if changed else value
    if is_dataclass(value) and not isinstance(value, type):
        contents = {field.name: getattr(value, field.name) for field in fields(value)}
        return replace(value, **change_texts(contents, change))
    return value


def _replace_lone_surrogates(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def write_anything() -> None:
    """Make standard output accept any text; unencodable characters become `?`."""
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors != "replace":
        sys.stdout.reconfigure(errors="replace")


_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Write rows as CSV, with an apostrophe before texts that would run as formulas."""
    buffer = io.StringIO()
    minimal_writer = csv.writer(buffer, lineterminator="\n")
    quoting_writer = csv.writer(buffer, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in rows:
        cells = [safe_cell(value) for value in row]
        has_return = any(isinstance(cell, str) and "\r" in cell for cell in cells)
        writer = quoting_writer if has_return else minimal_writer
        writer.writerow(cells)  # unquoted, a bare carriage return would end the row
    return buffer.getvalue()


def cell_text(cell: str) -> str:
    """Return the text from which `csv_text` made a cell."""
    return cell[1:] if cell.startswith("'") and _is_formula(cell[1:]) else cell


def safe_cell(value: object) -> object:
    """Return a cell with an apostrophe before a text that would run as a formula."""
    return f"'{value}" if isinstance(value, str) and _is_formula(value) else value


def _is_formula(text: str) -> bool:
    return text.startswith(_FORMULA) and not _NUMBER.fullmatch(text)
