"""Score whether an answer is right, and whether it declines when it should."""

import math
from collections.abc import Mapping
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect._util.wording import as_sentence
from arag_inspect.figures.answers.gold import Gold, read_gold
from arag_inspect.figures.answers.match import match_answer
from arag_inspect.judge import choice_form, model_graded
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.measure import FALSE_STATEMENTS, MeasureSpec
from arag_inspect.measures._containment import contains, has_words
from arag_inspect.measures._question import (
    check_is_question,
    is_unanswerable,
    question_of,
)
from arag_inspect.measures.keyed_score import NoValue, keyed_score
from arag_inspect.measures.metrics import by_question
from arag_inspect.measures.scorer import PlainScorer, Proportion, scorer

_KEYS = ("correct", "incorrect", "refusal")


@scorer(
    MeasureSpec(
        "correct",
        "Correct by judge",
        "Correct",
        description="Share of answers that agree with the gold answer.",
        noun="correctness by judge",
        verb="is right more often",
        role="primary",
        decides=("answer",),
        aspect="correctness",
        exported="llm_correct",
    ),
    MeasureSpec(
        "incorrect",
        "Incorrect by judge",
        "Incorrect",
        higher_is_better=False,
        noun="wrong answers by judge",
        aspect="wrong answers",
    ),
    MeasureSpec("refusal", "Refused by judge", "Refused", higher_is_better=None, aspect="refusal"),
    family="judgement",
    judged=True,
    must_detect=FALSE_STATEMENTS,
    compared_with="reference",
    signature=("judge", "prompt"),
    more=by_question(),
    sets={"answer": "default"},
    needs_gold=("answer",),
)
def llm_accuracy() -> Scorer:
    """Judge whether an answer agrees with the gold answer.

    Differences of wording, unit, scale and rounding are allowed.

    1. The judge sees the question, the gold answers (several are alternatives) and the answer,
       reasons, and says CORRECT, INCORRECT or REFUSAL. Each is a key of the value, 0 or 1, so that
       wrong answers and refusals are counted separately.
    2. A reply without a readable verdict is retried once with the reason; without any
       verdict the sample is unscored.
    3. With several graders each key is the share of them that chose it; each verdict is kept.
    4. An empty answer is a refusal, without a call. Summaries are unscored, and so are questions
       without a gold answer and unanswerable questions whose gold answer is a note that there is
       none (`abstention` judges these).

    Model Roles:
        grader: The judge. Default claude-haiku-4-5.
    """
    judge = model_graded(
        name="llm_accuracy",
        prompt="judge/accuracy",
        form=choice_form(tuple(key.upper() for key in _KEYS)),
        empty_verdict="REFUSAL",
    )

    async def score(state: TaskState, target: Target) -> Score | None:
        check_is_question(state, target)
        return await judge(state, target)

    return score


@scorer(
    MeasureSpec(
        "right",
        "Rightly declined",
        "Right",
        noun="unanswerable questions rightly declined",
        verb="rightly declines more unanswerable questions",
        role="secondary",
        aspect="right refusal",
    ),
    MeasureSpec(
        "wrong",
        "Wrongly declined",
        "Wrong",
        description="Share of answerable questions and requests for a summary that were declined, "
        "also by answers that another measure counts as right.",
        higher_is_better=False,
        aspect="refusal",
    ),
    family="judgement",
    judged=True,
    must_detect=None,
    signature=("judge", "prompt"),
    sets={"answer": "all"},
)
def abstention() -> Scorer:
    """Judge whether a question was declined, and whether it should have been.

    1. A question is unanswerable if its `question_type` in the metadata is `unanswerable`, as
       `arag-inspect prepare questions` sets it.
    2. The judge sees question and answer, but not the gold answer, and says REFUSED or ANSWERED.
    3. `right` is 1 or 0 for an unanswerable question and is missing for others; `wrong` is 1 or 0
       for an answerable one. With several graders it is the share of them that say REFUSED.
    4. An empty answer is a refusal, without a call.

    Model Roles:
        grader: The judge. Default claude-haiku-4-5.
    """
    judge = model_graded(
        name="abstention",
        prompt="judge/abstention",
        form=choice_form(("REFUSED", "ANSWERED")),
        empty_verdict="REFUSED",
    )

    async def score(state: TaskState, target: Target) -> Score | None:
        result = await judge(state, target)
        if result is None or not isinstance(result.value, Mapping):
            return result
        refusal_score = float(str(result.value["refused"]))
        values: dict[str, float | NoValue]
        if is_unanswerable(state):
            values = {"right": refusal_score, "wrong": NoValue("unanswerable")}
        else:
            values = {"right": NoValue("answerable"), "wrong": refusal_score}
        return keyed_score(values, result.explanation, result.metadata or {})

    return score


_RULES_VERSION = 20
"""Signed with every score: scores by other rules are another measure."""


@scorer(
    MeasureSpec(
        "numeric_match",
        "Right number",
        noun="right numbers",
        verb="is right more often",
        role="primary",
        decides=("answer",),
        stands_in_for=("llm_accuracy.correct", "answer_match"),
        aspect="correctness",
        exported="numeric_match",
    ),
    family="facts",
    signature=("rules", "tolerance"),
    more=by_question(),
    sets={"answer": "all"},
)
def numeric_match(*, tolerance: Proportion = 0.01) -> PlainScorer:
    """1 if the answer gives the expected value, else 0; by program.

    The question is `question` in the sample's metadata. Without it, the question is the last
    paragraph with a question mark in the last user message (without any, its last paragraph), so
    texts in the input do not count.

    1. The expected value is the sample's `exe_ans` (FinQA: the result of the gold program). Without
       it, or if it is not a finite number, the gold answer decides. If the gold answer is prose,
       the expected value is its yes or no; otherwise all figures of its first sentence with
       figures, except those in parentheses. An answer that restates another sentence of the gold
       answer with different numbers is wrong. A gold answer that is a date (a day, month, quarter,
       half or such as "mid-2026") expects that date, or a part of it: a day of the month, but not
       only the year, unless the year is asked for. Days may be in numbers; 03/04/2025 is either
       day. A sample with no figure, date, yes or no is unscored; years count only if a year is
       asked for, or if the gold answer has nothing else. Figures of different years must not be
       exchanged. A bare number has the unit of a question that asks how many: 650 basis points.
       Summaries and unanswerable questions are unscored.
    2. The result of an answer is the part marked as such ("Answer: ...", `\\boxed{...}`, its last
       figure in bold). Otherwise these places are searched: the last sentence that concludes
       ("Therefore ..."), and the first with a figure; without a conclusion the last and the first
       with a figure, and the one that has more words of the question than any other. In a
       calculation, the text after the last "=" counts.
    3. The place may contain up to four figures ("rose from 100 to 113, or 13%"), and one of them
       must be right. With more figures nothing counts, so listing numbers earns nothing. A repeated
       figure counts once. Dates, ranges, years if no year is expected, and negated figures ("it is
       not 5%") are not results. "12% or 14%" is wrong for both. An answer is also wrong if another
       sentence gives a second value for the same subject, basis and period, or if it gives the
       expected value only for years that the question, or the gold answer, does not mention. If 0
       is expected, "nothing", "unchanged" and the like are right.
    4. A figure matches an executed value if it differs by at most `tolerance` of it, and a gold
       answer if it is the same, rounded to three significant digits or more ("$34.2 billion" for
       $34,229 million), or rounds to it. Ranges match ranges, basis points percentage points.
       "0.65 to 1" is 0.65 where a ratio is asked for. Where a year is asked for, it must match
       exactly.
    5. A share may be a percentage or a fraction: 13.2%, 0.132 and, if the question or the gold
       answer mentions percent, 13.2. The gold answer shows which of the two the expected value is;
       "0.132%" for 13.2% is wrong. A gold answer of a hundred times the executed value is a
       percentage.
    6. A scale word counts: "$3.8 million" is 3.8 or 3,800 if the table is in millions or thousands
       and the scale is not stated. If the question or the gold answer states it, only that scale is
       right, in words or written out. Without a scale word the number is compared unchanged. "38.2
       million" is not 38.2%.
    7. Signs count. "A decrease of 5%" is -5%, and so are "(5%)" and "–5%", and "a headwind of
       $9 million" is negative. If the question asks for a decrease or a loss, and for no change or
       increase too ("increase / (decrease)", "change in net loss"), 5% is -5% as well. "An
       increase" never is. Only the quantity asked for counts, not the circumstances: "After the
       loss of a customer, what was revenue?" asks for no loss.
    8. For a yes-no question, the first "yes" or "no" of the answer counts ("no doubt" is neither);
       "yes and no" does not count. An answer without a figure, such as a refusal, scores 0.

    Metadata: `expected`, `given` (the figure that decided, or the figures of a wrong answer) and
    `reason`.

    Args:
        tolerance: Largest difference from an executed value, as a share of it.

    Raises:
        InputError: `tolerance` is not a share.
    """

    def score(state: TaskState, target: Target) -> Score:
        check_is_question(state, target)
        question = question_of(state)
        expected = _expected_answers(state.metadata.get("exe_ans"), list(target), question)
        if not expected:
            reason = "Neither `exe_ans` nor the gold answer is a number, yes or no."
            raise UnscoredError("no_reference", reason)
        answer = state.output.completion
        matches = [match_answer(answer, gold, tolerance) for gold in expected]
        match = next((match for match in matches if match.matched), matches[0])
        return Score(
            value=float(match.matched),
            explanation=as_sentence(match.reason),
            metadata={
                "signature": {"rules": _RULES_VERSION, "tolerance": tolerance},
                "expected": [gold.shown for gold in expected],
                "given": match.given,
                "reason": match.reason,
            },
        )

    return score


def _expected_answers(executed: Any, golds: list[str], question: str) -> list[Gold]:
    """Return the expected values: the executed value, else each gold answer."""
    if isinstance(executed, str) and executed.strip().lower() in ("yes", "no"):
        golds = [executed.strip().lower()]
    value = float(executed) if _is_number(executed) else None
    golds = golds[:1] or [""] if value is not None else golds
    return list(filter(None, (read_gold(gold, question, value) for gold in golds)))


def _is_number(value: Any) -> bool:
    try:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return number and math.isfinite(value)
    except OverflowError:
        return False


@scorer(
    MeasureSpec(
        "contain_match",
        "Contains gold answer",
        "Contains",
        noun="gold answers contained",
        decides=("answer",),
        stands_in_for=("llm_accuracy.correct", "answer_match", "numeric_match"),
        aspect="correctness",
        exported="contain_match",
    ),
    family="facts",
    role="secondary",
    more=by_question(),
    sets={"answer": "default"},
    needs_gold=("answer",),
)
def contain_match() -> PlainScorer:
    """1 if the normalised answer contains the normalised gold answer, else 0.

    1. Compared word by word: the words of the gold answer must follow each other in the answer. In
       scripts without spaces each letter is a word. For a gold yes or no, the first yes or no of
       the answer counts, except the "no" of "no doubt".
    2. Case, punctuation, white space, currency signs and the points of "U.S." are ignored; "per
       cent", "percent" and "pct" are "%".
    3. A number counts by its value: "1,577.00" is "1577". It must match whole: "12" is neither in
       "112" nor in "12.5", "-12", "12,000" or "12m". Footnotes ("$4.2¹ billion") are ignored.
    4. Accounting parentheses are a minus: "(5)" as the whole text, "$(5)" and "(5)%" are -5.
       Elsewhere in an answer, "(5)" may be 5 or -5.
    5. With several targets, any of them suffices. An empty answer scores 0.
    6. A sample whose targets are empty, or contain only punctuation, is unscored; so are summaries
       and an unanswerable question, whose gold answer is a note that there is none (`abstention`
       judges these).

    Metadata: `matched`, the targets that the answer contains.
    """

    def score(state: TaskState, target: Target) -> Score:
        check_is_question(state, target)
        golds = [gold for gold in dict.fromkeys(target) if has_words(gold)]
        if not golds:
            raise UnscoredError("no_reference", "The sample has no gold answer to look for.")
        answer = state.output.completion
        matched = [gold for gold in golds if contains(answer, gold)]
        return Score(value=float(bool(matched)), metadata={"matched": matched})

    return score
