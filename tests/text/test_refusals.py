"""Tests of sentences that decline to answer."""

import pytest

from arag_inspect.text.refusals import begins_by_declining, declines
from tests.linear import is_linear
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

SENTENCES = [
    (language, sentence) for language, rows in TABLES["refusals"].items() for sentence in rows
]


@pytest.mark.parametrize(("language", "sentence"), SENTENCES)
def test_refusal_is_recognised_in_language(language: str, sentence: str) -> None:
    assert declines(sentence), language
    assert declines(sentence.upper()), language


@pytest.mark.parametrize("sentence", TABLES["answers"])
def test_answer_with_negation_is_no_refusal(sentence: str) -> None:
    assert not declines(sentence)


@pytest.mark.parametrize("answer", TABLES["begins by declining"])
def test_answer_begins_by_declining_after_greeting(answer: str) -> None:
    assert begins_by_declining(answer)


@pytest.mark.parametrize("answer", TABLES["answers after declining"])
def test_answer_does_not_decline_when_figure_follows(answer: str) -> None:
    assert not begins_by_declining(answer)


@pytest.mark.parametrize(("question", "answer", "declining"), TABLES["with the question"])
def test_answer_does_not_decline_when_what_was_asked_follows(
    question: str, answer: str, declining: bool
) -> None:
    assert begins_by_declining(answer, question) == declining


@pytest.mark.parametrize("words", TABLES["repeated"])
def test_refusals_are_sought_in_linear_time(words: str) -> None:
    assert is_linear(lambda length: declines(words * length), 2_000)
    refusal = "I do not know. "
    question = "Who is the auditor?"
    assert is_linear(lambda length: begins_by_declining(refusal + words * length, question), 2_000)
