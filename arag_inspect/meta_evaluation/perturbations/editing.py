"""Edit a text in place, leaving the rest unchanged."""

from collections.abc import Iterable
from typing import NamedTuple

from ...text.sentences import Span


class Edit(NamedTuple):
    """New text for a span of an old one; an empty span inserts."""

    start: int
    end: int
    text: str


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Apply edits that do not overlap; their positions refer to the given text."""
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def separator(text: str) -> str:
    """Return the separator of sentences: a line break in a list, else a space."""
    return "\n" if "\n" in text.strip() else " "


def without(text: str, spans: list[Span], index: int) -> str:
    """Return a text without one of its sentences and the space beside it."""
    if index + 1 < len(spans):
        cut = Edit(spans[index].start, spans[index + 1].start, "")
    else:
        cut = Edit(spans[index - 1].end, spans[index].end, "")
    return edited(text, [cut])
