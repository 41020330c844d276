"""Find the tracked values of an extraction."""

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState

from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.measures.fact_lists import label_path, leaf
from arag_inspect.text.replies import read_json

STATIC = "static"
DYNAMIC = "dynamic"
"""Keys of the constant fields, and of the list of states of changing fields."""

_MARKS = frozenset({"citation", "call_time", "is_estimate", "value_as_of_date", "recorded_at"})
_NAMES = ("label", "name")


class Tracked(NamedTuple):
    """A value with its details."""

    path: tuple[str | int, ...]
    label: str
    """Label of its row; empty if missing."""

    fact: dict[str, Any]

    @property
    def field(self) -> str:
        """Last named part of the path, e.g. `contribution`."""
        return next((part for part in reversed(self.path) if isinstance(part, str)), "")

    @property
    def section(self) -> str:
        """First part of the path, e.g. `pensions`."""
        return str(self.path[0]) if self.path else ""

    @property
    def key(self) -> tuple[str, str, object]:
        """Section, field and value; equal for equal statements."""
        value = self.fact["value"]
        is_flag = isinstance(value, bool)
        if isinstance(value, int | float) and not is_flag:
            value = f"{Decimal(str(value)):.8e}"  # also for numbers beyond a float
        return self.section, self.field, (is_flag, " ".join(str(value).casefold().split()))

    @property
    def place(self) -> str:
        """The path as text: `pensions.0.dynamic.1.contribution`."""
        return ".".join(str(part) for part in self.path)

    @property
    def series(self) -> tuple[str | int, ...]:
        """The path without the position of the state: the same for every state of a value."""
        if DYNAMIC not in self.path:
            return self.path
        index = self.path.index(DYNAMIC)
        return (*self.path[:index], *self.path[index + 2 :])

    def text(self, key: str) -> str:
        """Return a detail as text; empty if absent."""
        value = self.fact.get(key)
        return value if isinstance(value, str) else ""


def tracked_values(extraction: object) -> list[Tracked]:
    """Return every object with a `value` other than null and a citation or time."""
    return list(_walk(extraction, (), ""))


def gold_values(target: Target) -> list[Tracked]:
    """Return the tracked values of the gold record.

    Raises:
        UnscoredError: The target is not a record of tracked values.
    """
    gold = tracked_values(read_json(target.text))
    if not gold:
        raise UnscoredError("no_reference", "The target is not a record of tracked values.")
    return gold


def histories(values: Sequence[Tracked]) -> list[list[Tracked]]:
    """Return the states of each value, from the first to the latest."""
    states_by_series: dict[tuple[str | int, ...], list[Tracked]] = {}
    for value in values:
        states_by_series.setdefault(value.series, []).append(value)
    return list(states_by_series.values())


def row_label(row: dict[str, Any]) -> str:
    """Return the label of a row or of its static part; empty if missing."""
    for part in (row, row.get(STATIC)):
        if not isinstance(part, dict):
            continue
        for key in _NAMES:
            label = part.get(key)
            if isinstance(label, str) and label.strip():
                return label
    return ""


def _walk(value: object, path: tuple[str | int, ...], label: str) -> Iterator[Tracked]:
    if isinstance(value, dict):
        if "value" in value and _MARKS & value.keys():
            if value["value"] is not None:
                yield Tracked(path, label, value)
            return
        label = row_label(value) or label
        for key, item in value.items():
            yield from _walk(item, (*path, str(key)), label)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _walk(item, (*path, index), label)


_TURN = re.compile(
    r"^\s*[\[(]?(?P<time>(?:\d{1,2}:)?\d{1,2}:\d{2})[\])]?\s*[-–]?\s*(?P<speaker>[^:\n]{1,60}):\s*(?P<text>.*)$"
)


class Turn(NamedTuple):
    """One uninterrupted turn of a speaker."""

    seconds: int
    """Seconds since the start of the conversation."""

    speaker: str
    text: str

    @property
    def time(self) -> str:
        """`HH:MM:SS`."""
        minutes, seconds = divmod(self.seconds, 60)
        return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"


def seconds_of(time: str) -> int | None:
    """Read `HH:MM:SS` or `MM:SS`; None for other texts."""
    match = re.fullmatch(r"\s*(?:(\d{1,2}):)?(\d{1,2}):(\d{2})\s*", time)
    if match is None:
        return None
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return 3600 * hours + 60 * minutes + seconds


def read_turns(text: str) -> list[Turn]:
    """Read a transcript with lines such as `[00:03:25] Adviser: How old are you?`.

    A line without a time continues the previous turn; text before the first turn is ignored.
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


def read_states(row: dict[str, Any], path: str) -> Iterator[str] | None:
    """Return the facts of a row with a static part and states; None for another object.

    If a row has several states of a value, each state is a fact, described as earlier or latest,
    with its time.
    """
    return _states(row, path) if row.keys() == {STATIC, DYNAMIC} else None


def _states(row: dict[str, Any], path: str) -> Iterator[str]:
    path = label_path(path, row_label(row))
    for states in histories(tracked_values(row)):
        for number, state in enumerate(states, 1):
            order = "latest" if number == len(states) else "earlier"
            timing = f"{order}, said at {state.text('call_time')}" if len(states) > 1 else ""
            yield from leaf(f"{path}.{state.field}", state.fact["value"], state.fact, timing)
