"""Tests that `replay` restores what a report exports: answers, traces and scores."""

import json
import math
from math import nan
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog, EvalSample

from arag_inspect.corpus import Corpus
from arag_inspect.report import frames, make_report, write_report
from arag_inspect.solvers import replay
from arag_inspect.tasks import earnings_synthetic
from tests.logs import samples_of, scores_of
from tests.scripted import STEADY, run

SCORERS = (
    "geval_coverage,geval_faithfulness,error_taxonomy,factual_consistency,retrieval_pr,"
    "rouge,efficiency"
)
SYSTEMS = ("arag", "stuffing", "closed_book")
CALLS, EPOCHS = 2, 2


def _run(corpus: Path, log_dir: Path, system: Any, **options: Any) -> EvalLog:
    task = earnings_synthetic(
        corpus=str(corpus),
        scorers=SCORERS,
        system=system,
        system_args={"max_tokens": _limit(corpus)} if system == "stuffing" else {},
    )
    if solver := options.pop("solver", None):
        task.solver = solver
    log = run(
        task,
        options.pop("model", "offline/extractive"),
        model_roles={"grader": STEADY},
        log_dir=str(log_dir),
        limit=CALLS,
        epochs=EPOCHS,
    )
    assert log.status == "success", log.error
    return log


def _limit(corpus: Path) -> int:
    """Return a token limit that half of the calls exceed."""
    opened = Corpus.open(corpus)
    names = [
        json.loads(line)["metadata"]["doc_ids"]
        for line in (corpus / "samples.jsonl").read_text().splitlines()[:CALLS]
    ]
    sizes = sorted(sum(chunk.tokens for chunk in opened.document_chunks(name)) for name in names)
    return sizes[len(sizes) // 2 - 1]


@pytest.fixture(scope="module")
def report_and_logs(
    synthetic_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, EvalLog]]:
    """The folder of a report, and its logs."""
    folder = tmp_path_factory.mktemp("round")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("ARAG_CACHE", str(folder / "cache"))
        logs = {system: _run(synthetic_folder, folder / "logs", system) for system in SYSTEMS}
        report = write_report(make_report(frames(folder / "logs")), folder / "report")
    return report.folder, logs


def _samples(log: EvalLog) -> dict[tuple[str, int], EvalSample]:
    return {(str(sample.id), sample.epoch): sample for sample in samples_of(log)}


def _scores(sample: EvalSample) -> dict[str, Any]:
    """Return every value, reason and explanation; NaN as text, since it equals nothing."""

    def comparable(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: comparable(entry) for key, entry in value.items()}
        return "unscored" if isinstance(value, float) and math.isnan(value) else value

    return {
        name: (comparable(score.value), score.reason, score.explanation)
        for name, score in scores_of(sample).items()
    }


@pytest.mark.parametrize("system", SYSTEMS)
def test_replay_of_exported_run_reproduces_answers_and_scores(
    report_and_logs: tuple[Path, dict[str, EvalLog]],
    synthetic_folder: Path,
    system: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    report, logs = report_and_logs
    (path,) = report.glob(f"*/{system}/predictions.jsonl")
    monkeypatch.chdir(tmp_path)
    replayed = _run(
        synthetic_folder,
        tmp_path / "logs",
        system,
        solver=replay(predictions=str(path)),
        model="mockllm/model",
    )
    first, second = _samples(logs[system]), _samples(replayed)
    assert set(first) == set(second) and len(first) == CALLS * EPOCHS
    for key, sample in first.items():
        assert _scores(second[key]) == _scores(sample), key
        assert second[key].output.completion == sample.output.completion
        answered = sample.store.get("RetrievalTrace:skipped") is None
        trace_lists = ("searches", "passages") if answered else ()
        for name in (*trace_lists, "system", "context", "stopped_by", "skipped"):
            field = f"RetrievalTrace:{name}"
            assert second[key].store.get(field) == sample.store.get(field), (key, name)
    retrieved = [_scores(sample)["retrieval_pr"][0] != "unscored" for sample in first.values()]
    assert all(retrieved) if system == "arag" else not any(retrieved)


def test_exported_skipped_sample_has_reason_and_no_cost(
    report_and_logs: tuple[Path, dict[str, EvalLog]],
) -> None:
    report, logs = report_and_logs
    (path,) = report.glob("*/stuffing/predictions.jsonl")
    records = [json.loads(line) for line in path.read_text().splitlines()]
    skipped = [record for record in records if record.get("skipped")]
    assert len(records) == CALLS * EPOCHS and len(skipped) == len(records) // 2
    reasons = {sample.store["RetrievalTrace:skipped"] for sample in samples_of(logs["stuffing"])}
    effort = ("predicted", "cost_usd", "latency_ms", "word_count", "loops", "input_tokens")
    for record in skipped:
        assert record["skip_reason"] in reasons and "over the limit" in record["skip_reason"]
        assert [record[key] for key in effort] == [None] * len(effort)
    answered = [record for record in records if record not in skipped]
    assert all(record["predicted"] and "skip_reason" not in record for record in answered)
    lines = path.with_name("predictions.eval.jsonl").read_text().splitlines()
    skipped_records = [record for record in map(json.loads, lines) if record.get("skipped")]
    assert len(skipped_records) == len(skipped)
    for record in skipped_records:
        assert record["cost_usd"] is record["error_codes"] is record["retrieval_recall"] is None


def test_replayed_foreign_tool_calls_yield_precision_and_recall(
    synthetic_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = json.loads((synthetic_folder / "samples.jsonl").read_text().splitlines()[0])
    gold = sample["metadata"]["gold_chunk_ids"]
    other = next(number for number in range(100) if number not in gold)
    trace = [
        {"loop": 1, "tool_name": "keyword_search", "arguments": {"keywords": ["revenue"]},
         "tool_result": json.dumps(dict.fromkeys([other, *gold], 1.0))},
        {"loop": 2, "tool_name": "chunk_read", "arguments": {"chunk_ids": [other, gold[0]]},
         "tool_result": "Revenue rose."},
        {"loop": 3, "tool_name": "calculator", "arguments": {"sum": "1 + 1"}, "tool_result": "2"},
    ]  # fmt: skip
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps({"id": sample["id"], "predicted": "x", "loops": 3, "trace": trace}))
    monkeypatch.chdir(tmp_path)
    task = earnings_synthetic(corpus=str(synthetic_folder), scorers="retrieval_pr")
    task.solver = replay(predictions=str(path))
    log = run(task, "mockllm/model", limit=1, log_dir=str(tmp_path / "logs"))
    assert log.samples and log.samples[0].scores
    expected = {"recall": 1 / len(gold), "precision": 0.5, "search_recall": 1.0, "documents": nan}
    expected["evidence"] = nan  # the trace has no texts
    assert log.samples[0].scores["retrieval_pr"].value == pytest.approx(expected, nan_ok=True)
