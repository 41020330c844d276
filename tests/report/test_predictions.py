"""Tests of the answers that a report exports, and that `replay` reads tool calls like theirs."""

import json
from math import nan
from pathlib import Path

import pytest

from arag_inspect.corpus import Corpus
from arag_inspect.report import frames, make_report, write_report
from arag_inspect.solvers import replay
from arag_inspect.tasks import earnings_synthetic
from tests.logs import samples_of
from tests.scripted import run

CALLS = 2


def _limit(corpus: Path) -> int:
    """Return a token limit that half of the calls exceed."""
    opened = Corpus.open(corpus)
    names = [
        json.loads(line)["metadata"]["doc_ids"]
        for line in (corpus / "samples.jsonl").read_text().splitlines()[:CALLS]
    ]
    sizes = sorted(sum(chunk.tokens for chunk in opened.document_chunks(name)) for name in names)
    return sizes[len(sizes) // 2 - 1]


def test_exported_skipped_sample_has_reason_and_no_cost(
    synthetic_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    task = earnings_synthetic(
        corpus=str(synthetic_folder),
        scorers="rouge,efficiency",
        system="stuffing",
        system_args={"max_tokens": _limit(synthetic_folder)},
    )
    log = run(task, "offline/extractive", log_dir=str(tmp_path / "logs"), limit=CALLS)
    report = write_report(make_report(frames(tmp_path / "logs")), tmp_path / "report").folder
    (path,) = report.glob("*/stuffing/predictions.jsonl")
    records = [json.loads(line) for line in path.read_text().splitlines()]
    skipped = [record for record in records if record.get("skipped")]
    assert len(records) == CALLS and len(skipped) == len(records) // 2
    reasons = {sample.store["RetrievalTrace:skipped"] for sample in samples_of(log)}
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
        {"loop": 1, "tool_name": "keyword_search", "arguments": {"keywords": ["revenue"]}, "tool_result": json.dumps(dict.fromkeys([other, *gold], 1.0))},
        {"loop": 2, "tool_name": "chunk_read", "arguments": {"chunk_ids": [other, gold[0]]}, "tool_result": "Revenue rose."},
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
