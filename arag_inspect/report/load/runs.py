"""Convert a log to rows: run, answers, scores and verdicts."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

from inspect_ai.log import EvalLog, EvalSample

from ..._util.names import file_name
from ...models.usage import has_called
from ...types.sample import CLUSTER_NOUN
from ...types.system import EXTERNAL
from ...types.trace import TraceRecord
from ..frames import NO_MODEL, Level, LogOptions, Notice, Row
from .answers import answer_row
from .declining import RIGHTLY_DECLINED, declining_scores
from .header import EPOCHS, code_versions, key_of, run_row
from .measures import has_foreign_scorer, headline_of
from .notices import impossible_values, log_notices, mixture, unused_tools
from .scores import LogScores
from .systems import is_ours, parameters_of, solver_of
from .traces import read_trace, restore_traces, trace_of_usage
from .values import impossible

_BY_VECTORS = {"semantic_search", "hybrid_search"}
"""Searches that compare vectors."""


@dataclass(eq=False)
class Run:
    """Rows of one log, or of one run; each score and verdict has the row of its answer as `of`."""

    row: Row
    answers: list[Row]
    scores: list[Row]
    verdicts: list[Row]

    @cached_property
    def questions(self) -> dict[str, str]:
        """Text of each question, by sample."""
        return {answer["id"]: answer["input"] for answer in self.answers}

    @cached_property
    def signatures(self) -> dict[str, set[str]]:
        """Signatures of each scorer that has any."""
        signatures: dict[str, set[str]] = defaultdict(set)
        for score in self.scores:
            if score.get("signature"):
                signatures[score["scorer"]].add(score["signature"])
        return signatures


def read_run(
    log: EvalLog, label: str | None, reading: LogOptions, notices: list[Notice]
) -> Run | None:
    """Turn a log into rows, without what is invalid, duplicate or impossible.

    Args:
        log: A log with its samples.
        label: Name that the user gave to its system.
        reading: Other user-supplied information about logs.
        notices: Collects notices of what is left out or in doubt.

    Returns:
        The rows; None if there is no sample, or neither a score nor a trace.
    """
    lost = restore_traces(log)
    samples = log.samples or []
    left_out = _impossible_epochs(samples)
    valid = [sample for sample in samples if sample.invalidation is None and sample.epoch in EPOCHS]
    distinct = sorted({key_of(sample): sample for sample in valid}.values(), key=key_of)
    scores = LogScores(log, distinct, reading.lower, reading.higher)
    effort_scorers = scores.scorers_of("cost")
    traces = [read_trace(sample, effort_scorers, left_out) for sample in distinct]
    run = Run(run_row(log, distinct), [], [], [])
    run.row.update(_system_fields(log, run.row, distinct, traces), label=label)
    logged_noun = (log.eval.metadata or {}).get(CLUSTER_NOUN)
    logged_ids = {"eval_id": log.eval.eval_id, "task_id": log.eval.task_id}
    for sample, trace in zip(distinct, traces, strict=True):
        trace = trace or trace_of_usage(log, sample, left_out)
        answer = answer_row(sample, trace, reading.cluster, logged_noun)
        answer |= logged_ids | {"model": run.row["model"]}
        rows = list(scores.rows(sample, trace.skipped))
        verdicts = list(scores.verdicts(sample))
        answer["codes"] = _error_codes(rows, scores.scorers_of("errors"))
        for row in (*rows, *verdicts):
            row["of"] = answer
        run.answers.append(answer)
        run.scores.extend(rows)
        run.verdicts.extend(verdicts)
    specs = {**scores.described.specs, RIGHTLY_DECLINED.key: RIGHTLY_DECLINED}
    declining = declining_scores(run.answers, specs, scores.measures)
    run.scores.extend(declining)
    nouns = (row["cluster"] for row in run.answers if row["cluster"])
    left_out += scores.impossible
    run.row.update(
        measures=(*scores.measures, *dict.fromkeys(score["measure"] for score in declining)),
        declared=specs,
        headline=headline_of(log),
        graders=_graders(log, run),
        cluster=next(nouns, "sample"),
        impossible=impossible_values(left_out) if left_out else None,
    )
    entries = list(log_notices(log, run.row, lost, len(valid) - len(distinct), any(traces)))
    entries += [("warning", text) for text in scores.notes]
    tools = parameters_of(log).get("tools")
    entries += [("warning", text) for text in unused_tools(tools, traces)]
    entries += [("error", text) for text in mixture(run.row["corpus"], traces)]
    notices += _notices(log, entries)
    return None if "error" in dict(entries) else run


def _graders(log: EvalLog, run: Run) -> tuple[str, ...]:
    """Return the models that judged; a log that is scored again still names the first ones."""
    judges = [row["judge"] for row in run.verdicts if row["judge"]]
    bound_graders = run.row["graders"]
    if judges and not has_foreign_scorer(log):
        bound_graders = [grader for grader in bound_graders if grader in judges]
    return tuple(dict.fromkeys((*bound_graders, *judges)))


def _impossible_epochs(samples: Iterable[EvalSample]) -> list[str]:
    """Describe the epochs that no run of Inspect has."""
    return [
        impossible(sample.id, "epoch", sample.epoch)
        for sample in samples
        if sample.epoch not in EPOCHS
    ]


def _system_fields(
    log: EvalLog, row: Row, samples: Sequence[EvalSample], traces: Sequence[TraceRecord | None]
) -> Row:
    """Return what the header and the traces of a log say about its system."""
    solver = next((trace.system for trace in traces if trace and trace.system), solver_of(log))
    model = _model_of(log, solver, row["parameters"])
    made_with = dict(row["made_with"])
    for trace in filter(None, traces):
        made_with |= code_versions(trace.code_sha256)
    return {
        "solver": solver,
        "model": model,
        "model_wrote": model != NO_MODEL and _has_written(log, samples),
        "arithmetic": _arithmetic_of_searches(row["arithmetic"], traces),
        "made_with": made_with,
    }


def _model_of(log: EvalLog, solver: str, parameters: Mapping[str, Any]) -> str:
    """Return the model under test; an external system asks none that Inspect knows."""
    asks_none = solver == EXTERNAL.name and not parameters.get("bridge")
    return NO_MODEL if asks_none else log.eval.model


def _has_written(log: EvalLog, samples: Iterable[EvalSample]) -> bool:
    """Return whether the model of a log wrote any of its answers, judging by steps or tokens."""
    generates = any(step.solver.split("(")[0] == "generate" for step in log.plan.steps)
    is_called = any(has_called(sample, log.eval.model) for sample in samples)
    return is_ours(log) or generates or is_called


def _arithmetic_of_searches(corpus: str | None, traces: Iterable[TraceRecord | None]) -> str | None:
    """Return the arithmetic of a run's searches; None if they used no model."""
    records = [trace for trace in traces if trace is not None]
    searches = chain.from_iterable(trace.searches for trace in records)
    tools = {search.tool for search in searches}
    names = {trace.reranked_in for trace in records}
    if tools & _BY_VECTORS:
        names.add(corpus)
    unusual = sorted(filter(None, names - {"float32"}))
    return " and ".join(unusual) or ("float32" if "float32" in names else None)


def _error_codes(scores: Sequence[Row], taxonomies: Sequence[str]) -> tuple[str, ...] | None:
    """Return the error codes of taxonomies; None if none was applied to the sample."""
    codes = {
        row["measure"].removeprefix(f"{row['scorer']}."): row["value"]
        for row in scores
        if row["scorer"] in taxonomies and row["value"] is not None
    }
    applying = tuple(code for code, value in codes.items() if value > 0 and code != "any")
    return applying if codes else None


def _notices(log: EvalLog, entries: Iterable[tuple[Level, str]]) -> list[Notice]:
    """Return levels and texts as notices that name the log."""
    name = file_name(log.location)
    return [Notice(level, f"{name} {text}", log.location) for level, text in entries]
