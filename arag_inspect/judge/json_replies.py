"""Verdicts in JSON: the whole reply, or the end of a reply in prose.

JSON has no verdict code, so an object may be a quotation of the material. After prose, it counts
only if nothing in the question could be its origin.
"""

import json
import re
import unicodedata
from collections.abc import Collection
from typing import Any

from .._util.json_values import refuse_constant
from ..text.model_marks import UNSEEN, without_tokens
from ..text.replies import ReplyParseError

_FENCED = re.compile(r"(?P<fence>```|~~~)\w*\s*(?P<body>.*?)\s*(?P=fence)", re.DOTALL)
_TRAILING_COMMA = re.compile(r'(?P<text>"(?:[^"\\]|\\.)*+"?)|,(?=\s*[}\]])', re.DOTALL)
"""A comma after the last item, or a text, whose commas stay."""

_STATED = re.compile(
    r"verdict(?=[^\w\n]*[:：=])[^\w\n]*+\w|^[^\w\n]*+verdict\b[^:：\n]{0,20}[:：]\s*+\Z",
    re.IGNORECASE | re.MULTILINE,
)
"""A verdict in words, or the start of a verdict's line before the object."""


def verdict_json(text: str) -> dict[str, Any] | list[Any] | None:
    """Return the JSON object or list that is the whole text, else None.

    A comma after the last item is omitted, and a number such as `4.0` is the integer 4.
    """
    return _strict_json(_TRAILING_COMMA.sub(lambda match: match["text"] or "", text))


def whole_object(reply: str) -> dict[str, Any] | None:
    """Return the JSON object that is a whole reply, with or without a code fence, else None.

    Special tokens may follow it; before it they could open thoughts.
    """
    if not reply.startswith(("{", "```", "~~~")):
        return None
    text = without_tokens(reply).strip()
    fenced = _FENCED.fullmatch(text)
    record = verdict_json(fenced["body"] if fenced else text)
    return record if isinstance(record, dict) else None


def last_object(
    reply: str, keys: Collection[str], prompt: str, shape: str
) -> dict[str, Any] | None:
    """Return the JSON object with which a reply in prose ends.

    It begins a line or follows a colon, only the end of its code fence follows, and the reply has
    no other object of its form.

    Args:
        reply: The reply.
        keys: Keys of such objects.
        prompt: The question.
        shape: Description of the form; its example does not count as a verdict.

    Returns:
        The object; None if no object ends the reply.

    Raises:
        ReplyParseError: The reply or the question may contain another such object, or the prose
            states a verdict too.
    """
    names = "|".join(map(re.escape, keys))
    start = re.search(rf'(?:^|[:：])[ \t]*(?P<object>\{{\s*"(?:{names})"\s*:)', reply, re.MULTILINE)
    if start is None:
        return None
    preceding_text = reply[: start.start("object")]
    text = reply[start.start("object") :].rstrip()
    fence = re.search(r"(```|~~~)\w*\s*\Z", preceding_text)
    if fence:
        preceding_text = preceding_text[: fence.start()]
        text = text.removesuffix(fence[1])
    record = verdict_json(text)
    if not isinstance(record, dict):
        return None
    verdict_keys = [key for key in keys if key != "reasoning"]
    if _has_key(preceding_text, verdict_keys) or _STATED.search(preceding_text):
        raise ReplyParseError("there is another verdict before the JSON object")
    if _has_key(prompt, verdict_keys) or _letters(text) in _letters(f"{prompt} {shape}"):
        raise ReplyParseError("the JSON object could be a quotation; write nothing before it")
    return record


def _has_key(text: str, keys: Collection[str]) -> bool:
    """Return whether a text has a JSON key, in any notation or disguise.

    Marks of any kind may separate key and colon (`"`, `\\"`, `&quot;`), invisible signs are
    ignored, and letters of other alphabets may replace letters.
    """
    visible_text = re.sub(f"{UNSEEN}|[\u0300-\u036f]", "", unicodedata.normalize("NFKD", text))
    for key in keys:
        name = "".join(f"[{letter}\u0080-\U0010ffff]" for letter in key)
        pattern = rf"(?<!\w){name}(?=[^\w\s*:：])[^\s:：]{{1,8}}\s*[:：]|[{{,]\s*{name}\s*[:：]"
        if re.search(pattern, visible_text, re.IGNORECASE):
            return True
    return False


def _letters(text: str) -> str:
    """Return the letters and digits of a text, without accents and case."""
    return re.sub(r"[^a-z0-9]", "", unicodedata.normalize("NFKD", text).casefold())


def _strict_json(text: str) -> dict[str, Any] | list[Any] | None:
    """Return the JSON object or list that is the whole text, else None.

    Strings may contain raw line breaks; nothing else is repaired. Duplicate keys, NaN and infinity
    are rejected. A number such as `4.0` is the integer 4.
    """
    try:
        value = json.loads(
            text,
            object_pairs_hook=_refuse_duplicate_keys,
            parse_constant=refuse_constant,
            parse_float=_parse_float,
            strict=False,
        )
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def _refuse_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise ValueError("duplicate key")
    return record


def _parse_float(text: str) -> float:
    number = float(text)
    return int(number) if number.is_integer() else number
