"""Exports: predictions in ARagPoc's format, all scores, one row per run."""

import csv
import hashlib
import io
from collections.abc import Iterable, Iterator
from statistics import fmean
from typing import Any

from ..._util.csv_cells import csv_text
from ..._util.errors import InputError
from ..._util.extras import extra
from ...types.calls import to_calls
from ..build import Report
from ..load.records import Benchmark, Run, SampleResult
from ..tables.cost import judge_cost, skipped

with extra("report"):
    import pyarrow as pa

_COST = "efficiency.cost_usd"
_LOG_COST = (_COST, "efficiency.latency_ms", "efficiency.loops")
_LOG_KEY = "eval_id"


def predictions(run: Run) -> Iterator[dict[str, Any]]:
    """Yield the answers of a run as records of ARagPoc's `predictions.jsonl`.

    A skipped or failed sample is marked, and has no prediction, cost or effort.
    `replay` holds the further fields with which the solver `replay` reproduces the scores.
    """
    for sample in run.samples:
        retrieved = sample.context == "retrieved"
        yield {
            "id": sample.id,
            "source": sample.source,
            "question": sample.input,
            "ground_truth": sample.target,
            "predicted": sample.answer if sample.finished else None,
            **_effort(sample),
            "max_loops_reached": sample.stopped_by == "max_loops",
            **_left_out(sample),
            "replay": {
                "epoch": sample.epoch,
                "system": sample.system,
                "context": sample.context,
                "stopped_by": sample.stopped_by,
                "outcome": sample.outcome,
                "wall_ms": sample.wall_ms if sample.finished else None,
                "chunk_ids": [] if retrieved else [passage.chunk_id for passage in sample.passages],
            },
            "trace": [
                {key: value for key, value in call._asdict().items() if value is not None}
                for call in to_calls(sample.searches, sample.passages if retrieved else ())
            ],
        }


def evaluated_predictions(run: Run) -> Iterator[dict[str, Any]]:
    """Yield the scores of a run as records of ARagPoc's `predictions.eval.jsonl`.

    One record per answer.
    """
    for sample in run.samples:
        effort = _effort(sample)
        yield {
            "id": sample.id,
            **_left_out(sample),
            **_judged(sample, "geval_faithfulness"),
            **_judged(sample, "geval_coverage"),
            "retrieval_recall": sample.value("retrieval_pr.recall"),
            "retrieval_precision": sample.value("retrieval_pr.precision"),
            "rouge2_f1": sample.value("rouge.rouge2"),
            "bertscore_f1": sample.value("bertscore.bertscore_f1"),
            **{key: effort[key] for key in ("word_count", "loops", "cost_usd", "latency_ms")},
            "error_codes": None if sample.codes is None else list(sample.codes),
        }


def scores(report: Report) -> pa.Table:
    """Return every score of every answer, one per row."""
    benchmarks = (part.benchmark for part in report.benchmarks)
    rows = [
        row for benchmark in benchmarks for run in benchmark.runs for row in _scores(benchmark, run)
    ]
    return pa.Table.from_pylist(rows, schema=_SCORES)


def log_rows(report: Report) -> list[dict[str, str]]:
    """Return one row per run: its settings and means.

    Rows are comparable if `questions` and `signatures` are equal: the digests of the
    answered samples (id and epoch) and of the measurements.
    Dollars are means per question, of the system and of its judges, and
    missing if one of them is unknown.
    """
    benchmarks = (part.benchmark for part in report.benchmarks)
    return [_log_row(benchmark, run) for benchmark in benchmarks for run in benchmark.runs]


def grown_log(existing: str, rows: list[dict[str, str]], location: str) -> str:
    """Return a CSV log with more rows; the row of a known run is replaced.

    Args:
        existing: Contents of the log; empty if it does not exist.
        rows: Rows to add.
        location: Location of the log, for errors.

    Raises:
        InputError: The contents are not such a log.
    """
    old_rows = list(csv.DictReader(io.StringIO(existing)))
    if existing.strip() and (not old_rows or any(_LOG_KEY not in row for row in old_rows)):
        raise InputError(
            f"{location} has no column {_LOG_KEY}, so it is not a log of runs; move it away"
        )
    merged = {row[_LOG_KEY]: row for row in (*old_rows, *rows)}
    columns = dict.fromkeys(column for row in (*rows, *old_rows) for column in row if column)
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


def _effort(sample: SampleResult) -> dict[str, Any]:
    """Return the effort of an answer; empty if there is no answer."""
    effort = {
        "loops": sample.loops or 0,
        "input_tokens": sample.input_tokens or 0,
        "output_tokens": sample.output_tokens or 0,
        "word_count": sample.word_count,
        "cost_usd": sample.cost_usd,
        "latency_ms": sample.latency_ms,
    }
    return effort if sample.finished else dict.fromkeys(effort)


def _left_out(sample: SampleResult) -> dict[str, Any]:
    """Return why there is no answer; empty if there is one."""
    match sample.outcome:
        case "skipped":
            return {"skipped": True, "skip_reason": sample.error}
        case "errored":
            return {"error": sample.error}
        case _:
            return {}


def _judged(sample: SampleResult, scorer: str) -> dict[str, Any]:
    scoring = sample.scorings.get(scorer)
    reasoning = scoring.explanation if scoring else None
    return {scorer: sample.value(scorer), f"{scorer}_reasoning": reasoning}


def _log_row(benchmark: Benchmark, run: Run) -> dict[str, str]:
    left = ("errored", "skipped")
    answered = [sample for sample in run.samples if sample.outcome not in left]
    judged = any(sample.judgements for sample in answered)
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
        "answered": len(answered),
        "questions": _digest(f"{sample.id} {sample.epoch}" for sample in answered),
        "corpus": (run.corpus or "")[:12],
        "signatures": _digest(
            signature for signatures in run.signatures.values() for signature in signatures
        ),
        "judge_usd": _mean_of_all(_judging_cost(sample) for sample in answered) if judged else None,
        "log": run.location,
    }
    for name in (*(spec.key for spec in benchmark.main), *_LOG_COST):
        values = [value for sample in run.samples if (value := sample.value(name)) is not None]
        row[name] = fmean(values) if values else None
        if name in _LOG_COST:
            row[f"{name} n"] = len(values)
    row[_COST] = _mean_of_all(sample.cost_usd for sample in answered)
    return {name: "" if value is None else str(value) for name, value in row.items()}


def _mean(values: Iterable[float | None]) -> float | None:
    known_values = [value for value in values if value is not None]
    return fmean(known_values) if known_values else None


def _judging_cost(sample: SampleResult) -> float | None:
    """Return the cost of judging an answer: 0 if no judge was asked."""
    return judge_cost(sample) if sample.judgements else 0.0


def _mean_of_all(values: Iterable[float | None]) -> float | None:
    """Return the mean, or None if a value is unknown."""
    amounts = list(values)
    return None if None in amounts else _mean(amounts)


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()[:12]
