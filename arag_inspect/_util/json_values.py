"""JSON from outside, of which only what can be kept is taken."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, TextIO

_DEEPEST = 100
"""Lists and objects in each other; more would exhaust the stack of whoever walks through them."""

_TOO_DEEP = f"lists and objects are nested more than {_DEEPEST} deep"
_PIECE = 1 << 16
_LONGEST_ITEM = 64 << 20
"""Characters; a longer item of a list is taken for a broken one."""

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]*")
_EMPTY = re.compile(r"\s*\[\s*(?=\])")


def parse_json(text: str) -> Any:
    """Parse a JSON value.

    Raises:
        ValueError: It is no JSON, is nested too deep, or holds text that no file can; says which.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    check_value(value)
    return value


def read_items(file: TextIO) -> Iterator[Any]:
    """Parse the items of a JSON list one by one, so that a long list takes no memory.

    Args:
        file: Text that begins with `[`.

    Raises:
        ValueError: An item is none that `parse_json` takes, or the list does not end as it should.
    """
    text = file.read(_PIECE)
    empty = _EMPTY.match(text)
    place = empty.end() if empty else text.index("[")
    while text[place] != "]":
        try:
            item, place = _item(text, place + 1)
        except json.JSONDecodeError:
            more = file.read(max(_PIECE, len(text)))  # twice as much, so that none is read often
            if not more or len(text) > _LONGEST_ITEM:
                raise
            text, place = text[place:] + more, 0
            continue
        check_value(item)
        yield item
    if (text[place + 1 :] + file.read(_PIECE)).strip():
        raise ValueError("something stands behind the list")


def _item(text: str, start: int) -> tuple[Any, int]:
    """The item that begins at a place, and the place of the comma or bracket behind it."""
    try:
        item, end = _DECODER.raw_decode(text, _behind_space(text, start))
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    end = _behind_space(text, end)
    if not text.startswith((",", "]"), end):
        raise json.JSONDecodeError("Expecting ',' delimiter", text, end)
    return item, end


def _behind_space(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def check_value(value: object, deeper: int = _DEEPEST) -> None:
    """Refuse a parsed value that cannot be kept.

    Args:
        value: The value.
        deeper: How many lists and objects may be in each other.

    Raises:
        ValueError: It is nested deeper, or holds text that no file can; says which.
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
        for one in value:
            check_value(one, deeper - 1)
        if isinstance(value, Mapping):
            for one in value.values():
                check_value(one, deeper - 1)
