"""Read the JSON of model replies, which may be damaged, and show a reply as prose."""

import json
import re
from collections.abc import Iterator
from typing import Any

from .._util.encodable import encodable

_VERDICT = re.compile(
    r"^[*_` #•-]*VERDICT [0-9a-f]{6}[:：](?P<value>.*)\Z", re.MULTILINE | re.DOTALL
)
"""The line of a verdict, see `judge.parsing`."""


class ReplyParseError(ValueError):
    """A reply is not in the requested form; the model also sees the message."""


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
