"""Check citations and call times of extracted values against the transcript."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from arag_inspect._util.errors import InputError
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.scorers._scorer import PlainScorer, scorer
from arag_inspect.text.quote_matching import near, occurrences
from arag_inspect.types.measures import MeasureSpec, measures

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


MEASURES = measures(
    MeasureSpec(
        "citation_check.exact",
        "Cited word for word",
        "Exact",
        "Share of citations that occur in the transcript verbatim.",
        role="secondary",
        noun="word-for-word citations",
    ),
    MeasureSpec(
        "citation_check.fuzzy",
        "Cited",
        "Cited",
        "Share of citations that occur in the transcript, up to the tolerance.",
    ),
    MeasureSpec(
        "citation_check.at_call_time",
        "Cited at its time",
        "In time",
        "Share of citations that occur in the line spoken at their call time.",
    ),
    family="facts",
    signature=("tolerance", "seconds", "rapidfuzz"),
)


@scorer(MEASURES, reads_marks=True)
def citation_check(*, tolerance: float = 0.15, seconds: int = 5) -> PlainScorer:
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
    if not 0 <= tolerance < 1 or seconds < 0:
        raise InputError("tolerance must be at least 0 and below 1, seconds at least 0")

    def score(state: TaskState, target: Target) -> Score:
        transcript = transcript_of(state)
        if not transcript.strip():
            raise UnscoredError("no_transcript", "The sample has no transcript.")
        values = tracked_values(extraction_of(state))
        if not values:
            raise UnscoredError("no_values", "The answer has no value that could be cited.")
        check = _Check(transcript, tolerance, seconds)
        return _score(values, [check(value) for value in values], check)

    return score


class _Check:
    """Looks up citations in one transcript."""

    def __init__(self, transcript: str, tolerance: float, seconds: int) -> None:
        self.turns = read_turns(transcript)
        self.parameters = {"tolerance": tolerance, "seconds": seconds}
        self._texts = [turn.text for turn in self.turns] or [transcript]
        # one person's words over two lines, and a question with its answer
        self._all = [*self._texts, " ".join(self._texts)]
        self._tolerance, self._seconds = tolerance, seconds

    def __call__(self, value: Tracked) -> Checked:
        citation = value.text("citation").strip()
        at = seconds_of(value.text("call_time"))
        lines = [] if at is None else [turn.text for turn in self._spoken_at(at)]
        if not citation:
            return Checked(False, False, False)
        if len(citation.split()) < _WORDS:
            return Checked(*[occurrences([citation], lines)[0]] * 3)
        exact = occurrences([citation], self._all)[0]
        in_line = occurrences([citation], lines)[0] or near(citation, lines, self._tolerance)
        fuzzy = exact or in_line or near(citation, self._texts, self._tolerance)
        return Checked(exact, fuzzy, in_line)

    def _spoken_at(self, at: int) -> Sequence[Turn]:
        """Return the line at that time, and those within the tolerance."""
        return [
            turn
            for turn, following in zip_longest(self.turns, self.turns[1:])
            if turn.seconds - self._seconds <= at
            and (following is None or at < following.seconds + self._seconds)
        ]


def _score(values: Sequence[Tracked], checked: Sequence[Checked], check: _Check) -> Score:
    shares = {key: sum(getattr(result, key) for result in checked) / len(checked) for key in KEYS}
    if not check.turns:
        shares["at_call_time"] = float("nan")
    wrong = [
        f"{value.place}: {_fault(result, value)}"
        for value, result in zip(values, checked, strict=True)
        if not (result.exact and result.at_call_time)
    ]
    return Score(
        value=shares,
        explanation="\n".join(wrong) or "Every citation occurs where stated.",
        metadata={
            "signature": {"libraries": ("rapidfuzz",), **check.parameters},
            "citations": [
                {"path": value.place, "citation": value.text("citation"), **result._asdict()}
                for value, result in zip(values, checked, strict=True)
            ],
        },
    )


def _fault(checked: Checked, value: Tracked) -> str:
    quote = f'"{value.text("citation")}"' if value.text("citation") else "nothing is cited"
    if not checked.fuzzy:
        return f"not in the transcript: {quote}"
    where = "" if checked.at_call_time else f" not at {value.text('call_time') or 'no time'}"
    how = "" if checked.exact else " in other words"
    return f"said{how}{where}: {quote}"
