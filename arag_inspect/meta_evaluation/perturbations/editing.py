"""Editing a text in place: what is not edited stays as it is, to the last blank."""

from collections.abc import Iterable
from typing import NamedTuple

from ...corpus import Span, split_sentences


class Edit(NamedTuple):
    """New text for a stretch of an old one; an empty stretch inserts."""

    start: int
    end: int
    text: str


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Apply edits that do not overlap; their places are those of the text given."""
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def sentences(text: str) -> list[str]:
    """Sentences of a text, in order."""
    return [text[start:end] for start, end in split_sentences(text)]


def separator(text: str) -> str:
    """What stands between the sentences of a text: a line break where it is a list, else a blank."""
    return "\n" if "\n" in text.strip() else " "


def without(text: str, spans: list[Span], place: int) -> str:
    """A text without one of its sentences and without the blank beside it."""
    if place + 1 < len(spans):
        cut = Edit(spans[place].start, spans[place + 1].start, "")
    else:
        cut = Edit(spans[place - 1].end, spans[place].end, "")
    return edited(text, [cut])
