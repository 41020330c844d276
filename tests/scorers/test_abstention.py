"""Declined questions are right or wrong by their type, not by the gold answer."""

import math

import pytest

from arag_inspect.scorers import abstention
from tests.scorers.cases import Case, run_cases

pytestmark = pytest.mark.usefixtures("logs")

ASKED = "The verdict is REFUSED or ANSWERED"
NONE = {"question_type": "unanswerable"}


def case(verdict: str, *, answer: str = "It is 5.", **metadata: str) -> Case:
    return Case(answer=answer, says={ASKED: f"VERDICT: {verdict}"}, metadata=metadata)


CASES = {
    "declined": case("REFUSED", **NONE),
    "invented": case("ANSWERED", **NONE),
    "silent": case("ANSWERED", answer="", **NONE),
    "given": case("ANSWERED", question_type="single"),
    "shy": case("REFUSED", question_type="single"),
    "untyped": case("REFUSED"),
    "undecided": case("PERHAPS", **NONE),
}


def test_each_kind_of_question_counts_under_its_own_key() -> None:
    ran = run_cases(CASES, [abstention()])
    values = {name: ran.score(name, "abstention").value for name in CASES if name != "undecided"}
    shares = {}
    for name, value in values.items():
        assert isinstance(value, dict)
        shares[name] = {
            key: float(str(share)) for key, share in value.items() if not math.isnan(share)
        }
    assert shares == {
        "declined": {"right": 1},
        "invented": {"right": 0},
        "silent": {"right": 1},
        "given": {"wrong": 0},
        "shy": {"wrong": 1},
        "untyped": {"wrong": 1},
    }
    assert ran.score("undecided", "abstention").reason == "grader_failed"
    assert ran.log.results
    (right, wrong) = (score.metrics["mean"].value for score in ran.log.results.scores)
    assert (right, wrong) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    prompt = ran.prompts("declined", ASKED)[0]
    assert "<answer>" in prompt
    assert "Revenue rose 7.5%." not in prompt  # the gold answer
