"""Parse untrusted JSON, accepting only values that can be stored."""

import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, BinaryIO

import ijson

_DEEPEST = 100
"""Most nested lists and objects; more would exhaust the stack of recursive code."""

_TOO_DEEP = f"lists and objects are nested more than {_DEEPEST} deep"
_LONG_NUMBER = re.compile(rb"(?<!\d)\d{4001}")
_STARTS, _ENDS = ("start_array", "start_map"), ("end_array", "end_map")


def parse_json(text: str) -> Any:
    """Parse a JSON value.

    Raises:
        ValueError: It is not JSON, is nested too deeply, or holds unencodable text; the message
            says which.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    check_value(value)
    return value


def read_items(file: BinaryIO) -> Iterator[Any]:
    """Parse the items of a JSON list one by one, in constant memory.

    Args:
        file: UTF-8 text that begins with `[`.

    Raises:
        ValueError: The text is not a JSON list, or an item is nested too deeply.
    """
    depth = 0
    item = ijson.ObjectBuilder()
    try:
        for event, value in ijson.basic_parse(_Bounded(file)):
            depth += event in _STARTS
            if depth > _DEEPEST:
                raise ValueError(_TOO_DEEP)
            if depth > 1 or event not in (*_STARTS, *_ENDS):
                item.event(event, float(value) if isinstance(value, Decimal) else value)
            depth -= event in _ENDS
            if depth == 1 and event != "start_array":
                yield item.value
                item = ijson.ObjectBuilder()
    except ijson.JSONError as error:
        reason = error.args[0]
        text = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        raise ValueError(text.partition("\n")[0]) from error


class _Bounded:
    """A file whose numbers have at most 4,000 digits: longer ones end the process."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._before = file, b""

    def read(self, size: int) -> bytes:
        content = self._file.read(size)
        text = self._before + content
        if _LONG_NUMBER.search(text):
            raise ValueError("a number has more than 4,000 digits")
        self._before = text[-4_000:]
        return content


def check_value(value: object, deeper: int = _DEEPEST) -> None:
    """Raise if a parsed value cannot be kept.

    Args:
        value: The value.
        deeper: Most nested lists and objects.

    Raises:
        ValueError: It is nested deeper, or holds unencodable text; the message says which.
    """
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            half = value[error.start].encode("unicode_escape").decode()
            raise ValueError(f"text holds half a character ({half}), which no file can") from None
    elif isinstance(value, list | Mapping):
        if not deeper:
            raise ValueError(_TOO_DEEP)
        for item in value:
            check_value(item, deeper - 1)
        if isinstance(value, Mapping):
            for item in value.values():
                check_value(item, deeper - 1)
