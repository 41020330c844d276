"""Check citations and call times of extracted values against the transcript."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from inspect_ai.scorer import Score

from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.text.matching import near, occurrences

from .tracked import Tracked, Turn, read_turns, seconds_of

KEYS = ("exact", "fuzzy", "at_call_time")
"""Whether a citation is found exactly, exactly or nearly, and at its time."""

_WORDS = 3
"""Fewest words of a citation that is unambiguous; two words occur by chance."""


def check_citations(
    transcript: str, values: Sequence[Tracked], tolerance: float, seconds: int
) -> Score:
    """Score the citations of values; see `client_file`.

    Args:
        transcript: The transcript.
        values: Values of an answer.
        tolerance: Share of a citation's characters that may differ.
        seconds: Largest error of a call time, in seconds.

    Raises:
        UnscoredError: The transcript or a value is missing.
    """
    if not transcript.strip():
        raise UnscoredError("no_transcript", "The sample has no transcript.")
    if not values:
        raise UnscoredError("no_values", "The answer has no value that could be cited.")
    turns = read_turns(transcript)
    texts = [turn.text for turn in turns] or [transcript]
    citations: list[dict[str, Any]] = []
    for value in values:
        citation = value.text("citation").strip()
        lines = _lines_at(turns, seconds_of(value.text("call_time")), seconds)
        results = _look_up(citation, texts, lines, tolerance)
        matches = dict(zip(KEYS, results, strict=True))
        citations.append({"path": value.place, "citation": value.text("citation"), **matches})
    counts = {key: sum(entry[key] for entry in citations) for key in KEYS}
    shares = {key: count / len(citations) for key, count in counts.items()}
    if not turns:
        shares["at_call_time"] = float("nan")
    summary = ", ".join(f"{count} {key.replace('_', ' ')}" for key, count in counts.items())
    return Score(
        value=dict(shares),
        explanation=f"{len(citations)} citations: {summary}.",
        metadata={"citations": citations},
    )


def _lines_at(turns: Sequence[Turn], call_time: int | None, tolerance: int) -> list[str]:
    """Return the lines that are spoken at a call time, within a tolerance of seconds."""
    if call_time is None:
        return []
    lines = []
    for turn, next_turn in zip_longest(turns, turns[1:]):
        has_begun = turn.seconds - tolerance <= call_time
        has_ended = next_turn is not None and call_time >= next_turn.seconds + tolerance
        if has_begun and not has_ended:
            lines.append(turn.text)
    return lines


def _look_up(
    citation: str, texts: Sequence[str], lines: Sequence[str], tolerance: float
) -> tuple[bool, bool, bool]:
    """Return whether a citation is in any text, exactly or nearly, and in lines of its time."""
    if len(citation.split()) < _WORDS:
        is_spoken = bool(citation) and occurrences([citation], lines)[0]
        return is_spoken, is_spoken, is_spoken
    # words of a person on two lines, and a question with its answer
    exact = occurrences([citation], [*texts, " ".join(texts)])[0]
    is_in_line = occurrences([citation], lines)[0] or near(citation, lines, tolerance)
    return exact, exact or is_in_line or near(citation, texts, tolerance), is_in_line
