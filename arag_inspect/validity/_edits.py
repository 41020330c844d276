"""Edits of a summary, and the data that they may use."""

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from ..text.sentences import Span


@dataclass(frozen=True, slots=True)
class PerturbationContext:
    """Data that a perturbation may use in addition to the summary."""

    source: str
    """Text from which the summary was written."""

    other: str
    """A good summary of another company's document."""

    seed: int = 0

    def random(self, text: str) -> Random:
        """Return a random generator that is the same for the same summary and seed."""
        return Random(f"{self.seed}\n{text}")


class Edit(NamedTuple):
    """New text for a span of an old one; an empty span inserts."""

    start: int
    end: int
    text: str


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Apply edits that do not overlap; their positions refer to the given text."""
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def separator(text: str) -> str:
    """Return the separator of sentences: a line break in a list, else a space."""
    return "\n" if "\n" in text.strip() else " "


def drop_sentence_at(text: str, spans: list[Span], index: int) -> str:
    """Return a text without a sentence and the space next to it."""
    if index + 1 < len(spans):
        removal = Edit(spans[index].start, spans[index + 1].start, "")
    else:
        removal = Edit(spans[index - 1].end, spans[index].end, "")
    return apply_edits(text, [removal])
