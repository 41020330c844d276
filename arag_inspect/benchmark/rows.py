"""Read and check rows and records: JSON, JSON Lines, CSV, Parquet or XLSX."""

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from .._util.errors import InputError
from .._util.extras import extra
from .._util.json_values import parse_json, read_items
from ..corpus.documents.decoding import decode
from ..corpus.documents.isolated import parse_isolated

M = TypeVar("M", bound=BaseModel)

_BATCH = 256
"""Rows of a Parquet file read at a time."""

_LONGEST_CELL = 16 << 20
"""Maximum characters of a CSV cell; longer cells are rejected."""

_SUFFIXES = (".csv", ".tsv", ".parquet", ".xlsx", ".json", ".jsonl", ".ndjson")

_MOST_COLUMNS = 1_000
"""Maximum columns of a CSV or XLSX file, because each row contains all of them."""

_SEPARATOR = re.compile(r"\ufeff?\"?sep=([,;\t|])\"?\r?\n?", re.IGNORECASE)
"""First line that declares the cell separator to Excel."""


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A row with its location, for error messages."""

    place: str
    """For example `questions.csv, row 3`."""

    values: Mapping[str, Any]

    def parse(self, kind: type[M]) -> M:
        """Return the row as a pydantic model.

        Raises:
            InputError: The row does not match the model.
        """
        try:
            return kind.model_validate(self.values)
        except ValidationError as error:
            fault = first_fault(error)
            if fault.endswith("required"):
                fault += f"; it has {', '.join(map(str, self.values)) or 'nothing'}"
            raise self.error(fault) from None

    def error(self, problem: str) -> InputError:
        """Return an error about this row."""
        return InputError(f"{self.place}: {problem}")


def read_rows(path: Path, name: str | None = None) -> Iterator[SourceRow]:
    """Read the rows of a file; its suffix and first bytes determine the format.

    Args:
        path: `.csv` or `.tsv` (see `_csv`), `.parquet`, `.xlsx` (its first sheet), or JSON: a list
            of objects, or one object per line.
        name: Name of the file in messages; None uses the file's name.

    Raises:
        InputError: The file is missing, damaged or empty, or a row is not an object.
    """
    if not path.is_file():
        raise InputError(f"file {path} does not exist")
    row = None
    for row in _numbered_rows(path, name or path.name):
        yield row
    if row is None:
        raise InputError(f"{name or path.name} has no rows")


def read_models(
    path: Path, kind: type[M], key: str = "id", remedy: str = "correct the row"
) -> dict[str, M]:
    """Read rows of a pydantic model, by id; empty if there is no file.

    Args:
        path: A file as for `read_rows`; it may be empty.
        kind: Model of a row.
        key: Attribute with the id.
        remedy: What to do about an unreadable row.

    Raises:
        InputError: A row is unreadable, or an id occurs twice.
    """
    models: dict[str, M] = {}
    if not path.is_file():
        return models
    try:
        for row in _numbered_rows(path, str(path)):
            model = row.parse(kind)
            name = str(getattr(model, key))
            if name in models:
                raise row.error(f"id {name!r} occurs twice")
            models[name] = model
    except InputError as error:
        raise InputError(f"{error.message}; {remedy}") from None
    return models


def _numbered_rows(path: Path, label: str) -> Iterator[SourceRow]:
    """Yield the rows of a file; an error states the last row read."""
    readers = {".csv": _csv, ".tsv": _csv, ".parquet": _parquet, ".xlsx": _xlsx}
    read_values: Callable[[Path], Iterator[Any]] = readers.get(path.suffix.lower(), _json)
    number = 0
    try:
        for number, value in enumerate(read_values(path), start=1):
            if value == {} and read_values in (_csv, _xlsx):
                continue
            row = SourceRow(f"{label}, row {number}", value if isinstance(value, Mapping) else {})
            if not isinstance(value, Mapping):
                raise row.error(f"expected an object with named values, got {_short_repr(value)}")
            yield row
    except _HeaderError as error:
        raise InputError(f"{label}: {error}") from None
    except (ValueError, OSError) as error:
        if number == 0 and path.suffix.lower() not in _SUFFIXES:
            raise InputError(
                f"{label} is not a table or JSON; "
                "export it as CSV, TSV, XLSX, Parquet or JSON Lines"
            ) from None
        if isinstance(error, UnicodeDecodeError):
            raise InputError(f"{label} is not UTF-8 text (after row {number})") from None
        reason = " ".join(str(getattr(error, "msg", error)).split())[:120]
        raise InputError(f"{label} is damaged after row {number} ({reason})") from error


def first_fault(error: ValidationError) -> str:
    """Return the first validation error of pydantic, with the field's name."""
    first = error.errors(include_url=False)[0]
    names = [str(part) for part in first["loc"] if part not in ("int", "float", "str")]
    return f"{'.'.join(names) or 'file'}: {first['msg'].removeprefix('Value error, ')}"


def plain_number(value: str | int | float) -> str:
    """Return a value as text, whole numbers without a point: 24.0 is "24"."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def finite(value: Any) -> Any:
    """Return a value unless it is NaN or infinite, which cannot be compared.

    Raises:
        ValueError: The value is NaN or infinite.
    """
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"must be a finite number, got {value}")
    return value


def _text(value: Any) -> str:
    """Read a text or number; empty for None."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"must be text or a number, got {_short_repr(value)}")
    return plain_number(finite(value)).strip()


def _texts(value: Any) -> list[str]:
    """Read a list or one item, without empty items."""
    items = value if isinstance(value, list) else [value]
    return [text for text in map(_text, items) if text]


Text = Annotated[str, BeforeValidator(_text)]
"""Text or a number, as text without white space around it; empty for None."""

Filled = Annotated[str, Field(min_length=1), BeforeValidator(_text)]
Texts = Annotated[tuple[str, ...], BeforeValidator(_texts)]
"""A list of non-empty texts, or a single text."""


def _csv(path: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV file as spreadsheets export it; blank rows have no cells.

    The separator is a comma, a semicolon, a tab, or declared by `sep=` in the first line. The
    encoding is UTF-8 or UTF-16, else Mac OS Roman if lines end in CR alone, else Windows-1252.
    """
    content = path.read_bytes()
    text = decode(content, otherwise=_older_encoding(content))
    if "\ufffd" in text:
        raise ValueError("it has characters that do not match its encoding; save it as UTF-8")
    csv.field_size_limit(_LONGEST_CELL)
    separator = _SEPARATOR.match(text)
    text = text[separator.end() :] if separator else text
    header = re.split(r"[\r\n]", text, maxsplit=1)[0]
    delimiter = separator[1] if separator else max(",;\t", key=header.count)
    table = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        yield from _rows_below_names(table, "put a text with separators in quotes")
    except csv.Error as error:
        raise ValueError(f"{error}; close each quote, and double those within a text") from None


def _older_encoding(content: bytes) -> str:
    is_mac = re.match(rb"[^\r\n]*\r(?!\n)", content)
    return "mac_roman" if is_mac else "cp1252"


def guessed_encoding(path: Path) -> str:
    """Return the encoding of a CSV file that is not Unicode; empty for other files."""
    if path.suffix.lower() not in (".csv", ".tsv"):
        return ""
    content = path.read_bytes()
    try:
        decode(content)
    except UnicodeDecodeError:
        return _older_encoding(content)
    return ""


def _xlsx(path: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of the first sheet of an Excel file, read as `parse_isolated` does."""
    table = map(json.loads, parse_isolated("sheet", path))
    yield from _rows_below_names(table, "name each column in the first row")


class _HeaderError(ValueError):
    """The first row of a table does not contain column names."""


def _rows_below_names(table: Iterator[list[str]], remedy: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a table whose first row has the column names; blank rows have no cells.

    Args:
        table: Cells by row.
        remedy: What to do about a row with more cells than there are columns.

    Raises:
        ValueError: There are too many columns, two of the same name with different cells, or cells
            without a column.
    """
    columns = _prefix_repeated_columns([cell.strip() for cell in next(table, [])])
    if len(columns) > _MOST_COLUMNS:
        raise _HeaderError(f"there are more than {_MOST_COLUMNS:,} columns")
    repeated_names = sorted({name for name in columns if name and columns.count(name) > 1})
    for cells in table:
        if any(cell.strip() for cell in cells[len(columns) :]):
            raise ValueError(f"more cells than columns; {remedy}")
        row = dict.fromkeys(columns, "") | dict(zip(columns, cells, strict=False))
        for name in repeated_names:  # harmless if equal, as the index of a frame in pandas
            indices = (index for index, column in enumerate(columns) if column == name)
            if len({"".join(cells[index : index + 1]) for index in indices}) > 1:
                raise _HeaderError(f"column {name} occurs twice; remove one")
        yield row if any(cell.strip() for cell in cells) else {}


PROVIDER = re.compile(r"\[([^\]]+)\] .+", re.DOTALL)
"""promptfoo column with a provider's outputs for a prompt; the columns with its scores follow."""


def _prefix_repeated_columns(columns: Sequence[str]) -> list[str]:
    """Prefix repeated column names with the provider column that they follow."""
    names = []
    provider = ""
    for name in columns:
        provider = name if PROVIDER.fullmatch(name) else provider
        is_of_provider = provider not in ("", name) and columns.count(name) > 1
        names.append(f"{provider}.{name}" if is_of_provider else name)
    return names


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
            text = line.decode().strip()
            if text:
                yield parse_json(text)


def _short_repr(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
