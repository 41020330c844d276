"""Tests of the composite of contradiction, severity and coverage, and of its weights."""

import math
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import score as score_log
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState

from arag_inspect._util.errors import InputError
from arag_inspect.benchmarks.legal import composite_faithfulness
from arag_inspect.benchmarks.legal.composite_faithfulness import read_weights
from arag_inspect.scorers import severity_judge
from tests.logs import samples_of, scores_of
from tests.measures.cases import Case, Ran, run_cases
from tests.scripted import Script, scripted


def graded(reply: str, **scores: object) -> Case:
    return Case(says={"severity_judge": reply}, metadata=scores)


CASES = {
    "perfect": graded("Worst error: none\nVERDICT: 5", nli=1.0, coverage=1.0),
    "major": graded("Worst error: no guidance\nVERDICT: 3", nli=1.0, coverage=0.5),
    "poor": graded("VERDICT: 2", nli=0.0, coverage=0.0),
    "prose": graded("It is bad.", nli=1.0, coverage=1.0),
    "no_nli": graded("VERDICT: 5", coverage=1.0),
}


@scorer(metrics=[mean()], name="nli_contradiction")
def told_nli() -> Scorer:
    return _logged_value("nli")


@scorer(metrics=[mean()], name="embedding_coverage")
def told_coverage() -> Scorer:
    return _logged_value("coverage")


def _logged_value(key: str) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        value = state.metadata.get(key)
        if value is None:
            return Score.unscored(reason="scoring_failed", explanation="no model there")
        return Score(value=value, metadata={"signature": f"told|{key}"})

    return score


@pytest.fixture(scope="module")
def ran() -> Ran:
    severity = severity_judge(context="input")
    return run_cases(CASES, [told_nli(), told_coverage(), severity, composite_faithfulness()])


@pytest.mark.parametrize(
    ("case", "composite", "band"),
    [
        ("perfect", 1.0, "Excellent"),
        ("major", 0.35 + 0.4 * 0.6 + 0.25 * 0.5, "Moderate"),
        ("poor", 0.16, "Significant problems"),
    ],
)
def test_composite_is_weighted_mean_of_reused_parts_with_band(
    ran: Ran, case: str, composite: float, band: str
) -> None:
    score = ran.score(case, "composite_faithfulness")
    assert score.value == pytest.approx(composite) and score.metadata
    assert score.metadata["band"] == band and band in (score.explanation or "")
    assert all(part["reused"] for part in score.metadata["parts"].values())
    assert score.metadata["judges"] == []
    weights = "|nli:told;nli|weights:nli=0.35,judge=0.4,coverage=0.25|"
    assert weights in score.metadata["signature"]


@pytest.mark.parametrize(
    ("case", "why"),
    [("prose", "judge: No judge came to a verdict"), ("no_nli", "(nli: no model there)")],
)
def test_composite_is_unscored_and_names_unscored_part(ran: Ran, case: str, why: str) -> None:
    composite = ran.score(case, "composite_faithfulness")
    assert composite.reason == "part_unscored" and composite.value != composite.value
    assert why in (composite.explanation or "")


def test_composite_reuses_logged_scores_and_computes_missing_ones(logs: Path, ran: Ran) -> None:
    second_judge = Script("Worst error: none\nVERDICT: 5")
    roles = {"grader": scripted(second_judge)}
    weighted = composite_faithfulness(weights={"judge": 3, "coverage": 1}, context="input")
    log = score_log(ran.log, weighted, action="append", model_roles=roles, display="none")
    assert log.samples and second_judge.asked == []
    scores = {s.id: scores_of(s)["composite_faithfulness1"] for s in log.samples}
    assert scores["major"].value == pytest.approx(0.75 * 0.6 + 0.25 * 0.5)
    alone = composite_faithfulness(
        weights={"nli": 0.5, "judge": 0.5}, context="input", nli_model=str(logs / "nowhere")
    )
    ran.log.samples = [s for s in samples_of(ran.log) if s.id == "major"]
    log = score_log(ran.log, alone, action="overwrite", model_roles=roles, display="none")
    assert log.samples and len(second_judge.asked) == 1
    computed = scores_of(log.samples[0])["composite_faithfulness"]
    assert computed.reason == "part_unscored" and "nli: " in (computed.explanation or "")
    assert computed.metadata and computed.metadata["parts"]["judge"]["value"] == 1
    assert [judge["part"] for judge in computed.metadata["judges"]] == ["judge"]


def test_composite_is_reported_for_each_judge(logs: Path) -> None:
    case = Case(
        says={"severity_judge": ["VERDICT: 5", "VERDICT: 2"]},
        metadata={"nli": 1.0, "coverage": 0.5},
    )
    scorers = [told_nli(), told_coverage(), severity_judge(), composite_faithfulness()]
    composite = run_cases({"two": case}, scorers, graders=2).score("two", "composite_faithfulness")
    assert composite.value == pytest.approx(0.35 + 0.4 * 0.7 + 0.25 * 0.5)
    first, second = "mockllm/model", "mockllm/model#2"  # same name, but counted separately
    by_judge = {first: 0.35 + 0.4 * 1 + 0.25 * 0.5, second: 0.35 + 0.4 * 0.4 + 0.25 * 0.5}
    assert (composite.metadata or {})["by_judge"] == pytest.approx(by_judge)


def test_read_weights_normalizes_weights() -> None:
    assert read_weights({"judge": 0.5, "nli": 0.5, "coverage": 0}) == {"nli": 0.5, "judge": 0.5}


@pytest.mark.parametrize(
    "weights", ["nli=1", {"speed": 1}, {"nli": -1}, {"nli": math.nan}, {"nli": 0}, {}]
)
def test_composite_rejects_invalid_weights(weights: Any) -> None:
    with pytest.raises(InputError, match="weights"):
        composite_faithfulness(weights=weights)
