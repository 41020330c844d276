"""Tests of replaying answers of external systems."""

import json
import shutil
from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog

from arag_inspect._util.errors import InputError
from arag_inspect.solvers import replay
from arag_inspect.tasks import earnings_synthetic
from arag_inspect.types.trace import RetrievalTrace
from tests.logs import samples_of, scores_of
from tests.scripted import STEADY, run
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

pytestmark = pytest.mark.usefixtures("logs")


def ids(folder: Path) -> list[str]:
    lines = (folder / "samples.jsonl").read_text().splitlines()
    return [json.loads(line)["id"] for line in lines]


def replayed(folder: Path, predictions: Path, **options: object) -> EvalLog:
    task = earnings_synthetic(corpus=str(folder), scorers="no_grader")
    task.solver = replay(predictions=str(predictions))
    return run(task, "mockllm/model", limit=2, **options)


def test_replay_reads_json_lines_with_trace_fields(synthetic_folder: Path, tmp_path: Path) -> None:
    first, second = ids(synthetic_folder)[:2]
    path = tmp_path / "predictions.jsonl"
    records = [
        {"id": first, "predicted": "One\u2028two.", "loops": 3, "cost_usd": 0.5, "latency_ms": 9.0},
        {"id": second, "predicted": "Three.", "question": "ignored"},
    ]
    path.write_text("\n".join(json.dumps(r, ensure_ascii=False) for r in records) + "\n\n")
    log = replayed(synthetic_folder, path)
    assert log.status == "success" and log.samples
    assert [s.output.completion for s in log.samples] == ["One\u2028two.", "Three."]
    trace = log.samples[0].store_as(RetrievalTrace)
    assert (trace.system, trace.loops, trace.cost_usd, trace.latency_ms) == ("replay", 3, 0.5, 9.0)
    assert log.samples[1].store_as(RetrievalTrace).cost_usd is None
    assert log.samples[0].scores and log.samples[0].scores["retrieval_pr"].reason == "no_retrieval"


def test_replay_reads_folder_of_text_files(synthetic_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    for name in ids(synthetic_folder)[:2]:
        (folder / f"{name}.txt").write_text(f"About {name}.")
    log = replayed(synthetic_folder, folder)
    assert log.samples
    assert [s.output.completion for s in log.samples] == [f"About {s.id}." for s in log.samples]


def test_missing_prediction_is_error_of_sample(synthetic_folder: Path, tmp_path: Path) -> None:
    first, second = ids(synthetic_folder)[:2]
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps({"id": first, "predicted": "One."}))
    log = replayed(synthetic_folder, path, fail_on_error=False)
    assert log.samples and log.results
    errors = {sample.id: sample.error for sample in log.samples}
    assert errors[first] is None
    assert f"no prediction for sample '{second}'" in errors[second].message  # type: ignore[union-attr]
    assert (log.results.total_samples, log.results.completed_samples) == (2, 1)


@pytest.mark.parametrize(("text", "message"), TABLES["malformed"])
def test_replay_rejects_malformed_predictions(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        replay(predictions=str(path))


def test_replay_rejects_missing_or_non_utf8_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: .*No such file"):
        replay(predictions=str(tmp_path / "nowhere.jsonl"))
    (tmp_path / "p.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot be read: .*codec"):
        replay(predictions=str(tmp_path / "p.jsonl"))


def test_sample_id_is_not_used_as_path(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "a.txt").write_text("fine")
    task = Task(
        dataset=[Sample(id="../secret", input="?"), Sample(id="a", input="?")],
        solver=replay(predictions=str(folder)),
    )
    log = run(task, "mockllm/model", fail_on_error=False)
    assert log.samples
    by_id = {sample.id: sample for sample in log.samples}
    assert "no prediction for sample '../secret'" in by_id["../secret"].error.message  # type: ignore[union-attr]
    assert by_id["a"].output.completion == "fine"


def test_replayed_references_are_judged_against_whole_documents(
    synthetic_folder: Path, tmp_path: Path
) -> None:
    lines = (synthetic_folder / "samples.jsonl").read_text().splitlines()
    path = tmp_path / "p.jsonl"
    path.write_text(
        "\n".join(
            json.dumps({"id": r["id"], "predicted": r["target"]}) for r in map(json.loads, lines)
        )
    )
    task = earnings_synthetic(
        corpus=str(synthetic_folder), scorers="geval_faithfulness,factual_consistency"
    )
    task.solver = replay(predictions=str(path))
    log = run(task, "offline/extractive", limit=2, model_roles={"grader": STEADY})
    assert log.samples
    for sample in log.samples:
        scores = scores_of(sample)
        faithful, figures = scores["geval_faithfulness"], scores["factual_consistency"]
        assert faithful.as_float() >= 3 and isinstance(figures.value, dict)
        assert float(str(figures.value["supported"])) > 0.8
        assert "|against:context:document|" in (faithful.metadata or {})["signature"]


def test_replayed_answers_are_unscored_without_corpus(
    synthetic_folder: Path, tmp_path: Path
) -> None:
    corpus = tmp_path / "gone"
    shutil.copytree(synthetic_folder, corpus)
    path = tmp_path / "p.jsonl"
    path.write_text("\n".join(json.dumps({"id": i, "predicted": "Up 5%."}) for i in ids(corpus)))
    task = earnings_synthetic(corpus=str(corpus), scorers="geval_faithfulness")
    task.solver = replay(predictions=str(path))
    shutil.rmtree(corpus)
    log = run(task, "offline/extractive", limit=1)
    [sample] = samples_of(log)
    assert scores_of(sample)["geval_faithfulness"].reason == "no_passages"


def test_replay_keeps_failed_and_skipped_samples(synthetic_folder: Path, tmp_path: Path) -> None:
    first, second = ids(synthetic_folder)[:2]
    records = [
        {"id": first, "predicted": None, "error": "no connection", "loops": None},
        {"id": second, "predicted": None, "skipped": True, "skip_reason": "too long"},
    ]
    path = tmp_path / "p.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    log = replayed(synthetic_folder, path, fail_on_error=False)
    failed, skipped = samples_of(log)
    assert failed.error and "no connection" in failed.error.message
    assert skipped.scores and {score.reason for score in skipped.scores.values()} == {"skipped"}
    assert skipped.store_as(RetrievalTrace).skipped == "too long"
