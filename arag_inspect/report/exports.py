"""Export answers: of all systems as one table, and of one as records with traces and scores."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import pandas as pd

from ..measure import MeasureSpec, by_family
from ..types.calls import TracedCall, to_calls
from .frames import NOT_ANSWERED
from .study import Study, cached_per_study

_EFFORT = {
    "loops": "loops",
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "word_count": "words",
    "cost_usd": "cost_usd",
    "latency_ms": "latency_ms",
}
"""Columns of answers by field of a record."""

_COUNTS = ("words", "loops", "input_tokens", "output_tokens", "tokens")
"""Columns of answers that hold whole numbers as floats."""


_SAMPLE_COLUMNS = {
    "id": "id",
    "input": "question",
    "target": "reference",
    "company": "company",
    "question_type": "question type",
    "system": "system",
    "model": "model",
    "epoch": "epoch",
    "text": "answer",
    "outcome": "outcome",
    "error": "error",
    "words": "words",
    "cost_usd": "cost (USD)",
    "latency_ms": "latency (ms)",
}
"""Columns of answers that a reader needs, and their names in `samples.csv`."""


def samples_table(study: Study) -> pd.DataFrame:
    """Return a row per answer with question, reference, answer and the value of each measure.

    The answers to a question are together. `unscored` has the reasons of scorers for missing
    values, each with its measures.
    """
    labels = _column_names(study)
    values = study.by_answer.reindex(columns=list(labels)).rename(columns=labels)
    rank = {sample: number for number, sample in enumerate(study.sample_ids)}
    answers = study.answers[list(_SAMPLE_COLUMNS)].astype({"words": "Int64"})
    answers = answers.rename(columns=_SAMPLE_COLUMNS)
    answers = answers.sort_values("id", key=lambda ids: ids.map(rank), kind="stable")
    is_unscored = (study.scores["status"] == "unscored") & study.scores["measure"].isin(labels)
    unscored = study.scores[is_unscored]
    measures = unscored["measure"].map(labels).groupby([unscored["answer"], unscored["reason"]])
    reasons = [(answer, f"{reason} ({', '.join(names)})") for (answer, reason), names in measures]
    by_answer = pd.DataFrame(reasons, columns=["answer", "unscored"]).groupby("answer")
    table = answers.join(values).join(by_answer["unscored"].agg("; ".join))
    return table.assign(benchmark=study.name)


def predictions(study: Study, system: str) -> Iterator[dict[str, Any]]:
    """Yield the answers of a system as records of `predictions.jsonl`.

    A skipped or failed sample is marked, and has no prediction, cost or effort.
    `replay` holds the further fields with which the solver `replay` reproduces the scores.
    """
    for answer in _answers(study, system):
        retrieved = answer["context"] == "retrieved"
        calls = to_calls(answer["searches"], answer["passages"] if retrieved else ())
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
                "reads_once": answer["reads_once"],
                "returned": [asdict(passage) for passage in answer["returned"]],
                "stopped_by": answer["stopped_by"],
                "outcome": answer["outcome"],
                "wall_ms": answer["wall_ms"] if finished else None,
                "chunk_ids": [] if retrieved else [passage.chunk_id for passage in passages],
            },
            "trace": [_known_fields(call) for call in calls],
        }


def evaluated_predictions(study: Study, system: str) -> Iterator[dict[str, Any]]:
    """Yield the scores of a system as records of `predictions.eval.jsonl`.

    One record per answer; correctness is included if the run measured it.
    """
    exported = [
        spec for spec in by_family(study.catalogue.declared.values()) if _is_exported(study, spec)
    ]
    for answer in _answers(study, system):
        effort = _effort(answer)
        record = {"id": answer["id"], **_left_out(answer)}
        for spec in exported:
            record[spec.exported] = study.value(answer["answer"], spec.key)
            if spec.graded:
                scoring = study.scorings.get((answer["answer"], spec.scorer))
                record[f"{spec.exported}_reasoning"] = scoring.text if scoring else None
        record |= {name: effort[name] for name in ("word_count", "loops", "cost_usd", "latency_ms")}
        codes = answer["codes"]
        yield record | {"error_codes": None if codes is None else list(codes)}


@cached_per_study
def answer_records(study: Study) -> list[dict[str, Any]]:
    """Return answers as plain values for files: None for unknown values, integers for counts."""
    return [_plain_values(row) for row in study.answers.to_dict("records")]


def _column_names(study: Study) -> dict[str, str]:
    """Return a distinct label for each measure except cost, which has its own columns."""
    specs = [spec for spec in study.catalogue.specs if spec.family != "cost"]
    counts = Counter(spec.label for spec in specs)
    return {spec.key: spec.label if counts[spec.label] == 1 else spec.key for spec in specs}


def _answers(study: Study, system: str) -> list[dict[str, Any]]:
    return [answer for answer in answer_records(study) if answer["system"] == system]


def _effort(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the effort of an answer; empty if there is no answer."""
    if answer["outcome"] in NOT_ANSWERED:
        return dict.fromkeys(_EFFORT)
    effort = {field: answer[column] for field, column in _EFFORT.items()}
    return effort | {"loops": effort["loops"] or 0}


def _left_out(answer: dict[str, Any]) -> dict[str, Any]:
    """Return why there is no answer; empty if there is one."""
    reasons_by_outcome = {
        "skipped": {"skipped": True, "skip_reason": answer["error"]},
        "errored": {"error": answer["error"]},
    }
    return reasons_by_outcome.get(answer["outcome"], {})


def _known_fields(call: TracedCall) -> dict[str, Any]:
    return {key: value for key, value in call._asdict().items() if value is not None}


def _is_exported(study: Study, spec: MeasureSpec) -> bool:
    """Return whether records include a measure; measures of questions only if a run has them."""
    return bool(spec.exported) and (spec.decides != ("answer",) or spec.key in study.catalogue.keys)


def _plain_values(row: Mapping[Any, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in row.items():
        is_missing = value != value  # NaN
        if is_missing:
            values[name] = None
        else:
            values[name] = int(value) if name in _COUNTS else value
    return values
