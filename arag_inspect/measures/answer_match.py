"""Score answers by one rule, for gold answers in figures and in words."""

from collections.abc import Sequence
from dataclasses import replace

from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from arag_inspect._util.wording import as_sentence
from arag_inspect.figures.answers.gold import Gold, read_gold, with_moves, without_figures
from arag_inspect.figures.answers.match import Match, match_answer
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.measure import MeasureSpec
from arag_inspect.measures._containment import contains, has_words
from arag_inspect.measures._question import check_is_question, question_of
from arag_inspect.measures.metrics import by_question
from arag_inspect.measures.scorer import PlainScorer, Proportion, scorer
from arag_inspect.text.content_words import content_words

PARTS = "answer_parts"
"""Metadata key of the required parts of a right answer."""

_RULES_VERSION = 13
"""Signed with every score: scores by other rules are another measure."""


@scorer(
    MeasureSpec(
        "answer_match",
        "Right answer",
        noun="right answers",
        verb="is right more often",
        role="primary",
        decides=("answer",),
        stands_in_for=("llm_accuracy.correct",),
        aspect="correctness",
        exported="answer_match",
    ),
    family="facts",
    signature=("rules", "tolerance"),
    more=by_question(),
    needs_gold=("answer",),
)
def answer_match(*, tolerance: Proportion = 0.01) -> PlainScorer:
    """1 if the answer gives the gold answer, as a figure or in words, else 0; by program.

    1. If the gold answer consists of figures (perhaps with their year), is a date, or begins with
       yes or no, it is compared as in `numeric_match`, with the same question. Any other gold
       answer must be contained in the answer, as in `contain_match`. So every question of a mixed
       set gets a value of the same measure.
    2. Several targets are alternatives: any of them suffices.
    3. `answer_parts` in the metadata lists texts that a right answer must all give, each compared
       by rule 1. A figure among several parts may be anywhere in the answer. The targets are then
       not compared.
    4. A sample without a gold answer is unscored, and so are summaries and unanswerable questions
       (`abstention` judges these). An empty answer, or a refusal, scores 0.

    The explanation says why: for a wrong answer, what was expected and what the answer gives.
    Metadata: `matched` and `missing`, the gold answers or parts that the answer gives and does not
    give.

    Args:
        tolerance: Largest difference from a figure of the gold answer, as a share of it.

    Raises:
        InputError: `tolerance` is not a share.
    """

    def score(state: TaskState, target: Target) -> Score:
        check_is_question(state, target)
        parts = _parts(state)
        golds = [gold for gold in dict.fromkeys(parts or target) if has_words(gold)]
        if not golds:
            raise UnscoredError("no_reference", "The sample has no gold answer to compare with.")
        answer = state.output.completion
        question = question_of(state)

        def compare(gold: str) -> Match:
            figures = _figures(gold, question, one_of_several=len(parts) > 1)
            if figures is not None:
                figures = with_moves(figures, target) if len(parts) > 1 else figures
                return match_answer(answer, figures, tolerance)
            if contains(answer, gold):
                return Match(True, f"the answer contains {gold}")
            return Match(False, f"expected {gold}; the answer does not contain these words")

        matches = {gold: compare(gold) for gold in golds}
        matched = [gold for gold, match in matches.items() if match.matched]
        missing = [gold for gold in golds if gold not in matched]
        is_right = not missing if parts else bool(matched)
        deciding = matched if is_right else missing
        reasons = (matches[gold].reason for gold in deciding)
        return Score(
            value=float(is_right),
            explanation=" ".join(map(as_sentence, reasons)),
            metadata={
                "signature": {"rules": _RULES_VERSION, "tolerance": tolerance},
                "matched": matched,
                "missing": missing,
            },
        )

    return score


def _parts(state: TaskState) -> Sequence[str]:
    """Return the required parts of a right answer; empty if any target suffices.

    Raises:
        UnscoredError: They are not a list of texts.
    """
    parts = state.metadata.get(PARTS) or []
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise UnscoredError("no_reference", f"`{PARTS}` in the metadata is not a list of texts.")
    return parts


def _figures(gold: str, question: str, *, one_of_several: bool) -> Gold | None:
    """Read a gold answer that is figures, dates, yes or no; return None for other words."""
    figures = read_gold(gold, question)
    if figures is None or figures.word or figures.dates:
        return figures
    other_words = _words_outside_figures(figures)
    if any(map(_has_digit, other_words)):  # "Q3 2021" is more than its year
        return None
    if figures.number:  # the result of the answer, except if the answer has other parts too
        return replace(figures, number=False) if one_of_several else figures
    return None if other_words else figures


def _words_outside_figures(figures: Gold) -> set[str]:
    """Return the content words, and words with digits, of a gold answer outside of its figures."""
    expected = [number.figure for number in figures.figures if number.figure is not None]
    gold = without_figures(figures.text, expected)
    years = set(map(str, figures.result_years))  # "$5 million in 2023" is compared with its year
    numbered_words = {word for word in gold.split() if _has_digit(word)}
    numbered_words -= {word for word in numbered_words if word.strip("(),.") in years}
    return {*content_words(gold.lower()), *numbered_words}


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))
