"""Spoken lines, their times and their dates."""

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import accumulate
from random import Random
from typing import NamedTuple

from .tracked import Turn

ADVISER = "Adviser"


class SpokenLine(NamedTuple):
    """Words of a speaker, without their time."""

    speaker: str
    text: str


def count_words(lines: Sequence[SpokenLine] | Sequence[Turn]) -> int:
    """Count the words spoken."""
    return sum(len(line.text.split()) for line in lines)


def add_times(lines: Sequence[SpokenLine], words_a_minute: float) -> list[Turn]:
    """Give each line its start time, if all speak at one pace without a break."""
    spoken_words = accumulate((len(line.text.split()) for line in lines), initial=0)
    return [
        Turn(int(60 * words / words_a_minute), *line)
        for words, line in zip(spoken_words, lines, strict=False)
    ]


def date_of(chance: Random) -> date:
    """Return the day of a conversation."""
    return date(2025, 3, 3) + timedelta(days=chance.randint(0, 240))


def spell_date(day: date) -> str:
    """Write a date in spoken form: `14 October 2025`."""
    return f"{day.day} {day:%B %Y}"
