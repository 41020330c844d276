"""Read and check rows and records: JSON, JSON Lines, CSV or Parquet."""

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from unicodedata import category

from pydantic import BaseModel, ValidationError

from ..._util.errors import InputError
from ..._util.extras import extra
from ..._util.json_text import parse_json, read_items
from .._parsing.encoding import decode

M = TypeVar("M", bound=BaseModel)

_BATCH = 256
"""Rows of a Parquet file read at a time."""

_QUOTES = "close each quote, and double those within a text"
_LONGEST_CELL = 16 << 20
"""Characters; longer CSV cells are rejected."""

_SEPARATOR = re.compile(r"\ufeff?\"?sep=([,;\t|])\"?\r?\n?", re.IGNORECASE)
"""First line that tells Excel what separates cells."""


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A row with its location, which error messages name."""

    place: str
    """For example `questions.csv, row 3`."""

    values: Mapping[str, Any]

    def text(self, *names: str) -> str:
        """Return the text or number under the first existing name, as text.

        Raises:
            InputError: No name exists, or its value is empty or of another type.
        """
        value = self.optional_text(*names)
        if value is None:
            raise self.error(f"{self._name(names)!r} is empty; give text or a number")
        return value

    def optional_text(self, *names: str) -> str | None:
        """Like `text`, but None if the value is empty.

        Raises:
            InputError: No name exists, or its value is of another type.
        """
        name = self._name(names)
        value = self.values[name]
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise self.error(f"{name!r} must be text or a number, got {_short_repr(value)}")
        self.check_finite(name)
        return plain_number(value).strip() or None

    def texts(self, *names: str, separator: str | None = None) -> tuple[str, ...]:
        """Return the non-empty texts under the first existing name, if any.

        Args:
            names: Names of the field: a list, text with one item, or text with a JSON list.
            separator: Separator of text that is not a JSON list.

        Raises:
            InputError: The value is of another type.
        """
        name = next((name for name in names if name in self.values), None)
        value = None if name is None else self.values[name]
        if isinstance(value, str):
            items = _parse_list(value)
            value = (value.split(separator) if separator else [value]) if items is None else items
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, str | None) for item in value):
            raise self.error(f"{name!r} must be text or a list of texts, got {_short_repr(value)}")
        return tuple(item.strip() for item in value if item and item.strip())

    def parsed(self, kind: type[M]) -> M:
        """Return the row as a pydantic model.

        Raises:
            InputError: It does not fit the model.
        """
        try:
            return kind.model_validate(self.values)
        except ValidationError as error:
            raise self.error(_first_fault(error)) from None

    def check_finite(self, name: str) -> None:
        """Reject NaN and infinities, which cannot be compared.

        Raises:
            InputError: The value is not finite.
        """
        value = self.values.get(name)
        if isinstance(value, float) and not math.isfinite(value):
            raise self.error(f"{name!r} must be a finite number, got {value}")

    def error(self, what: str) -> InputError:
        """Return an error about this row."""
        return InputError(f"{self.place}: {what}")

    def _name(self, names: Sequence[str]) -> str:
        for name in names:
            if name in self.values:
                return name
        columns = ", ".join(str(name) for name in self.values) or "nothing"
        raise self.error(f"column {' or '.join(map(repr, names))} is missing; it has {columns}")


def read_rows(path: Path, name: str | None = None) -> Iterator[SourceRow]:
    """Read the rows of a file; its suffix and first bytes determine the format.

    Args:
        path: `.csv` or `.tsv` (cells separated by comma, semicolon or tab; UTF-8, UTF-16 or
            Windows-1252), `.parquet`, or JSON: a list of objects, or one object per line.
        name: Name of the file in messages; None uses its own name.

    Raises:
        InputError: The file is missing, damaged or empty, or a row is not an object.
    """
    label = name or path.name
    if not path.is_file():
        raise InputError(f"file {path} does not exist")
    is_csv = path.suffix.lower() in (".csv", ".tsv")
    number = 0
    for number, value in read_csv(path, label).rows if is_csv else _values(path, label):
        row = SourceRow(f"{label}, row {number}", value if isinstance(value, Mapping) else {})
        if not isinstance(value, Mapping):
            raise row.error(f"expected an object with named values, got {_short_repr(value)}")
        yield row
    if number == 0:
        raise InputError(f"{label} holds no rows")


def _values(path: Path, label: str) -> Iterator[tuple[int, Any]]:
    """Yield the numbered values of rows; an error names the last row read."""
    number = 0
    values = _parquet(path) if path.suffix.lower() == ".parquet" else _json(path)
    try:
        for number, value in enumerate(values, start=1):
            yield number, value
    except UnicodeDecodeError:
        raise InputError(f"{label} is not UTF-8 text (after row {number})") from None
    except (ValueError, OSError) as error:
        reason = " ".join(str(getattr(error, "msg", error)).split())[:120]
        raise InputError(f"{label} is damaged after row {number} ({reason})") from error


def read_models(
    path: Path, kind: type[M], key: str = "id", remedy: str = "correct the line"
) -> dict[str, M]:
    """Read JSON Lines of a pydantic model, by id; empty if there is no file.

    Args:
        path: UTF-8 text; empty lines are ignored.
        kind: Model of a line.
        key: Attribute with the id.
        remedy: What to do about a line that cannot be read.

    Raises:
        InputError: A line cannot be read, or an id occurs twice.
    """
    models: dict[str, M] = {}
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n") if path.is_file() else []
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; save it as UTF-8") from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            model = kind.model_validate(parse_json(line))
        except ValidationError as error:
            reason = _first_fault(error)
            raise InputError(f"{path}, line {number}: {reason}; {remedy}") from None
        except ValueError as error:
            raise InputError(f"{path}, line {number} is not JSON: {error}; {remedy}") from None
        name = str(getattr(model, key))
        if name in models:
            raise InputError(f"{path}, line {number}: id {name!r} occurs twice; {remedy}")
        models[name] = model
    return models


def _first_fault(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    names = [str(part) for part in first["loc"] if part not in ("int", "str")]
    return f"{'.'.join(names) or 'line'}: {first['msg'].removeprefix('Value error, ')}"


def distinct(rows: Iterable[SourceRow], *names: str) -> Iterator[SourceRow]:
    """Yield the rows, and reject an id that occurs twice.

    Args:
        rows: Rows to check.
        names: Names of the id column; the first one that exists counts.

    Raises:
        InputError: An id occurs twice; both rows are named.
    """
    seen: dict[str, str] = {}
    for row in rows:
        identity = row.text(*names)
        if any(category(sign) == "Cc" for sign in identity):
            raise row.error(f"id {identity!r} holds a control character")
        if identity in seen:
            raise row.error(f"id {identity!r} occurs twice, first in {seen[identity]}")
        seen[identity] = row.place
        yield row


def plain_number(value: str | int | float) -> str:
    """Return a value as text, whole numbers without a point: 24.0 is "24"."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


class CsvTable(NamedTuple):
    """A table of text cells."""

    columns: list[str]
    rows: Iterator[tuple[int, dict[str, str]]]
    """Numbered; empty rows are left out."""


def read_csv(path: Path, label: str, first: int = 1) -> CsvTable:
    """Read a table as spreadsheets write it.

    Args:
        path: Cells separated by comma, semicolon, tab or what `sep=` in the first line says;
            UTF-8, UTF-16, or else Mac OS Roman if lines end in CR alone, or Windows-1252.
        label: Name of the file in messages.
        first: Number of the first row below the head.

    Raises:
        InputError: It has another encoding, a column twice, a row with too many cells, or a quote
            that is not closed; raised while rows are read.
    """
    try:
        content = path.read_bytes()
        is_mac = re.match(rb"[^\r\n]*\r(?!\n)", content)
        text = decode(content, otherwise="mac_roman" if is_mac else "cp1252")
    except UnicodeDecodeError:
        raise InputError(f"{label} is not UTF-8 text; save it as UTF-8") from None
    csv.field_size_limit(_LONGEST_CELL)
    named = _SEPARATOR.match(text)
    text = text[named.end() :] if named else text
    header = re.split(r"[\r\n]", text, maxsplit=1)[0]
    delimiter = named[1] if named else max(",;\t", key=header.count)
    table = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        columns = [cell.strip() for cell in next(table, [])]
    except csv.Error as error:
        raise InputError(f"{label}, row 0: {error}; {_QUOTES}") from None
    for name in filter(None, columns):
        if columns.count(name) > 1:
            raise InputError(f"{label}: column {name} occurs twice; remove one")
    return CsvTable(columns, _csv_rows(table, columns, label, first))


def _csv_rows(
    table: Iterator[list[str]], columns: list[str], label: str, first: int
) -> Iterator[tuple[int, dict[str, str]]]:
    number = first - 1
    try:
        for number, cells in enumerate(table, start=first):
            if any(cell.strip() for cell in cells[len(columns) :]):
                raise InputError(
                    f"{label}, row {number}: more cells than columns; put a text with separators in quotes"
                )
            if any(cell.strip() for cell in cells):
                yield (
                    number,
                    {**dict.fromkeys(columns, ""), **dict(zip(columns, cells, strict=False))},
                )
    except csv.Error as error:
        raise InputError(f"{label}, row {number + 1}: {error}; {_QUOTES}") from None


def _parquet(path: Path) -> Iterator[Any]:
    with extra("retrieval"):
        import pyarrow as pa
        import pyarrow.parquet as pq
    try:
        for batch in pq.ParquetFile(path).iter_batches(batch_size=_BATCH):
            yield from batch.to_pylist()
    except pa.ArrowException as error:
        raise ValueError(str(error)) from error


def _json(path: Path) -> Iterator[Any]:
    """Yield the items of a list of any length, or one value per line."""
    with path.open("rb") as file:
        has_bom = file.read(3) == b"\xef\xbb\xbf"
        start = file.seek(3 if has_bom else 0)
        is_list = file.read(4096).lstrip().startswith(b"[")
        file.seek(start)
        if is_list:
            yield from read_items(file)
            return
        for line in file:
            if text := line.decode().strip():
                yield parse_json(text)


def _parse_list(text: str) -> list[Any] | None:
    if not text.lstrip().startswith("["):
        return None
    try:
        value = parse_json(text)
    except ValueError:
        return None
    return value if isinstance(value, list) else None


def _short_repr(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
