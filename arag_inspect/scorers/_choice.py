"""Reading what a judge says in a word or in a line."""

import re
from collections.abc import Sequence

from ..replies import UnreadableError, read_json


def read_choice(reply: str, label: str, choices: Sequence[str]) -> str:
    """The one choice that a reply makes.

    Read from the key of a JSON object that is called like the label, or from
    lines that begin with `Label:`. Two different choices are none.

    Args:
        reply: What the judge said.
        label: E.g. `verdict`.
        choices: What there is to choose from; case, spaces, hyphens and underscores do not matter.

    Raises:
        UnreadableError: There is no such line, or it does not make one choice.
    """
    given = _given(reply, label)
    if not given:
        raise UnreadableError(f"there is no line `{label.capitalize()}: ...`")
    chosen = {_choice(text, label, choices) for text in given}
    if len(chosen) > 1:
        raise UnreadableError(f"there is more than one {label}: {', '.join(sorted(chosen))}")
    return chosen.pop()


def read_field(reply: str, label: str) -> str:
    """What a reply gives under a label, in one line; empty where it gives nothing."""
    given = _given(reply, label)
    return given[-1].strip(" *_`") if given else ""


def _given(reply: str, label: str) -> list[str]:
    record = read_json(reply)
    if record is not None and label in record:
        value = record[label]
        return [value] if isinstance(value, str) else [str(value)]
    line = re.compile(rf"^[^\w\n]*{re.escape(label)}[*_`]*\s*:[*_`]*\s*(?P<text>.*)$", re.I | re.M)
    return [match["text"] for match in line.finditer(reply)]


def _choice(text: str, label: str, choices: Sequence[str]) -> str:
    by_pattern = {choice: re.sub(r"[_ -]", r"[_\\s-]?", choice) for choice in choices}
    named = rf"(?:{'|'.join(by_pattern.values())})(?!\w)"
    start = re.match(rf"[\s*_`\"'\[(]*(?P<choice>{named})", text, re.IGNORECASE)
    known = ", ".join(choices)
    if start is None:
        raise UnreadableError(f"{label} {text.strip()[:30]!r} is not one of {known}")
    if re.match(rf"[\s*_`\"'\])]*(?:/|\||,|or\b|and\b)\W*{named}", text[start.end() :], re.I):
        raise UnreadableError(
            f"{text.strip()[:30]!r} is more than one {label}; choose from {known}"
        )
    return next(
        choice
        for choice, pattern in by_pattern.items()
        if re.fullmatch(pattern, start["choice"], re.IGNORECASE)
    )
