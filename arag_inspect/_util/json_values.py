"""Parse JSON of files, and read values of logs, which may contain anything."""

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, BinaryIO

_DEEPEST = 100
"""Maximum nesting of lists and objects; more would exhaust the stack of recursive code."""

_TOO_DEEP = f"lists and objects are nested more than {_DEEPEST} deep"
_SPACE = re.compile(r"[ \t\n\r]*")

_PIECE = 2**20
"""Bytes of a JSON list that are read at a time."""

_LONGEST_ITEM = 2**26
"""Maximum characters of an item of a JSON list."""


def parse_json(text: str) -> Any:
    """Parse a JSON value.

    Raises:
        ValueError: It is not JSON, is nested too deeply, or contains unencodable text; the message
            says which.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    check_value(value)
    return value


def refuse_constant(name: str) -> Any:
    """Raise ValueError on NaN and infinity, as `parse_constant` of Python's JSON parser."""
    raise ValueError(f"{name} is not JSON")


def _none_for_nan(name: str) -> None:
    """Return None for NaN, which pandas and `json.dump` write for a missing number."""
    if name != "NaN":
        refuse_constant(name)


_DECODER = json.JSONDecoder(parse_constant=_none_for_nan)


def read_items(file: BinaryIO) -> Iterator[Any]:
    """Parse the items of a JSON list one by one, with one item in memory.

    NaN, which other tools write for a missing number, is None.

    Args:
        file: UTF-8 text that begins with `[`.

    Raises:
        ValueError: The text is not a JSON list, or an item is nested too deeply or too long, or a
            number is infinite.
    """
    pieces = codecs.iterdecode(iter(partial(file.read, _PIECE), b""), "utf-8")
    text = next(pieces, "").lstrip()[1:]
    start = end = _skip_space(text, 0)
    is_first = True
    while not (is_first and text.startswith("]", start)):
        item, end, fault = _parse_item(text, start)
        separator = text[end : end + 1]
        if separator not in (",", "]"):  # the next piece may continue the item
            piece = next(pieces, "")
            if not piece or len(text) - start > _LONGEST_ITEM:
                raise ValueError(fault)
            text = text[start:] + piece
            start = end = _skip_space(text, 0)
            continue
        check_value(item)
        yield item
        if separator == "]":
            break
        start = _skip_space(text, end + 1)
        is_first = False
    if text[end + 1 :].strip() or any(piece.strip() for piece in pieces):
        raise ValueError("there is text after the list")


def _parse_item(text: str, start: int) -> tuple[Any, int, str]:
    """Return an item, the position after it, and an error unless a comma or ] follows."""
    try:
        item, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        return None, len(text), error.msg
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    return item, _skip_space(text, end), "neither a comma nor ] follows an item"


def _skip_space(text: str, start: int) -> int:
    space = _SPACE.match(text, start)
    return space.end() if space else start


def check_value(value: object, deeper: int = _DEEPEST) -> None:
    """Raise if a parsed value is nested too deeply or contains unencodable text.

    Args:
        value: The value.
        deeper: Maximum nesting of lists and objects.

    Raises:
        ValueError: It is nested deeper, or contains unencodable text; the message says which.
    """
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            surrogate_escape = value[error.start].encode("unicode_escape").decode()
            raise ValueError(f"text contains a lone surrogate ({surrogate_escape})") from None
    elif isinstance(value, list | Mapping):
        if not deeper:
            raise ValueError(_TOO_DEEP)
        items = (*value, *value.values()) if isinstance(value, Mapping) else value
        for item in items:
            check_value(item, deeper - 1)
