"""Rows of a data set's file (JSON, JSON Lines, CSV or Parquet), read one by one and checked."""

import csv
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unicodedata import category

import pyarrow as pa
import pyarrow.parquet as pq

from ..._util.errors import InputError
from ..._util.json_values import parse_json, read_items

_BATCH = 256
"""Rows of a Parquet file that are read at a time."""

_LONGEST_CELL = 16 << 20
"""Characters; a longer CSV cell is refused."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row with its place, which every complaint about it names."""

    place: str
    """E.g. `questions.csv, row 3`."""

    values: Mapping[str, Any]

    def text(self, *names: str) -> str:
        """The text or number under the first of the names that the row has, as text.

        Raises:
            InputError: The row has none of the names, or an empty or other value there.
        """
        found = self.optional_text(*names)
        if found is None:
            raise self.wrong(f"{self._name(names)!r} is empty; give text or a number")
        return found

    def optional_text(self, *names: str) -> str | None:
        """Like `text`, but None where the value is empty.

        Raises:
            InputError: The row has none of the names, or another value there.
        """
        name = self._name(names)
        value = self.values[name]
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise self.wrong(f"{name!r} must be text or a number, got {_shown(value)}")
        self.check_finite(name)
        return plain_number(value).strip() or None

    def texts(self, *names: str, separator: str | None = None) -> tuple[str, ...]:
        """The texts under the first of the names that the row has, without empty ones; none where it has no such name.

        Args:
            names: A list, or text that is one item, or text with a JSON list.
            separator: Parts text that is not a JSON list.

        Raises:
            InputError: Another value stands there.
        """
        name = next((name for name in names if name in self.values), None)
        value = None if name is None else self.values[name]
        if isinstance(value, str):
            listed = _parse_list(value)
            value = (value.split(separator) if separator else [value]) if listed is None else listed
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, str | None) for item in value):
            raise self.wrong(f"{name!r} must be text or a list of texts, got {_shown(value)}")
        return tuple(item.strip() for item in value if item and item.strip())

    def check_finite(self, name: str) -> None:
        """Refuse NaN and infinities, with which nothing can be compared.

        Raises:
            InputError: The value under the name is one.
        """
        value = self.values.get(name)
        if isinstance(value, float) and not math.isfinite(value):
            raise self.wrong(f"{name!r} must be a finite number, got {value}")

    def wrong(self, what: str) -> InputError:
        """The complaint that something is wrong with this row."""
        return InputError(f"{self.place}: {what}")

    def _name(self, names: Sequence[str]) -> str:
        for name in names:
            if name in self.values:
                return name
        there = ", ".join(str(name) for name in self.values) or "nothing"
        raise self.wrong(f"column {' or '.join(map(repr, names))} is missing; it has {there}")


def read_rows(path: Path, name: str | None = None) -> Iterator[Row]:
    """Read the rows of a file, by the end of its name and what it begins with.

    Args:
        path: `.csv` (cells parted by comma, semicolon or tab), `.parquet`, or JSON: a list of objects, or one object a line.
        name: What to call the file in messages; its own name where None.

    Raises:
        InputError: The file is missing, damaged or empty, or a row is not an object.
    """
    called = name or path.name
    if not path.is_file():
        raise InputError(f"file {path} does not exist")
    number = 0
    for number, value in enumerate(_values(path, called), start=1):
        row = Row(f"{called}, row {number}", value if isinstance(value, Mapping) else {})
        if not isinstance(value, Mapping):
            raise row.wrong(f"expected an object with named values, got {_shown(value)}")
        yield row
    if number == 0:
        raise InputError(f"{called} holds no rows")


def _values(path: Path, called: str) -> Iterator[Any]:
    """What stands in the rows; what is wrong with one is told with the number of the last that was right."""
    number = 0
    try:
        for value in _READERS.get(path.suffix.lower(), _json)(path):
            yield value
            number += 1
    except UnicodeDecodeError:
        raise InputError(f"{called} is not UTF-8 text (after row {number})") from None
    except (ValueError, pa.ArrowException, csv.Error, OSError) as error:
        reason = " ".join(str(getattr(error, "msg", error)).split())[:120]
        raise InputError(f"{called} is damaged after row {number} ({reason})") from error


def distinct(rows: Iterable[Row], *names: str) -> Iterator[Row]:
    """Pass rows on, as long as no id occurs twice.

    Args:
        rows: Rows to pass.
        names: Column of the id, by the first of these names that a row has.

    Raises:
        InputError: An id occurs twice; both rows are named.
    """
    seen: dict[str, str] = {}
    for row in rows:
        identity = row.text(*names)
        if any(category(sign) == "Cc" for sign in identity):
            raise row.wrong(f"id {identity!r} holds a control character")
        if identity in seen:
            raise row.wrong(f"id {identity!r} occurs twice, first in {seen[identity]}")
        seen[identity] = row.place
        yield row


def plain_number(value: str | int | float) -> str:
    """A value as text, whole numbers without a point: 24.0 is "24"."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def _csv(path: Path) -> Iterator[Mapping[str, Any]]:
    csv.field_size_limit(_LONGEST_CELL)
    with path.open(encoding="utf-8-sig", newline="") as file:
        header = file.readline()
        file.seek(0)
        delimiter = max(",;\t", key=header.count)
        for row in csv.DictReader(file, delimiter=delimiter, strict=True):
            if None in row:
                raise csv.Error("a row has more cells than the header")
            yield {name.strip(): value for name, value in row.items()}


def _parquet(path: Path) -> Iterator[Any]:
    for batch in pq.ParquetFile(path).iter_batches(batch_size=_BATCH):
        yield from batch.to_pylist()


def _json(path: Path) -> Iterator[Any]:
    """Yield the items of a list of any length, or one value a line."""
    with path.open("rb") as file:
        marked = file.read(3) == b"\xef\xbb\xbf"
        start = file.seek(3 if marked else 0)
        is_list = file.read(4096).lstrip().startswith(b"[")
        file.seek(start)
        if is_list:
            yield from read_items(file)
            return
        for line in file:
            if text := line.decode().strip():
                yield parse_json(text)


_READERS: Mapping[str, Callable[[Path], Iterator[Any]]] = {".csv": _csv, ".parquet": _parquet}
"""By the end of a file's name; any other is JSON."""


def _parse_list(text: str) -> list[Any] | None:
    if not text.lstrip().startswith("["):
        return None
    try:
        value = parse_json(text)
    except ValueError:
        return None
    return value if isinstance(value, list) else None


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
