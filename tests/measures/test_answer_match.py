"""Tests of one measure for answers with figures and answers in words."""

from collections.abc import Callable

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import Model
from inspect_ai.scorer import Scorer

from arag_inspect.report.comparison.primary import primary_of
from arag_inspect.scorers import (
    MEASURES,
    answer_match,
    contain_match,
    llm_accuracy,
    numeric_match,
)
from tests.measures.cases import answered
from tests.scripted import run, scripted, speak
from tests.tables import tables_beside

pytestmark = pytest.mark.usefixtures("logs")

CASES = tables_beside(__file__)


def test_answer_match_compares_figures_as_numbers_and_searches_for_words() -> None:
    cases = CASES["right or wrong"]
    scores = answered(answer_match(), [(answer, gold) for gold, answer, _ in cases])
    assert [bool(score.value) for score in scores] == [right for *_, right in cases]


def test_answer_match_explains_what_was_expected_and_given() -> None:
    cases = CASES["explained"]
    scores = answered(answer_match(), [(answer, gold) for gold, answer, _ in cases])
    assert [score.explanation for score in scores] == [reason for *_, reason in cases]


def _model_answering(answer: str) -> Model:
    return scripted(lambda *_: speak(answer, 1))


@pytest.mark.parametrize(
    ("parts", "answer", "missing"),
    [
        (["Jane Doe", "$5 million"], "Jane Doe received $5 million.", []),
        (["Jane Doe", "$5 million"], "Jane Doe received $6 million.", ["$5 million"]),
        (["Jane Doe", "$5 million"], "It was $5 million.", ["Jane Doe"]),
        (
            ["$5 million", "$7 million", "$9 million"],
            "A has $5 million. B has $7 million. C has $9 million.",
            [],
        ),
        (["$5 million", "$7 million"], "A has $5 million. B has none.", ["$7 million"]),
        (["$5 million"], "It is $5.0 million.", []),
    ],
)
def test_answer_match_requires_every_answer_part(
    parts: list[str], answer: str, missing: list[str]
) -> None:
    samples = [Sample(input="What?", target="; ".join(parts), metadata={"answer_parts": parts})]
    log = run(Task(dataset=samples, scorer=answer_match()), _model_answering(answer))
    assert log.samples and log.samples[0].scores
    score = log.samples[0].scores["answer_match"]
    assert score.value == float(not missing)
    assert score.metadata is not None and score.metadata["missing"] == missing


@pytest.mark.parametrize(
    ("question", "target", "parts", "answer", "right"), CASES["parts of a move"]
)
def test_answer_match_reads_parts_as_the_gold_answer_moves_them(
    question: str, target: str, parts: list[str], answer: str, right: bool
) -> None:
    samples = [Sample(input=question, target=target, metadata={"answer_parts": parts})]
    log = run(Task(dataset=samples, scorer=answer_match()), _model_answering(answer))
    assert log.samples and log.samples[0].scores
    assert log.samples[0].scores["answer_match"].value == float(right)


@pytest.mark.parametrize(
    ("question", "target", "answer", "right"), CASES["decimal commas and spaces"]
)
def test_answer_match_reads_thousands_as_gold_answer_or_question_shows_them(
    question: str, target: str, answer: str, right: bool
) -> None:
    sample = Sample(input=question, target=target)
    log = run(Task(dataset=[sample], scorer=answer_match()), _model_answering(answer))
    assert log.samples and log.samples[0].scores
    assert log.samples[0].scores["answer_match"].value == float(right)


@pytest.mark.parametrize(("target", "parts"), [("", None), ("five", "five"), ("x", [5])])
def test_answer_match_is_unscored_without_readable_gold_answer(target: str, parts: object) -> None:
    samples = [Sample(input="What?", target=target, metadata={"answer_parts": parts})]
    log = run(Task(dataset=samples, scorer=answer_match()), _model_answering("five"))
    assert log.samples and log.samples[0].scores
    assert log.samples[0].scores["answer_match"].reason == "no_reference"


@pytest.mark.parametrize("make", [answer_match, contain_match, numeric_match, llm_accuracy])
def test_match_scorers_are_unscored_for_unanswerable_questions_and_summaries(
    make: Callable[[], Scorer],
) -> None:
    notes = ("NOT IN DOCUMENTS", "N/A", "not_answerable", "The filing does not say.")
    cases = [("Not found.", note) for note in notes]
    scores = answered(make(), cases, question_type="unanswerable")
    assert [score.reason for score in scores] == ["unanswerable"] * 4
    cases = [("Revenue rose.", "Revenue was $5 million. Costs fell."), ("", "Sales rose 7%.")]
    for style in ("summary", "earnings_call", "query_focused"):
        scores = answered(make(), cases, style=style)
        assert [score.reason for score in scores] == ["not_a_question"] * 2


@pytest.mark.parametrize("style", ["qa", "essay"])  # the second is unknown to this package
def test_answer_match_scores_samples_that_are_no_known_summaries(style: str) -> None:
    (score,) = answered(answer_match(), [("It is $5 million.", "$5 million")], style=style)
    assert score.value == 1.0


def test_answer_match_scores_unanswerable_question_with_gold_answer() -> None:
    cases = [("It is $5 million.", "$5 million"), ("Not found.", "$5 million")]
    scores = answered(answer_match(), cases, question_type="unanswerable")
    assert [score.value for score in scores] == [1, 0]


def test_answer_match_is_primary_over_numeric_and_contain_match() -> None:
    names = ("numeric_match", "contain_match", "answer_match")
    assert primary_of(["qa"], [MEASURES[name] for name in names]) == ("answer_match",)
