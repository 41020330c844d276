"""Transcripts: speakers, times and words."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from inspect_ai.solver import TaskState

_TURN = re.compile(
    r"^\s*[\[(]?(?P<time>(?:\d{1,2}:)?\d{1,2}:\d{2})[\])]?\s*[-–]?\s*(?P<speaker>[^:\n]{1,60}):\s*(?P<text>.*)$"
)


class Turn(NamedTuple):
    """One uninterrupted contribution of a speaker."""

    seconds: int
    """Seconds since the start of the conversation."""

    speaker: str
    text: str

    @property
    def time(self) -> str:
        """`HH:MM:SS`."""
        return clock(self.seconds)


def clock(seconds: int) -> str:
    """Write a time as `HH:MM:SS`."""
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def seconds_of(time: str) -> int | None:
    """Read `HH:MM:SS` or `MM:SS`; None if it is neither."""
    match = re.fullmatch(r"\s*(?:(\d{1,2}):)?(\d{1,2}):(\d{2})\s*", time)
    if match is None:
        return None
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return 3600 * hours + 60 * minutes + seconds


def read_turns(text: str) -> list[Turn]:
    """Read a transcript with lines such as `[00:03:25] Adviser: How old are you?`.

    A line without a time continues the turn before it; text before the first turn is ignored.
    """
    turns: list[Turn] = []
    for line in text.split("\n"):
        match = _TURN.match(line)
        seconds = seconds_of(match["time"]) if match else None
        if match and seconds is not None:
            turns.append(Turn(seconds, match["speaker"].strip(" *"), match["text"].strip(" *")))
        elif turns and line.strip():
            last = turns[-1]
            turns[-1] = last._replace(text=f"{last.text} {line.strip()}".strip())
    return turns


def write_turns(turns: Iterable[Turn]) -> str:
    """Write turns as lines."""
    return "\n".join(f"[{turn.time}] {turn.speaker}: {turn.text}" for turn in turns)


def transcript_of(state: TaskState) -> str:
    """Return the transcript of a sample: `transcript` in its metadata, else its input."""
    transcript = state.metadata.get("transcript")
    return transcript if isinstance(transcript, str) else state.input_text
