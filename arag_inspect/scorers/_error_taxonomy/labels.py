"""Codes of errors as judges give them."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from inspect_ai.model import ResponseSchema
from inspect_ai.util import json_schema
from pydantic import BaseModel

from ..._util.json_reply import ReplyParseError, read_json
from .taxonomy import Taxonomy

ErrorLabels = dict[str, str]
"""Reason by code."""

_NONE = "none"
_LINE = re.compile(
    r"^[\W_]*code\s+(?P<codes>[^:\n–—-]+?)\s*[:–—-]+\s*(?P<reason>.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_REMARK = re.compile(r"\([^)]*\)|[\"'`*_\[\]]")
_BETWEEN = re.compile(r"\s*(?:[,/&+]|\band\b)\s*", re.IGNORECASE)


class _Given(BaseModel):
    code: str
    reason: str


class _Reply(BaseModel):
    codes: list[_Given]


CODES_SCHEMA = ResponseSchema(name="codes", json_schema=json_schema(_Reply))
"""Form of a reply that gives codes."""


def read_codes(reply: str, taxonomy: Taxonomy) -> ErrorLabels:
    """The codes that a reply gives, with their reasons; none where it says that none applies.

    Read from the list `codes` of a JSON object, or from lines `Code X: reason`.

    Raises:
        UnreadableError: There is no such line, a code is unknown, or `none` stands beside a code.
    """
    record = read_json(reply)
    if record is not None and isinstance(record.get("codes"), list):
        given = [_entry(entry) for entry in record["codes"]]
    else:
        given = list(_lines(reply))
        if not given:
            raise ReplyParseError("there is no line `Code X: reason`")
    codes: ErrorLabels = {}
    for name, reason in given:
        code = _NONE if name.lower() == _NONE else taxonomy.find(name)
        if code is None:
            known = ", ".join(taxonomy.codes)
            raise ReplyParseError(f"code {name[:20]!r} is not one of {known} or none")
        codes.setdefault(code, reason)
    if _NONE in codes and len(codes) > 1:
        raise ReplyParseError("`none` stands beside a code")
    codes.pop(_NONE, None)
    return codes


def agreed_codes(verdicts: Sequence[ErrorLabels]) -> ErrorLabels:
    """Codes that at least half of the judges gave, or else those given most often."""
    times = Counter(code for verdict in verdicts for code in verdict)
    if not times:
        return {}
    needed = min(math.ceil(len(verdicts) / 2), max(times.values()))
    return {
        code: next(verdict[code] for verdict in verdicts if code in verdict)
        for code, count in times.items()
        if count >= needed
    }


def _lines(reply: str) -> Iterator[tuple[str, str]]:
    for line in _LINE.finditer(reply):
        for name in _BETWEEN.split(_REMARK.sub("", line["codes"]).strip()):
            yield name, line["reason"].strip(" *_")


def _entry(entry: object) -> tuple[str, str]:
    if isinstance(entry, str):
        return entry.strip(), ""
    if isinstance(entry, dict) and isinstance(entry.get("code"), str):
        return entry["code"].strip(), str(entry.get("reason", ""))
    raise ReplyParseError("an entry of `codes` has no text `code`")
