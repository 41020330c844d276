"""Reading what a judge says in a word or in a line."""

import re
from collections.abc import Sequence

from .._util.json_reply import ReplyParseError, read_json
from ._tail import is_unhedged

_PARTLY = ("partly", "partially", "mostly", "somewhat")


def read_choice(reply: str, label: str, choices: Sequence[str]) -> str:
    """The one choice that a reply makes.

    Read from the key of a JSON object that is called like the label, and from
    lines that begin with `Label:`, which a quotation does not. Two different
    choices, and one that its line takes back, are none.

    Args:
        reply: What the judge said.
        label: E.g. `verdict`.
        choices: What there is to choose from; case, spaces, hyphens and underscores do not matter.

    Raises:
        UnreadableError: There is no such line, or it does not make one choice.
    """
    given = _given(reply, label)
    if not given:
        raise ReplyParseError(f"there is no line `{label.capitalize()}: ...`")
    chosen = {_choice(text, label, choices) for text in given}
    if len(chosen) > 1:
        raise ReplyParseError(f"there is more than one {label}: {', '.join(sorted(chosen))}")
    return chosen.pop()


def read_field(reply: str, label: str) -> str:
    """What a reply gives under a label, in one line; empty where it gives nothing."""
    given = _given(reply, label)
    return given[-1].strip(" *_`") if given else ""


def _given(reply: str, label: str) -> list[str]:
    line = re.compile(
        rf"^[ \t*_`#•–—+-]*{re.escape(label)}[*_`]*\s*:[*_`]*\s*(?P<text>.*)$", re.I | re.M
    )
    given = [match["text"] for match in line.finditer(reply)]
    record = read_json(reply, apart=True) or {}
    return [*given, str(record[label])] if label in record else given


def _choice(text: str, label: str, choices: Sequence[str]) -> str:
    by_pattern = {choice: re.sub(r"[_ -]", r"[_\\s-]?", choice) for choice in choices}
    named = rf"(?:{'|'.join(by_pattern.values())})(?!\w)"
    start = re.match(rf"[\s*_`\"'\[(]*(?P<choice>{named})", text, re.IGNORECASE)
    known = ", ".join(choices)
    if start is None:
        raise ReplyParseError(f"{label} {text.strip()[:30]!r} is not one of {known}")
    chosen = next(
        choice
        for choice, pattern in by_pattern.items()
        if re.fullmatch(pattern, start["choice"], re.IGNORECASE)
    )
    others = [pattern for choice, pattern in by_pattern.items() if choice != chosen]
    rival = re.compile(rf"\b(?:{'|'.join([*others, *_PARTLY])})\b", re.IGNORECASE)
    if not is_unhedged(text[start.end() :].lstrip(" \t*_`\"'])"), rival):
        raise ReplyParseError(
            f"{text.strip()[:30]!r} is not one {label} and nothing else; choose from {known}"
        )
    return chosen
