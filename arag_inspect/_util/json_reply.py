"""Parse JSON in model replies."""

import json
import re
from collections.abc import Iterator
from typing import Any

from .encodable import encodable

_VERDICT = re.compile(r"^[*_` ]*VERDICT [0-9a-f]{6}:(?P<value>.*)\Z", re.MULTILINE | re.DOTALL)
"""The line of a verdict, see `judge.parsing`."""


class ReplyParseError(ValueError):
    """A reply is not in the requested form; its model sees the message too."""


def strict_json(text: str) -> dict[str, Any] | list[Any] | None:
    """Return the JSON object or list that is the whole text, else None.

    Nothing is repaired; duplicate keys, NaN and infinity are rejected.
    """
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def read_json(reply: str, *, apart: bool = False) -> dict[str, Any] | None:
    """Return the JSON object of a reply, common slips repaired, else None.

    An object that gives one key two values is rejected.

    Args:
        reply: The reply, with or without a code fence.
        apart: Whether its lines must hold nothing else, unlike a quotation in prose.
    """
    text = _unfenced(reply)
    start, end = text.find("{"), text.rfind("}") + 1
    if start < 0 or end <= start or (apart and not _stands_apart(text, start, end)):
        return None
    record = _loads(text[start:end])
    return record if isinstance(record, dict) else None


def read_value(reply: str, *, whole: bool = False, apart: bool = False) -> Any:
    """Return the JSON list or object of a reply, common slips repaired, else None.

    Args:
        reply: The reply, with or without a code fence.
        whole: Whether the reply must hold nothing else.
        apart: Whether its lines must hold nothing else, unlike a quotation in prose.
    """
    text = _unfenced(reply).strip()
    starts = [position for position in (text.find("{"), text.find("[")) if position >= 0]
    if not starts:
        return None
    start = min(starts)
    end = text.rfind("}" if text[start] == "{" else "]") + 1
    if whole and (start, end) != (0, len(text)):
        return None
    return None if apart and not _stands_apart(text, start, end) else _loads(text[start:end])


def prose(reply: str) -> str:
    """Return a reply as readable text, with JSON as lines `Field: value`."""
    if verdict := _VERDICT.search(reply):
        value, before = verdict["value"].strip(" \t\n*_`"), reply[: verdict.start()].rstrip()
        body = prose(value) if value.startswith("{") else f"Verdict: {value}"
        return f"{before}\n{body}".strip()
    text = _unfenced(reply)
    start, end = text.find("{"), text.rfind("}") + 1
    record = read_json(reply, apart=True)
    if record is None:
        return reply
    try:
        lines = "\n".join(_lines(record))
    except RecursionError:  # nested deeper than any verdict
        return reply
    parts = re.sub(r"```\w*\s*$", "", text[:start]), lines, re.sub(r"^\s*```", "", text[end:])
    return "\n\n".join(part.strip() for part in parts if part.strip())


def _lines(value: dict[str, Any]) -> Iterator[str]:
    for key, item in value.items():
        label = str(key).replace("_", " ").capitalize()
        if isinstance(item, dict | list) and item:
            yield f"{label}:"
            for entry in item if isinstance(item, list) else [item]:
                entry_lines = list(_lines(entry)) if isinstance(entry, dict) else [_plain(entry)]
                yield from (f"{'  ' if n else '- '}{line}" for n, line in enumerate(entry_lines))
        else:
            yield f"{label}: {_plain(item)}"


def _plain(value: object) -> str:
    if value is None or value in ([], {}):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else str(value)


def _unfenced(reply: str) -> str:
    return re.sub(r"^\s*```\w*|```\s*$", "", reply.strip())


def _stands_apart(text: str, start: int, end: int) -> bool:
    beside = text[:start].rpartition("\n")[2] + text[end:].partition("\n")[0]
    return not beside.strip(" \t\r`*.")


def _loads(text: str) -> Any:
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


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise ValueError("a key stands there twice")
    return record


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
