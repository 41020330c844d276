"""Check citations and call times of extracted values against the transcript."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState
from pydantic import NonNegativeInt

from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.scorers._scorer import PlainScorer, Share, scorer
from arag_inspect.text.matching import near, occurrences
from arag_inspect.types.measures import MeasureSpec

from .client_file import (
    Tracked,
    Turn,
    extraction_of,
    read_turns,
    seconds_of,
    tracked_values,
    transcript_of,
)

KEYS = ("exact", "fuzzy", "at_call_time")
_WORDS = 3
"""Fewest words of a citation that is unambiguous; two words occur by chance."""


class Checked(NamedTuple):
    """Result for one citation."""

    exact: bool
    fuzzy: bool
    at_call_time: bool


@scorer(
    MeasureSpec("exact", "Word-for-word citations", "Exact", role="secondary"),
    MeasureSpec("fuzzy", "Citations", "Cited", "Up to the tolerance."),
    MeasureSpec("at_call_time", "Citations at their time", "In time"),
    family="facts",
    signature=("tolerance", "seconds", "rapidfuzz"),
    reads_marks=True,
)
def citation_check(*, tolerance: Share = 0.15, seconds: NonNegativeInt = 5) -> PlainScorer:
    """Does what an extraction cites occur in the transcript, at the stated time?

    1. Every object of the answer that has a `value` and is tracked (`citation`, `call_time` or
       `is_estimate` beside it) counts, unless its value is null. One without a citation is cited
       wrongly.
    2. `exact`: the share whose citation occurs in the transcript. White space, case, kinds of
       quotation marks and dashes are ignored; `...` matches omitted words.
    3. `fuzzy`: the share that is exact, or differs from a passage of the transcript by at most
       `tolerance` of its characters (Levenshtein).
    4. `at_call_time`: the share that is found, exactly or nearly, in the line spoken at its
       `call_time`, or in one up to `seconds` away.
    5. A citation of one or two words, which occurs by chance, counts only in that line.
    6. A transcript without times has no `at_call_time`. Without a transcript, a JSON object or a
       tracked value the sample is unscored.

    The transcript is `transcript` in the sample's metadata, or else its input, with lines such as
    `[00:03:25] Adviser: ...`.

    Metadata: for each citation its path and result.

    Args:
        tolerance: Share of a citation's characters that may differ.
        seconds: Largest error of a call time, in seconds.

    Raises:
        InputError: The tolerance is not a share, or the seconds are negative.
    """

    def score(state: TaskState, target: Target) -> Score:
        transcript = transcript_of(state)
        if not transcript.strip():
            raise UnscoredError("no_transcript", "The sample has no transcript.")
        values = tracked_values(extraction_of(state))
        if not values:
            raise UnscoredError("no_values", "The answer has no value that could be cited.")
        turns = read_turns(transcript)
        check = _Check(turns, [turn.text for turn in turns] or [transcript], tolerance, seconds)
        return _score([(value, check.result(value)) for value in values], check)

    return score


class _Check(NamedTuple):
    """Looks up citations in one transcript."""

    turns: Sequence[Turn]
    texts: Sequence[str]
    tolerance: float
    seconds: int

    def result(self, value: Tracked) -> Checked:
        """Look up the citation of a value, in all lines and in those spoken at its call time."""
        citation, at = value.text("citation").strip(), seconds_of(value.text("call_time"))
        lines = [
            turn.text
            for turn, following in zip_longest(self.turns, self.turns[1:])
            if at is not None
            and turn.seconds - self.seconds <= at
            and (following is None or at < following.seconds + self.seconds)
        ]
        if len(citation.split()) < _WORDS:
            return Checked(*[bool(citation) and occurrences([citation], lines)[0]] * 3)
        # one person's words over two lines, and a question with its answer
        exact = occurrences([citation], [*self.texts, " ".join(self.texts)])[0]
        in_line = occurrences([citation], lines)[0] or near(citation, lines, self.tolerance)
        fuzzy = exact or in_line or near(citation, self.texts, self.tolerance)
        return Checked(exact, fuzzy, in_line)


def _score(checked: Sequence[tuple[Tracked, Checked]], check: _Check) -> Score:
    columns = zip(*(result for _, result in checked), strict=True)
    counts = dict(zip(KEYS, map(sum, columns), strict=True))
    shares = {key: count / len(checked) for key, count in counts.items()}
    if not check.turns:
        shares["at_call_time"] = float("nan")
    listed = ", ".join(f"{count} {key.replace('_', ' ')}" for key, count in counts.items())
    return Score(
        value=dict(shares),
        explanation=f"{len(checked)} citations: {listed}.",
        metadata={
            "signature": {
                "libraries": ("rapidfuzz",),
                "tolerance": check.tolerance,
                "seconds": check.seconds,
            },
            "citations": [
                {"path": value.place, "citation": value.text("citation"), **result._asdict()}
                for value, result in checked
            ],
        },
    )
