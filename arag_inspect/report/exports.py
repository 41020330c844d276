"""Exports: predictions in ARagPoc's format, and one row per run."""

import csv
import io
from collections.abc import Iterator
from typing import Any

import pandas as pd
from pydantic_core import to_json

from .._util.csv_cells import csv_text
from .._util.errors import InputError
from .._util.files import digest
from ..types.calls import to_calls
from .benchmark import NOT_ANSWERED, Benchmark
from .tables.cost import judge_cost

_COST = "efficiency.cost_usd"
_LOG_COST = (_COST, "efficiency.latency_ms", "efficiency.loops")
_LOG_KEY = "eval_id"
_LARGE = ("searches", "passages", "details")
_EVALUATED = {
    "retrieval_recall": "retrieval_pr.recall",
    "retrieval_precision": "retrieval_pr.precision",
    "rouge2_f1": "rouge.rouge2",
    "bertscore_f1": "bertscore.bertscore_f1",
}
"""Measures by their names in `predictions.eval.jsonl`."""

_EFFORT = {
    name: "words" if name == "word_count" else name
    for name in ("loops", "input_tokens", "output_tokens", "word_count", "cost_usd", "latency_ms")
}


def predictions(benchmark: Benchmark, system: str) -> Iterator[dict[str, Any]]:
    """Yield the answers of a system as records of ARagPoc's `predictions.jsonl`.

    A skipped or failed sample is marked, and has no prediction, cost or effort.
    `replay` holds the further fields with which the solver `replay` reproduces the scores.
    """
    for answer in _answers(benchmark, system):
        retrieved = answer["context"] == "retrieved"
        finished = answer["outcome"] not in NOT_ANSWERED
        passages = answer["passages"]
        yield {
            "id": answer["id"],
            "source": answer["source"],
            "question": answer["input"],
            "ground_truth": answer["target"],
            "predicted": answer["text"] if finished else None,
            **_effort(answer),
            "max_loops_reached": answer["stopped_by"] == "max_loops",
            **_left_out(answer),
            "replay": {
                "epoch": answer["epoch"],
                "system": answer["answered_by"],
                "context": answer["context"],
                "stopped_by": answer["stopped_by"],
                "outcome": answer["outcome"],
                "wall_ms": answer["wall_ms"] if finished else None,
                "chunk_ids": [] if retrieved else [passage.chunk_id for passage in passages],
            },
            "trace": [
                {key: value for key, value in call._asdict().items() if value is not None}
                for call in to_calls(answer["searches"], passages if retrieved else ())
            ],
        }


def evaluated_predictions(benchmark: Benchmark, system: str) -> Iterator[dict[str, Any]]:
    """Yield the scores of a system as records of ARagPoc's `predictions.eval.jsonl`.

    One record per answer.
    """
    values = benchmark.by_answer.astype(object).where(benchmark.by_answer.notna(), None)
    by_answer = values.to_dict("index")
    for answer in _answers(benchmark, system):
        own, effort = by_answer.get(answer["answer"], {}), _effort(answer)
        record = {"id": answer["id"], **_left_out(answer)}
        for scorer in ("geval_faithfulness", "geval_coverage"):
            scoring = benchmark.scorings.get((answer["answer"], scorer))
            reasoning = scoring.text if scoring else None
            record |= {scorer: own.get(scorer), f"{scorer}_reasoning": reasoning}
        record |= {name: own.get(key) for name, key in _EVALUATED.items()}
        record |= {name: effort[name] for name in ("word_count", "loops", "cost_usd", "latency_ms")}
        codes = answer["codes"]
        yield record | {"error_codes": None if codes is None else list(codes)}


def plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose records, tuples and dictionaries are JSON, for files.

    Columns that another frame holds in parts, or that are as large as the log, are left out.
    """
    kept = frame.drop(columns=[name for name in _LARGE if name in frame])
    texts = kept.select_dtypes(object).columns
    return kept.assign(**{name: kept[name].map(_as_text) for name in texts})


def _as_text(value: object) -> object:
    if value is None or isinstance(value, str) or value != value:
        return None if value != value else value
    return to_json(value, fallback=str, inf_nan_mode="null").decode()


def log_rows(benchmark: Benchmark) -> list[dict[str, str]]:
    """Return one row per run: its settings and means.

    Rows are comparable if `questions` and `signatures` are equal: the digests of the
    answered samples (id and epoch) and of the measurements.
    Dollars are means per question, of the system and of its judges, and
    missing if one of them is unknown.
    """
    judging, rows = judge_cost(benchmark), []
    for system, answers in benchmark.by_system(benchmark.answers):
        run = benchmark.runs.loc[system]
        finished = answers[~answers["outcome"].isin(NOT_ANSWERED)]
        scores = benchmark.scores[benchmark.scores["system"] == system]
        questions = finished["id"] + " " + finished["epoch"].astype(str)
        judged = finished.index.isin(benchmark.verdicts["answer"])
        costs = judging.reindex(finished.index).where(judged, 0.0)
        row: dict[str, object] = {
            **run[[_LOG_KEY, "created", "task", "version", "dataset", "system", "model"]],
            "graders": " ".join(run["graders"]),
            "status": run["status"],
            "samples": len(answers),
            "skipped": int((answers["outcome"] == "skipped").sum()),
            "answered": len(finished),
            "questions": digest(*sorted(questions)),
            "corpus": (run["corpus"] or "")[:12],
            "signatures": digest(*sorted(scores["signature"].dropna().unique())),
            "judge_usd": costs.mean(skipna=False) if judged.any() else None,
            "log": run["location"],
        }
        means = scores.groupby("measure")["value"].agg(["mean", "count"])
        row |= {spec.key: means["mean"].get(spec.key) for spec in benchmark.main}
        for name in _LOG_COST:
            row |= {name: means["mean"].get(name), f"{name} n": means["count"].get(name, 0)}
        row[_COST] = finished["cost_usd"].mean(skipna=False)
        rows.append({name: "" if pd.isna(value) else str(value) for name, value in row.items()})
    return rows


def merge_log(existing: str, rows: list[dict[str, str]], location: str) -> str:
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


def _answers(benchmark: Benchmark, system: str) -> list[dict[str, Any]]:
    return [answer for answer in benchmark.records if answer["system"] == system]


def _effort(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the effort of an answer; empty if there is no answer."""
    if answer["outcome"] in NOT_ANSWERED:
        return dict.fromkeys(_EFFORT)
    effort = {name: answer[_EFFORT[name]] for name in _EFFORT}
    return effort | {name: effort[name] or 0 for name in ("loops", "input_tokens", "output_tokens")}


def _left_out(answer: dict[str, Any]) -> dict[str, Any]:
    """Return why there is no answer; empty if there is one."""
    why = {
        "skipped": {"skipped": True, "skip_reason": answer["error"]},
        "errored": {"error": answer["error"]},
    }
    return why.get(answer["outcome"], {})
