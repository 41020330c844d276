"""Tests of G-Eval grades on scales other than 1 to 5, from scorer parameter to log."""

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, ModelOutput
from inspect_ai.scorer import Scorer

from arag_inspect.benchmark.viewer import task_viewer
from arag_inspect.scorers import error_taxonomy, geval, geval_coverage, geval_faithfulness
from tests.logs import metrics_of, samples_of, scores_of
from tests.scripted import asked_by, graded, run, scripted, speak, tagged

SOURCE = "Revenue was $4.2 billion, up 7.5%. We expect revenue of $17 billion for fiscal 2022."
GRADES = {"a": "", "b": 10, "c": 8, "d": 7, "e": 3}
"""Grade of each answer; the empty answer, which comes first, is not graded."""


@pytest.fixture(autouse=True)
def _places(logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARAG_CACHE", str(tmp_path / "cache"))


def grader(messages: list[ChatMessage], *_: Any) -> ModelOutput:
    prompt = messages[0].text
    if asked_by(messages) == "criteria":
        rest = {"checks": "c", "low": "l", "middle": "m", "high": "h"}
        return speak(json.dumps({"criteria": [{"name": f"n{n}", **rest} for n in range(5)]}), 1)
    if asked_by(messages) == "error_taxonomy codes":
        return speak(tagged("VERDICT: none", messages), 1)
    grade = next(grade for name, grade in GRADES.items() if f"CASE {name}" in prompt)
    return speak(tagged(graded(int(str(grade)), prompt), messages), 1)


def answer(messages: list[ChatMessage], *_: Any) -> ModelOutput:
    text = messages[-1].text
    return speak("" if "CASE a" in text else text, 1)


def judged(*scorers: Scorer) -> EvalLog:
    samples = [Sample(id=name, input=f"CASE {name} {SOURCE}", target=SOURCE) for name in GRADES]
    log = run(
        Task(dataset=samples, scorer=list(scorers)),
        scripted(answer),
        model_roles={"grader": scripted(grader)},
    )
    assert log.status == "success", log.error
    return log


@pytest.mark.parametrize(
    "scorer",
    [
        geval(dimension="tone", definition="Calm.", against="none", scale=(0, 10)),
        geval(dimension="tone", definition="Calm.", context="input", scale=(0, 10)),
        geval_coverage(scale=(0, 10)),
    ],
)
def test_every_grade_of_custom_scale_is_counted_despite_empty_first_answer(scorer: Scorer) -> None:
    log = judged(scorer)
    (name,) = scores_of(samples_of(log)[0])
    metrics = metrics_of(log, name)
    shares = {grade: metrics[str(grade)] for grade in range(11) if metrics[str(grade)]}
    assert shares == dict.fromkeys((0, 3, 7, 8, 10), 0.2)
    assert metrics["share_at_least"] == 0.4  # from 7.5, three quarters of the way up
    for sample in samples_of(log):
        (score,) = scores_of(sample).values()
        assert score.metadata and score.metadata["scale"] == [0, 10]


def test_empty_answer_has_no_share_of_supported_statements() -> None:
    log = judged(geval(dimension="tone", definition="Calm.", context="input"))
    (score,) = scores_of(samples_of(log)[0]).values()
    assert score.value == 1 and score.metadata
    assert score.metadata["unscored"] == {"supported": "no_sentences"}
    assert "shares" not in score.metadata


def test_ungraded_samples_are_excluded_from_grade_shares() -> None:
    log = judged(geval_coverage(scale=(0, 3)))  # only one grade is readable
    reasons = [next(iter(scores_of(sample).values())).reason for sample in samples_of(log)]
    assert reasons == [None, *["grader_failed"] * 3, None]
    metrics = metrics_of(log, "geval_coverage")
    assert [metrics[str(grade)] for grade in range(4)] == [0.5, 0, 0, 0.5]


def test_weak_threshold_is_rescaled_to_custom_scale() -> None:
    """Threshold 3 on 1 to 5 is 5 on 0 to 10, though 3 and 4 on 0 to 10 are not below 3."""
    log = judged(geval_coverage(scale=(0, 10)), error_taxonomy(context="input"))
    scores = {str(s.id): scores_of(s)["error_taxonomy"] for s in samples_of(log)}
    weak = {
        name: score.value["any"] for name, score in scores.items() if isinstance(score.value, dict)
    }
    assert {name for name in weak if weak[name] == 1} == {"a", "e"}  # NaN without faithfulness
    assert (scores["e"].metadata or {})["codes"] == {"O": "coverage is graded 3 of 0-10"}
    assert "No grade is below 3 (coverage 7 of 0-10)" in str(scores["d"].explanation)


def test_log_browser_color_scale_covers_custom_scale() -> None:
    view: Any = task_viewer([geval_coverage(scale=(0, 10)), geval_faithfulness()])
    colours = view.task_samples_view.score_color_scales
    assert (colours["geval_coverage"].min, colours["geval_coverage"].max) == (0, 10)
    assert (colours["geval_faithfulness"].min, colours["geval_faithfulness"].max) == (1, 5)
