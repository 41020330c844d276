"""Tests that samples with overlong texts are unscored, with the reason."""

import pytest

from arag_inspect import scorers
from tests.measures.cases import Case, Ran, run_cases

LONG = "Revenue rose. " * 7_200
CASES = {
    "answer": Case(answer=LONG),
    "reference": Case(target=["Revenue rose.", LONG]),
    "source": Case(source="$1 " * 50_001),
    "facts": Case(metadata={"facts": [{"id": "f", "text": "$1 " * 10_001}]}),
    "words": Case(answer="up " * 20_000, target="up " * 20_000),
    "long": Case(answer="Revenue rose 7.5%. " * 500, source="Revenue rose 7.5%. " + "1 " * 2_000),
}


@pytest.fixture(scope="module")
def ran() -> Ran:
    by_program = [
        scorers.contain_match(),
        scorers.fact_coverage(),
        scorers.factual_consistency(judge=False, context="input"),
        scorers.rouge(),
        scorers.efficiency(),
    ]
    return run_cases(CASES, by_program)


@pytest.mark.parametrize(
    ("case", "scorer", "explanation"),
    [
        ("answer", "contain_match", "answer has 100,8"),
        ("answer", "factual_consistency", "answer has 100,8"),
        ("reference", "contain_match", "reference has 100,800 characters; the limit is 100,000"),
        ("source", "factual_consistency", "50,001 numbers; the limit is 50,000"),
        ("facts", "fact_coverage", "10,001 numbers; the limit is 10,000"),
        ("words", "rouge", "pairs of words"),
    ],
)
def test_overlong_text_is_unscored_with_reason(
    ran: Ran, case: str, scorer: str, explanation: str
) -> None:
    score = ran.score(case, scorer)
    assert score.reason == "too_long"
    assert score.explanation and explanation in score.explanation


def test_long_text_within_limit_is_scored(ran: Ran) -> None:
    consistency = ran.score("long", "factual_consistency")
    assert isinstance(consistency.value, dict) and consistency.value["supported"] == 1
    assert ran.score("long", "contain_match").value == 1


def test_efficiency_counts_words_of_overlong_answer(ran: Ran) -> None:
    efficiency = ran.score("answer", "efficiency")
    assert isinstance(efficiency.value, dict) and efficiency.value["word_count"] > 14_000
