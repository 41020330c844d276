"""Texts, lists and numbers within the values of exported files, which are never evaluated."""

import ast
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from arag_inspect._util.bounds import PASSAGES, check
from arag_inspect._util.json_values import parse_json
from arag_inspect.benchmark.rows import plain_number

from .names import VOCABULARY, known_name, normal

_DEEPEST = 5
"""Maximum depth of nested mappings whose members count as columns."""

_LONGEST = 4 << 20
"""Longest text searched for JSON or a list, in characters."""

_LONGEST_PYTHON = 1 << 18
"""Longest text read as a Python literal, in characters."""

_PYTHON = re.compile(r"\s*+(?:\[\s*+)?\{\s*'")
"""Beginning of a mapping, or of a list of mappings, in Python's `repr`."""

_QUOTED = r"""('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")"""
_ITEM = re.compile(rf"\s*(?:(?:np\.|numpy\.)?str_\()?{_QUOTED}\)?\s*,?\s*", re.DOTALL)
"""A text of a list in the notation of Python or NumPy."""

_ARRAY = re.compile(r"(?:np\.|numpy\.)?array\((\[.*\])(?:,\s*dtype=[^\]()]*)?\)", re.DOTALL)
"""An array in NumPy's `repr`."""

_DOCUMENT = re.compile(rf"page_content={_QUOTED}", re.DOTALL)
"""The text of a document in LangChain's `repr`."""

_LABEL = re.compile(r"(?:^|\n\n)(?:<\d{1,3}-hop>|Document \d{1,9}:)\s")
"""Label before each passage in test sets of ragas and Giskard."""

_SPEAKERS = {"user": ("user", "human"), "assistant": ("assistant", "ai", "model")}
"""Message roles, grouped under the two relevant ones."""

_SPOKEN = ("human", "ai", "system", "tool")
"""Roles in LangChain and ragas, where they are the type of a message."""

_PASSAGES = VOCABULARY["passages"]


def json_in(text: object) -> Any:
    """Return the object or list that is a whole text, in JSON or Python; else None."""
    if not isinstance(text, str) or text.lstrip()[:1] not in ("{", "[") or len(text) > _LONGEST:
        return None
    with suppress(ValueError):
        return parse_json(text)
    if len(text) <= _LONGEST_PYTHON and _PYTHON.match(text):
        with suppress(ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return parse_json(json.dumps(ast.literal_eval(text.strip())))
    return None


def list_in(text: str) -> list[str] | None:
    """Return the texts of a list in the notation of JSON, Python or NumPy; else None."""
    value = json_in(text)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    body = _ARRAY.sub(r"\1", text.strip())
    if body.startswith("[Document("):
        body = f"[{', '.join(_DOCUMENT.findall(body))}]"
    if not (body.startswith("[") and body.endswith("]")) or len(body) > _LONGEST:
        return None
    items = []
    position = 1
    end = len(body) - 1
    while position < end:
        match = _ITEM.match(body, position, end)
        if match is None:
            return [] if not body[1:end].strip() else None
        try:
            items.append(str(ast.literal_eval(match[1].replace("\n", "\\n"))))
        except (ValueError, SyntaxError):
            return None
        position = match.end()
    return items


def is_empty_list(value: object) -> bool:
    """Return whether a value is an empty list, also within a text."""
    return (list_in(value) if isinstance(value, str) else value) == []


def is_empty(value: object) -> bool:
    """Return whether a value is empty: None, NaN, white space, or an empty list or mapping."""
    if isinstance(value, str):
        return not value.strip() or value.strip().lower() in ("nan", "none", "null")
    is_nan = isinstance(value, float) and math.isnan(value)
    return value is None or is_nan or (isinstance(value, list | Mapping) and not value)


def text_of(value: object, role: str = "") -> str:
    """Return a value as text: for a list of messages, the last text of a role, else empty."""
    if is_empty(value) or isinstance(value, bool):
        return ""
    if isinstance(value, str | int | float):
        return _strip_quotes(plain_number(value).strip())
    if isinstance(value, list):
        messages = [item for item in value if _message_speaker(item)]
        if messages and role:
            messages = [item for item in messages if _message_speaker(item) in _SPEAKERS[role]]
            return text_of(messages[-1]) if messages else ""
        if messages:
            return text_of(messages[-1])
        return "\n".join(filter(None, (text_of(item, role) for item in value)))
    if isinstance(value, Mapping) and value.get("type") not in ("reasoning", "thinking"):
        for name in VOCABULARY["messages"]:
            text = text_of(value.get(name), role)
            if text:
                return text
    return ""


def _strip_quotes(text: str) -> str:
    """Return the content of a text that is a JSON string, else the text."""
    if len(text) > 1 and text[0] == text[-1] == '"':
        with suppress(ValueError):
            return str(parse_json(text)).strip()
    return text


def is_conversation(value: object) -> bool:
    """Return whether a value is a list of messages."""
    return isinstance(value, list) and any(map(_message_speaker, value))


def _message_speaker(message: object) -> str:
    """Return the role of a message, or an empty string if the value is not a message."""
    if not isinstance(message, Mapping):
        return ""
    kind = message.get("type")
    spoken_kind = kind if kind in _SPOKEN else None
    return str(message.get("role") or message.get("message.role") or spoken_kind or "")


def texts_of(value: object) -> tuple[str, ...]:
    """Return the texts of a list, also within a text, or one text; for messages, the answer."""
    if isinstance(value, str):
        texts = list_in(value)
        value = [value] if texts is None else texts
    items = value if isinstance(value, list) and not is_conversation(value) else [value]
    return tuple(filter(None, (text_of(item, "assistant") for item in items)))


def passages_of(value: object) -> tuple[str, ...]:
    """Return the texts of passages: a list of texts or mappings, also within JSON text.

    Raises:
        ValueError: There are more passages than the limit.
    """
    texts = tuple(_passages(value, 8))
    check(len(texts), PASSAGES)
    return texts


def _passages(value: object, depth_left: int) -> Iterator[str]:
    """Yield the passages in a value, in order."""
    if is_empty(value) or not depth_left:
        return
    if isinstance(value, str):
        inner = json_in(value)
        inner = list_in(value) if inner is None else inner
        nested_passages = () if inner is None else tuple(_passages(inner, depth_left - 1))
        yield from (
            nested_passages
            if nested_passages or _is_list(inner)
            else _split_labelled(value.strip())
        )
    elif isinstance(value, list):
        for item in _without_scores(value):
            yield from _passages(item, depth_left - 1)
    elif isinstance(value, Mapping):
        yield from _passages_of_mapping(value, depth_left)
    else:
        yield text_of(value)


def _without_scores(items: Sequence[object]) -> Sequence[object]:
    """Return a list without numbers if it has a text, as in LangChain's `[text, score]`."""
    others = [item for item in items if not isinstance(item, int | float)]
    return others if any(isinstance(item, str | Mapping) for item in others) else items


def _split_labelled(text: str) -> Iterator[str]:
    """Yield the passages of a text that begins with the label of the first passage."""
    parts = _LABEL.split(text) if _LABEL.match(text) else [text]
    yield from filter(None, (part.strip() for part in parts))


def _is_list(value: object) -> bool:
    """Return whether a value is a list, or a mapping with a list of passages."""
    if isinstance(value, Mapping):
        return any(isinstance(value.get(name), list) for name in _PASSAGES["lists"])
    return isinstance(value, list)


def _passages_of_mapping(value: Mapping[Any, Any], depth_left: int) -> Iterator[str]:
    """Yield the text of a passage, or the passages of a list in a tool's result."""
    for name in _PASSAGES["text"]:
        text = value.get(name)
        if isinstance(text, str) and text.strip():
            yield text.strip()
            return
    for name in _PASSAGES["lists"]:
        if isinstance(value.get(name), list):
            yield from _passages(value[name], depth_left - 1)
            return
    for name in _PASSAGES["inside"]:
        inner = value.get(name)
        if isinstance(inner, Mapping):
            yield from _passages_of_mapping(inner, depth_left - 1)
            return


_PAGES = re.compile(r"(?<!\d)(\d{1,5})(?:\.0+)?(?!\d)(?:\s*[-–]\s*(\d{1,5})(?!\d))?")
_MOST_PAGES = 50
"""Maximum gold pages of a question."""


def pages_of(value: object) -> tuple[int, ...]:
    """Return the page numbers in a value: a number, a list, or text such as `p. 12, 14-16`."""
    items = value if isinstance(value, list) else [value]
    pages: list[int] = []
    for item in items:
        for first, last in _PAGES.findall(str(item)):
            end = min(int(last or first), int(first) + _MOST_PAGES - 1)
            pages += range(int(first), end + 1)
    return tuple(dict.fromkeys(pages))[:_MOST_PAGES]


def number_of(value: object) -> float | None:
    """Return a finite number, which may be text; None for other values."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    with suppress(ValueError, OverflowError):
        number = float(value.strip(" $€") if isinstance(value, str) else value)
        return number if math.isfinite(number) else None
    return None


def flatten(row: Mapping[str, Any], prefix: str = "", depth_left: int = _DEEPEST) -> dict[str, Any]:
    """Return a row with the members of nested mappings under dotted names."""
    flattened: dict[str, Any] = {}
    for name, value in row.items():
        path = f"{prefix}{name}"
        inner = value if isinstance(value, Mapping) else _mapping_in(path, value)
        if inner and depth_left:
            flattened |= flatten(inner, f"{path}.", depth_left - 1)
        else:
            flattened[path] = {} if inner == {} else value
    return flattened


def _mapping_in(path: str, value: object) -> Mapping[str, Any] | None:
    """Return the mapping in a cell with JSON, if its members are known names."""
    inner = json_in(value)
    if not isinstance(inner, Mapping):
        return None
    is_known = normal(path) in VOCABULARY["expanded"]
    is_known = is_known or any(known_name(f"{path}.{name}") for name in inner)
    return inner if is_known else None
