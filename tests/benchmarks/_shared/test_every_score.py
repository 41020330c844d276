"""Tests that every scorer scores every sample without a key and without a network."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.log import EvalLog
from inspect_ai.viewer import TaskSamplesView

from arag_inspect.benchmarks.perspectives import perspectives
from arag_inspect.tasks import earnings_synthetic
from tests.logs import samples_of, scores_of
from tests.scripted import STEADY, run

pytestmark = pytest.mark.usefixtures("logs")

OFFLINE = "offline/extractive"
JUDGE: Any = {"grader": STEADY}
SUMMARY = {
    "geval_faithfulness", "geval_coverage", "error_taxonomy", "factual_consistency", "fact_match",
    "fact_coverage",
    "nli_contradiction", "embedding_coverage", "severity_judge",
    "retrieval_pr", "section_coverage", "rouge", "bertscore", "efficiency",
}  # fmt: skip


@pytest.fixture(scope="module")
def summaries(
    synthetic_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Task, EvalLog]:
    """Return the log of two summaries with every score."""
    task = earnings_synthetic(corpus=str(synthetic_folder), system="naive_rag", scorers="all")
    return task, run(
        task, OFFLINE, limit=2, model_roles=JUDGE, log_dir=str(tmp_path_factory.mktemp("logs"))
    )


def unscored(log: EvalLog, names: set[str]) -> list[tuple[str, str, str]]:
    """Return scores and keys without a value, with reasons; both samples have these scores."""
    assert log.status == "success" and len(samples_of(log)) == 2
    unscored_rows = []
    for sample in samples_of(log):
        assert set(scores_of(sample)) == names
        for name, score in scores_of(sample).items():
            values = score.value if isinstance(score.value, dict) else {name: score.value}
            for key, value in values.items():
                if not isinstance(value, int | float) or math.isnan(value) or score.reason:
                    unscored_rows.append((name, key, str(score.explanation)))
    return unscored_rows


def test_every_summary_scorer_gives_value_without_grader(summaries: tuple[Task, EvalLog]) -> None:
    missing = {key for _, key, _ in unscored(summaries[1], SUMMARY)}
    # the generator marks no fact as vital, and the NLI model is not installed
    assert missing == {"vital", "nli_contradiction"}


def test_log_browser_score_columns_are_numbers(summaries: tuple[Task, EvalLog]) -> None:
    task, log = summaries
    sample, _ = samples_of(log)
    view = task.viewer and task.viewer.task_samples_view
    assert isinstance(view, TaskSamplesView)
    names = [column.id for column in view.columns or []]
    columns = [name.split("__")[1:] for name in names if name.startswith("score__")]
    assert {scorer for scorer, _ in columns} == SUMMARY
    assert [scorer for scorer, _ in columns[-16:]] == ["error_taxonomy"] * 9 + ["efficiency"] * 7
    for scorer, key in columns:
        value = scores_of(sample)[scorer].value
        assert isinstance(value[key] if isinstance(value, dict) else value, int | float)
        assert not isinstance(value, dict) or key != scorer, "shown as the whole value"


@pytest.mark.parametrize("evidence", ["grader", "nli"])
def test_every_perspectives_scorer_gives_value_unless_nli_model_is_missing(
    evidence: str, tmp_path: Path
) -> None:
    rows = [
        {
            "query": f"Should the town build a bridge over the {river}?",
            "documents": [
                {"id": 1, "content": f"A bridge over the {river} saves commuters an hour a day."},
                {"id": 2, "content": f"A bridge over the {river} would harm the otters."},
            ],
        }
        for river in ("Ash", "Elm")
    ]
    data = tmp_path / "questions.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    task = perspectives(path=str(data), evidence=evidence, scorers="all")  # type: ignore[arg-type]
    names = {"perspective_validity", "evidence_support", "citation_recall", "efficiency"}
    missing = unscored(run(task, OFFLINE, limit=2, model_roles=JUDGE), names)
    if evidence == "grader":
        assert missing == []
    else:  # the NLI model is not installed
        assert {name for name, *_ in missing} == {"evidence_support"}
        assert all("fetch it with: hf download" in explanation for *_, explanation in missing)
