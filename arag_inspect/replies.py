"""Reading what models reply."""

import json
import re
from typing import Any


class UnreadableError(ValueError):
    """A model's reply does not hold what was asked for; the message says why, and is shown to the model."""


def read_json(reply: str, *, apart: bool = False) -> dict[str, Any] | None:
    """The JSON object of a reply, with the slips that models make mended; None where there is none.

    An object that gives one key two values is none.

    Args:
        reply: The reply, with or without a code fence.
        apart: Whether its lines must hold nothing else, as those of a quotation in prose do.
    """
    text = re.sub(r"^\s*```(?:json)?|```\s*$", "", reply.strip())
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return None
    beside = text[:start].rpartition("\n")[2] + text[end + 1 :].partition("\n")[0]
    if apart and beside.strip(" \t`*."):
        return None
    for candidate in (text[start : end + 1], re.sub(r",(\s*[}\]])", r"\1", text[start : end + 1])):
        try:
            found = json.loads(candidate, object_pairs_hook=_object)
        except (ValueError, RecursionError):
            continue
        return found if isinstance(found, dict) else None
    return None


def read_value(reply: str, *, whole: bool = False) -> Any:
    """The JSON list or object of a reply, with the same slips mended; None where there is none.

    Args:
        reply: The reply, with or without a code fence.
        whole: Whether nothing else may stand around it.
    """
    text = re.sub(r"^\s*```\w*|```\s*$", "", reply.strip()).strip()
    starts = [place for place in (text.find("{"), text.find("[")) if place >= 0]
    if not starts:
        return None
    start = min(starts)
    end = text.rfind("}" if text[start] == "{" else "]") + 1
    if whole and (start, end) != (0, len(text)):
        return None
    for candidate in (text[start:end], re.sub(r",(\s*[}\]])", r"\1", text[start:end])):
        try:
            return json.loads(candidate, object_pairs_hook=_object)
        except (ValueError, RecursionError):
            continue
    return None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if found.setdefault(key, value) != value:
            raise ValueError(f"the key {key!r} has two values")
    return found
