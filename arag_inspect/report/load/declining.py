"""Check by program whether unanswerable questions were declined, where no judge was asked."""

from collections.abc import Iterable, Mapping
from math import nan

from ...measure import MeasureSpec
from ...text import refusals
from ...text.model_marks import without_thoughts
from ...types.sample import QUESTION, UNANSWERABLE
from ..rows import AnswerRow, ScoreRow, keys_of

RIGHTLY_DECLINED = MeasureSpec(
    "rightly_declined",
    "Rightly declined",
    noun="unanswerable questions rightly declined",
    verb="rightly declines more unanswerable questions",
    role="secondary",
    family="facts",
    aspect="right refusal",
)
"""1 if the answer to an unanswerable question begins by declining, else 0."""


def declining_scores(
    answers: Iterable[AnswerRow], specs: Mapping[str, MeasureSpec], measures: Iterable[str]
) -> list[ScoreRow]:
    """Return a score of `RIGHTLY_DECLINED` for each answer of a log.

    Empty if the log has no answered question that is unanswerable, or already has a measure of
    whether such questions were declined.

    Args:
        answers: Answers of the log.
        specs: Its declared measures.
        measures: Keys of its measures.
    """
    is_scored = any(
        key in specs and specs[key].aspect == RIGHTLY_DECLINED.aspect for key in measures
    )
    scores = [] if is_scored else [_score(answer) for answer in answers]
    return scores if any(score.status == "scored" for score in scores) else []


def begins_by_declining(answer: AnswerRow) -> bool:
    """Return whether an answer, without its thoughts, declines at its start; an empty one does."""
    return refusals.begins_by_declining(without_thoughts(answer.text), answer.input)


def _score(answer: AnswerRow) -> ScoreRow:
    key = RIGHTLY_DECLINED.key
    score = ScoreRow(*keys_of(answer), measure=key, scorer=key, value=nan, status="unscored")
    if answer.style != QUESTION or answer.question_type != UNANSWERABLE:
        return score._replace(reason="answerable")
    if answer.outcome != "answered":
        return score._replace(status="missing")
    is_declined = begins_by_declining(answer)
    verb = "declines" if is_declined else "does not decline"
    text = f"The start of the answer {verb} to answer."
    return score._replace(value=float(is_declined), status="scored", text=text)
