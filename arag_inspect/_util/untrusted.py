"""Parse untrusted text: JSON of files and of model replies, YAML, front matter of Markdown."""

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import yaml

from .encodable import encodable
from .errors import InputError, one_line

_DEEPEST = 100
"""Maximum nesting of lists and objects; more would exhaust the stack of recursive code."""

_TOO_DEEP = f"lists and objects are nested more than {_DEEPEST} deep"
_SPACE = re.compile(r"[ \t\n\r]*")

_PIECE = 2**20
"""Bytes of a JSON list that are read at a time."""

_LONGEST_ITEM = 2**26
"""Maximum characters of an item of a JSON list."""

_VERDICT = re.compile(
    r"^[*_` #•-]*VERDICT [0-9a-f]{6}[:：](?P<value>.*)\Z", re.MULTILINE | re.DOTALL
)
"""The line of a verdict, see `judge.parsing`."""


class ReplyParseError(ValueError):
    """A reply is not in the requested form; the model also sees the message."""


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


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def read_items(file: BinaryIO) -> Iterator[Any]:
    """Parse the items of a JSON list one by one, in the memory of one.

    Args:
        file: UTF-8 text that begins with `[`.

    Raises:
        ValueError: The text is not a JSON list, or an item is nested too deeply or too long, or a
            number is NaN or infinite.
    """
    pieces = codecs.iterdecode(iter(partial(file.read, _PIECE), b""), "utf-8")
    text = next(pieces, "").lstrip()[1:]
    start = end = _skip_space(text, 0)
    is_first = True
    while not (is_first and text.startswith("]", start)):
        item, end, fault = _parse_item(text, start)
        separator = text[end : end + 1]
        if separator not in (",", "]"):  # the next piece may go on with the item
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
    """Return an item, the position after it, and what is wrong unless a comma or ] is there."""
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
    """Raise if a parsed value cannot be kept.

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


def strict_json(text: str) -> dict[str, Any] | list[Any] | None:
    """Return the JSON object or list that is the whole text, else None.

    Strings may contain raw line breaks; nothing else is repaired. Duplicate keys, NaN and infinity
    are rejected. A number such as `4.0` is the integer 4.
    """
    try:
        value = json.loads(
            text,
            object_pairs_hook=_refuse_duplicate_keys,
            parse_constant=_refuse_constant,
            parse_float=_parse_float,
            strict=False,
        )
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def read_json(reply: str) -> dict[str, Any] | None:
    """Return the JSON object of a reply, with common errors repaired, else None.

    An object that gives one key two values is rejected.

    Args:
        reply: The reply, with or without a code fence.
    """
    text = _strip_fence(reply)
    value = _parse_json(text[text.find("{") : text.rfind("}") + 1]) if "{" in text else None
    return value if isinstance(value, dict) else None


def read_value(reply: str, *, whole: bool = False) -> Any:
    """Return the JSON list or object of a reply, with common errors repaired, else None.

    Args:
        reply: The reply, with or without a code fence.
        whole: Whether the reply must contain nothing else.
    """
    text = _strip_fence(reply).strip()
    start = re.search(r"[{\[]", text)
    if start is None or (whole and start.start()):
        return None
    end = text.rfind("}" if start[0] == "{" else "]") + 1
    return None if whole and end != len(text) else _parse_json(text[start.start() : end])


def prose(reply: str) -> str:
    """Return a reply as readable text, with JSON as lines `Field: value`.

    An object counts if its lines contain nothing else, unlike a quotation in prose.
    """
    verdict = _VERDICT.search(reply)
    if verdict:
        before = reply[: verdict.start()].rstrip()
        value = verdict["value"].strip(" \t\n*_`")
        body = prose(value) if value.startswith("{") else f"Verdict: {value}"
        return f"{before}\n{body}".strip()
    text = _strip_fence(reply)
    start = text.find("{")
    end = text.rfind("}") + 1
    surrounding_text = text[:start].rpartition("\n")[2] + text[end:].partition("\n")[0]
    record = None if surrounding_text.strip(" \t\r`*.") else read_json(reply)
    if record is None:
        return reply
    try:
        lines = "\n".join(_lines(record))
    except RecursionError:  # nested more deeply than any verdict
        return reply
    before = re.sub(r"```\w*\s*$", "", text[:start])
    after = re.sub(r"^\s*```", "", text[end:])
    parts = (before, lines, after)
    return "\n\n".join(part.strip() for part in parts if part.strip())


def _lines(value: dict[str, Any]) -> Iterator[str]:
    for key, item in value.items():
        label = str(key).replace("_", " ").capitalize()
        if not (isinstance(item, dict | list) and item):
            yield f"{label}: {_plain(item)}"
            continue
        yield f"{label}:"
        entries = item if isinstance(item, list) else [item]
        for entry in entries:
            first, *others = list(_lines(entry)) if isinstance(entry, dict) else [_plain(entry)]
            yield f"- {first}"
            for line in others:
                yield f"  {line}"


def _plain(value: object) -> str:
    if value is None or value in ([], {}):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _strip_fence(reply: str) -> str:
    return re.sub(r"^\s*```\w*|```\s*$", "", reply.strip())


def _parse_json(text: str) -> Any:
    for candidate in (text, re.sub(r",(\s*[}\]])", r"\1", text)):
        try:
            return encodable(json.loads(candidate, object_pairs_hook=_object))
        except (ValueError, RecursionError):
            continue
    return None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for key, value in pairs:
        if record.setdefault(key, value) != value:
            raise ValueError(f"the key {key!r} has two values")
    return record


def _refuse_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise ValueError("duplicate key")
    return record


def _parse_float(text: str) -> float:
    number = float(text)
    return int(number) if number.is_integer() else number


_FRONT = re.compile(r"\A---\n(?P<front>.*?)\n---\n(?P<body>.*)\Z", re.DOTALL)
_LONGEST_INT = 250


class _Loader(yaml.SafeLoader):
    """A loader of plain types that rejects aliases and whole numbers too large for a float.

    Aliases can expand a few lines to gigabytes.
    """

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("*NAME is an alias; write out the value that it refers to")
        node = super().compose_node(parent, index)
        if node is not None and node.tag.endswith(":int") and len(node.value) > _LONGEST_INT:
            raise yaml.YAMLError(f"a whole number has more than {_LONGEST_INT} digits")
        return node


def parse_yaml(text: str) -> Any:
    """Parse a YAML value of plain types.

    Raises:
        yaml.YAMLError: It is not YAML, contains an alias or an impossible value, or is nested too
            deeply.
    """
    try:
        return yaml.load(text, _Loader)
    except RecursionError:
        raise yaml.YAMLError("lists and mappings are nested too deeply") from None
    except ValueError as error:  # e.g. a date such as 2021-13-01
        raise yaml.YAMLError(str(error)) from None


def read_yaml(path: Path, subject: str) -> Any:
    """Read a YAML file of the user.

    Args:
        path: The file.
        subject: Its name in messages.

    Raises:
        InputError: It cannot be read.
    """
    try:
        return parse_yaml(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{subject} {path} cannot be read: {one_line(error)}") from None


class MarkdownDoc(NamedTuple):
    """A parsed Markdown file."""

    name: str
    """Path or name of the file, for errors."""

    front: dict[str, Any]
    body: str


def parse_frontmatter(text: str, name: str) -> MarkdownDoc:
    """Parse a Markdown file's text, which begins with YAML between `---` lines.

    Raises:
        InputError: The front matter is missing or cannot be read.
    """
    match = _FRONT.match(text.replace("\r\n", "\n"))
    try:
        front = parse_yaml(match["front"]) if match else None
    except yaml.YAMLError as error:
        raise InputError(f"front matter of {name} cannot be read ({one_line(error)})") from None
    if match is None or not isinstance(front, dict):
        raise InputError(f"{name} has no front matter between --- lines")
    return MarkdownDoc(name, front, match["body"].strip())


def records_in(stored: object, key: str) -> list[dict[str, Any]]:
    """Return the mappings in a list under a key of a log's metadata, which may contain anything."""
    entries = stored.get(key) if isinstance(stored, Mapping) else None
    if not isinstance(entries, list | tuple):
        return []
    return [entry for entry in entries if isinstance(entry, dict)]
