"""Tests of rubrics: values per kind of criterion, criteria per question, and rubric files."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from arag_inspect._util.errors import InputError
from arag_inspect.benchmarks._shared.question_file import read_question_file
from arag_inspect.scorers import rubric
from tests.logs import metrics_of
from tests.measures.cases import Case, run_cases

pytestmark = pytest.mark.usefixtures("logs")


def reply(*met: bool, first: int = 1) -> str:
    verdicts = [
        {"number": number, "reason": f"reason {number}", "met": is_met}
        for number, is_met in enumerate(met, first)
    ]
    return f"VERDICT: {json.dumps({'criteria': verdicts})}"


KINDS: dict[str, tuple[dict[str, Any], tuple[float, float], tuple[float, float]]] = {
    # next to a met one-point criterion: value and all_pass if met, and if not
    "positive": ({"criterion": "Names the period", "points": 3}, (1, 1), (0.25, 0)),
    "absence": ({"criterion": "Does not mention a lawsuit"}, (1, 1), (0.5, 0)),
    "negative": ({"criterion": "Gives advice", "points": -0.25}, (0.75, 0), (1, 1)),
    "below": ({"criterion": "Gives advice", "points": -9}, (0, 0), (1, 1)),
    "must": ({"criterion": "Names the year", "dealbreaker": True}, (1, 1), (0, 0)),
    "must_not": ({"criterion": "Lies", "points": -0.25, "must": True}, (0, 0), (1, 1)),
    "other_names": ({"description": "Names the year", "weight": 3, "axis": "a"}, (1, 1), (0.25, 0)),
}  # fmt: skip


def test_rubric_scores_each_kind_of_criterion_when_met_and_unmet() -> None:
    cases, expected = {}, {}
    for kind, (criterion, if_met, if_not) in KINDS.items():
        for is_met, values in ((True, if_met), (False, if_not)):
            name = f"{kind}_{is_met}"
            expected[name] = values
            cases[name] = Case(
                says={"rubric": reply(True, is_met)},
                metadata={"rubric": ["Names the revenue", criterion]},
            )
    ran = run_cases(cases, [rubric()])
    for name, (value, all_pass) in expected.items():
        score = ran.score(name, "rubric")
        assert score.value == pytest.approx(value), name
        assert score.metadata and score.metadata["shares"] == {"all_pass": all_pass}, name
        (prompt,) = ran.prompts(name, "rubric")
        assert prompt.count("<criterion number=") == 2
        assert not any(word in prompt for word in ("dealbreaker", "points", "0.25")), name
    records = (ran.score("must_not_True", "rubric").metadata or {})["judges"][0]["criteria"]
    assert [(record["met"], record["passed"]) for record in records] == [
        (True, True),
        (True, False),
    ]
    assert records[1]["reasoning"] == "reason 2"
    assert "met -0.25 Lies (dealbreaker)" in str(ran.score("must_not_True", "rubric").explanation)
    metrics = metrics_of(ran.log, "rubric")
    shares = [value for name, value in metrics.items() if "all_pass" in name]
    assert shares == [pytest.approx(0.5)]


def test_rubric_asks_criteria_in_batches_and_requires_every_verdict() -> None:
    criteria = [f"Criterion {number}" for number in range(1, 6)]

    def case(*last: str) -> Case:
        says: dict[str, Sequence[str]] = {
            "\nCriterion 1\n": [reply(True, False)],
            "\nCriterion 3\n": [reply(True, True)],
            "\nCriterion 5\n": last,
        }
        return Case(says=says, metadata={"rubric": criteria})

    cases = {
        "complete": case(reply(True)),
        "mended": case(reply(True, True), reply(True)),
        "left_out": case('VERDICT: {"criteria": []}'),
        "empty": Case(answer="", metadata={"rubric": criteria}),
        "none": Case(),
        "faults": Case(metadata={"rubric": [{"criterion": "Lies", "points": -1}]}),
    }
    ran = run_cases(cases, [rubric(batch=2)])
    for name in ("complete", "mended"):
        assert ran.score(name, "rubric").value == pytest.approx(0.8)
    (judge,) = (ran.score("complete", "rubric").metadata or {})["judges"]
    assert judge["input_tokens"] == 300  # three calls
    assert [record["met"] for record in judge["criteria"]] == [True, False, True, True, True]
    failed = ran.score("left_out", "rubric")
    assert failed.reason == "grader_failed"
    assert "one verdict on each criterion from 1 to 1" in (failed.metadata or {})["reason"]
    empty = ran.score("empty", "rubric")
    assert empty.value == 0.0 and ran.asked["empty"] == []
    assert (empty.metadata or {})["shares"] == {"all_pass": 0.0}
    for name in ("none", "faults"):
        assert ran.score(name, "rubric").reason == "no_criteria"


def test_rubric_reads_criteria_from_file(tmp_path: Path) -> None:
    file = tmp_path / "rubric.yaml"
    file.write_text("other: [Nothing]\nown:\n- {criterion: Gives advice, points: 4}\n")
    ran = run_cases({"own": Case(says={"rubric": reply(True)})}, [rubric(file=str(file))])
    assert ran.score("own", "rubric").value == 1.0
    file.write_text("own: [{points: many}]")
    with pytest.raises(InputError, match=r"rubric file .*rubric.yaml: .*criterion"):
        rubric(file=str(file))


CRITERIA = [{"criterion": "Names the year", "points": 2}, "Is short"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.json", json.dumps([{"question": "Why?", "answer": "So.", "rubric": CRITERIA}])),
        ("q.csv", f"question;answer;Rubric\nWhy?;So.;{json.dumps(CRITERIA)}\n"),
    ],
)
def test_question_file_rubric_is_kept_with_question(tmp_path: Path, name: str, text: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    (question,), _ = read_question_file(file)
    assert question.extra_metadata == {"rubric": CRITERIA}
