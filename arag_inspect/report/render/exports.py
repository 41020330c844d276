"""Files for other programs: predictions as ARagPoc has them, all scores, a row a run."""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from statistics import fmean
from typing import Any

import pyarrow as pa

from ..._util.csv_cells import csv_text
from ..._util.errors import InputError
from ...types.measures import MAIN
from ..build import Report
from ..load.records import Benchmark, Run, SampleResult
from ..tables.cost import judge_cost, skipped

_LOG_EFFORT = ("efficiency.cost_usd", "efficiency.latency_ms", "efficiency.loops")
_LOG_KEY = "eval_id"


def predictions(run: Run) -> Iterator[dict[str, Any]]:
    """Answers of a run, one record each, as ARagPoc's `predictions.jsonl` has them."""
    for sample in run.samples:
        yield {
            "id": sample.id,
            "source": sample.source,
            "question": sample.input,
            "ground_truth": sample.target,
            "predicted": sample.answer,
            "loops": sample.loops or 0,
            "input_tokens": sample.input_tokens or 0,
            "output_tokens": sample.output_tokens or 0,
            "max_loops_reached": sample.stopped_by == "max_loops",
            "word_count": sample.word_count,
            "cost_usd": sample.cost_usd,
            "latency_ms": sample.latency_ms,
            "trace": _trace(sample, reads=run.solver != "naive_rag"),
        }


def evaluated_predictions(run: Run) -> Iterator[dict[str, Any]]:
    """Scores of a run, one record an answer, as ARagPoc's `predictions.eval.jsonl` has them."""
    for sample in run.samples:
        yield {
            "id": sample.id,
            **_judged(sample, "geval_faithfulness"),
            **_judged(sample, "geval_coverage"),
            "retrieval_recall": sample.value("retrieval_pr.recall"),
            "retrieval_precision": sample.value("retrieval_pr.precision"),
            "rouge2_f1": sample.value("rouge.rouge2"),
            "bertscore_f1": sample.value("bertscore.bertscore_f1"),
            "word_count": sample.word_count,
            "loops": sample.loops or 0,
            "cost_usd": sample.cost_usd,
            "latency_ms": sample.latency_ms,
            "error_codes": list(sample.codes or ()),
        }


def scores(report: Report) -> pa.Table:
    """Every score of every answer, one row each."""
    rows = [
        row
        for one in report.benchmarks
        for run in one.benchmark.runs
        for row in _scores(one.benchmark, run)
    ]
    return pa.Table.from_pylist(rows, schema=_SCORES)


def log_rows(report: Report) -> list[dict[str, str]]:
    """One row a run: what was run, and its means."""
    return [_log_row(one.benchmark, run) for one in report.benchmarks for run in one.benchmark.runs]


def grown_log(existing: str, rows: list[dict[str, str]], place: str) -> str:
    """A CSV log with more rows; that of a run which it has already is renewed.

    Args:
        existing: What the log holds; empty where there is none.
        rows: To be added.
        place: For errors, where the log is.

    Raises:
        InputError: What is there is no such log.
    """
    known = list(csv.DictReader(io.StringIO(existing)))
    if existing.strip() and (not known or any(_LOG_KEY not in row for row in known)):
        raise InputError(f"{place} has no column {_LOG_KEY}, so it is no log of runs; move it away")
    merged = {row[_LOG_KEY]: row for row in (*known, *rows)}
    columns = dict.fromkeys(column for row in (*rows, *known) for column in row if column)
    rest = ([row.get(column, "") for column in columns] for row in merged.values())
    return csv_text([columns, *rest])


_SCORES = pa.schema(
    [
        ("benchmark", pa.string()),
        ("system", pa.string()),
        ("model", pa.string()),
        ("sample_id", pa.string()),
        ("epoch", pa.int64()),
        ("company", pa.string()),
        ("period", pa.string()),
        ("question_type", pa.string()),
        ("question_reasoning", pa.string()),
        ("measure", pa.string()),
        ("value", pa.float64()),
        ("status", pa.string()),
        ("reason", pa.string()),
        ("signature", pa.string()),
    ]
)


def _scores(benchmark: Benchmark, run: Run) -> Iterator[dict[str, Any]]:
    for sample in run.samples:
        for name in run.measures:
            mark, scoring = sample.mark(name), sample.scorings.get(name.split(".")[0])
            yield {
                "benchmark": benchmark.name,
                "system": run.system,
                "model": run.model,
                "sample_id": sample.id,
                "epoch": sample.epoch,
                "company": sample.company,
                "period": sample.period,
                "question_type": sample.question_type,
                "question_reasoning": sample.question_reasoning,
                "measure": name,
                "value": mark.value,
                "status": mark.status,
                "reason": mark.reason,
                "signature": scoring.signature if scoring else None,
            }


def _trace(sample: SampleResult, reads: bool) -> list[dict[str, Any]]:
    """Calls of tools by loop; what was read in one loop is one call."""
    calls = [
        {
            "loop": search.loop,
            "tool_name": search.tool,
            "arguments": {"keywords" if isinstance(search.query, list) else "query": search.query},
            "tool_result": json.dumps(dict(zip(search.chunk_ids, search.scores, strict=False))),
        }
        for search in sample.searches
    ]
    if reads and sample.context == "retrieved":
        for loop in sorted({passage.loop for passage in sample.passages}):
            read = [passage for passage in sample.passages if passage.loop == loop]
            calls.append(
                {
                    "loop": loop,
                    "tool_name": "chunk_read",
                    "arguments": {"chunk_ids": [passage.chunk_id for passage in read]},
                    "tool_result": "\n\n".join(f"{one.prefix}\n{one.text}" for one in read),
                }
            )
    return sorted(calls, key=lambda call: int(call["loop"]))


def _judged(sample: SampleResult, scorer: str) -> dict[str, Any]:
    scoring = sample.scorings.get(scorer)
    reasoning = scoring.explanation if scoring else None
    return {scorer: sample.value(scorer), f"{scorer}_reasoning": reasoning}


def _log_row(benchmark: Benchmark, run: Run) -> dict[str, str]:
    row: dict[str, object] = {
        _LOG_KEY: run.eval_id,
        "created": run.created,
        "task": benchmark.task,
        "version": benchmark.version,
        "dataset": benchmark.dataset,
        "system": run.system,
        "model": run.model,
        "graders": " ".join(run.graders),
        "status": run.status,
        "samples": len(run.samples),
        "skipped": skipped(run),
        "judge_usd": _sum(judge_cost(sample) for sample in run.samples),
        "log": run.location,
    }
    for name in (*MAIN, *_LOG_EFFORT):
        values = [value for sample in run.samples if (value := sample.value(name)) is not None]
        row[name] = fmean(values) if values else None
        if name in _LOG_EFFORT:
            row[f"{name} n"] = len(values)
    return {name: "" if value is None else str(value) for name, value in row.items()}


def _sum(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
