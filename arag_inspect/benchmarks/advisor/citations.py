"""Check citations and call times of extracted values against the transcript."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from inspect_ai.scorer import Score

from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.text.matching import near, occurrences

from .tracked import Tracked, Turn, read_turns, seconds_of

KEYS = ("exact", "fuzzy", "at_call_time")
_WORDS = 3
"""Fewest words of a citation that is unambiguous; two words occur by chance."""


class Checked(NamedTuple):
    """Result for one citation."""

    exact: bool
    fuzzy: bool
    at_call_time: bool


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
        UnscoredError: There is no transcript, or no value.
    """
    if not transcript.strip():
        raise UnscoredError("no_transcript", "The sample has no transcript.")
    if not values:
        raise UnscoredError("no_values", "The answer has no value that could be cited.")
    turns = read_turns(transcript)
    check = _Check(turns, [turn.text for turn in turns] or [transcript], tolerance, seconds)
    return _score([(value, check.result(value)) for value in values], check)


class _Check(NamedTuple):
    """Looks up citations in one transcript."""

    turns: Sequence[Turn]
    texts: Sequence[str]
    tolerance: float
    seconds: int

    def result(self, value: Tracked) -> Checked:
        """Look up the citation of a value, in all lines and in those spoken at its call time."""
        citation = value.text("citation").strip()
        lines = self._lines_at(seconds_of(value.text("call_time")))
        if len(citation.split()) < _WORDS:
            is_spoken = bool(citation) and occurrences([citation], lines)[0]
            return Checked(is_spoken, is_spoken, is_spoken)
        # one person's words over two lines, and a question with its answer
        exact = occurrences([citation], [*self.texts, " ".join(self.texts)])[0]
        in_line = occurrences([citation], lines)[0] or near(citation, lines, self.tolerance)
        fuzzy = exact or in_line or near(citation, self.texts, self.tolerance)
        return Checked(exact, fuzzy, in_line)

    def _lines_at(self, call_time: int | None) -> list[str]:
        """Return the lines that are spoken at a call time, within the tolerance of seconds."""
        if call_time is None:
            return []
        lines = []
        for turn, next_turn in zip_longest(self.turns, self.turns[1:]):
            has_begun = turn.seconds - self.seconds <= call_time
            has_ended = next_turn is not None and call_time >= next_turn.seconds + self.seconds
            if has_begun and not has_ended:
                lines.append(turn.text)
        return lines


def _score(checked_values: Sequence[tuple[Tracked, Checked]], check: _Check) -> Score:
    results = [result for _, result in checked_values]
    columns = zip(*results, strict=True)
    counts = dict(zip(KEYS, map(sum, columns), strict=True))
    shares = {key: count / len(checked_values) for key, count in counts.items()}
    if not check.turns:
        shares["at_call_time"] = float("nan")
    summary = ", ".join(f"{count} {key.replace('_', ' ')}" for key, count in counts.items())
    return Score(
        value=dict(shares),
        explanation=f"{len(checked_values)} citations: {summary}.",
        metadata={
            "citations": [
                {"path": value.place, "citation": value.text("citation"), **result._asdict()}
                for value, result in checked_values
            ],
        },
    )
