"""Convert a log to rows: run, answers, scores and verdicts."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from inspect_ai.log import EvalLog, EvalSample

from ..._util.names import file_name
from ...models.usage import has_called
from ...types.sample import CLUSTER_NOUN
from ...types.system import EXTERNAL
from ...types.trace import TraceRecord
from ..frames import NO_MODEL, Level, LogOptions, Notice
from ..rows import AnswerKeys, AnswerRow, RunRow, ScoreRow, VerdictRow
from .answers import answer_row, cluster_of
from .declining import RIGHTLY_DECLINED, declining_scores
from .header import EPOCHS, code_versions, key_of, run_row
from .measures import has_foreign_scorer
from .notices import impossible_values, log_notices, trace_notices
from .scores import LogScores
from .systems import is_ours
from .traces import read_trace, restore_traces
from .values import impossible

_BY_VECTORS = {"semantic_search", "hybrid_search"}
"""Searches that compare vectors."""


@dataclass(frozen=True, eq=False)
class Run:
    """Rows of a log or run."""

    row: RunRow
    answers: Sequence[AnswerRow]
    scores: Sequence[ScoreRow]
    verdicts: Sequence[VerdictRow]

    @cached_property
    def questions(self) -> dict[str, str]:
        """Text of each question, by sample."""
        return {answer.id: answer.input for answer in self.answers}

    @cached_property
    def signatures(self) -> dict[str, set[str]]:
        """Signatures of each scorer that has any."""
        signatures: dict[str, set[str]] = defaultdict(set)
        for score in self.scores:
            if score.signature:
                signatures[score.scorer].add(score.signature)
        return signatures


class ReadLog(NamedTuple):
    """Contents read from a log."""

    run: Run | None
    """None if there is no sample, or neither a score nor a trace."""

    notices: Sequence[Notice]
    """Omissions and doubts."""


def read_run(log: EvalLog, label: str | None, reading: LogOptions) -> ReadLog:
    """Turn a log into rows, without what is invalid, duplicate or impossible.

    Args:
        log: A log with its samples.
        label: Name that the user gave to its system.
        reading: Other user-supplied information about logs.
    """
    lost = restore_traces(log)
    samples = log.samples or []
    valid = [sample for sample in samples if sample.invalidation is None and sample.epoch in EPOCHS]
    distinct = sorted({key_of(sample): sample for sample in valid}.values(), key=key_of)
    log_scores = LogScores(log, distinct, reading.lower, reading.higher)
    effort_scorers = log_scores.scorers_of("cost")
    sample_traces = [read_trace(log, sample, effort_scorers) for sample in distinct]
    traces = [trace.record for trace in sample_traces if trace.is_recorded]
    row = run_row(log, distinct, label)
    row = row._replace(**_system_fields(log, row, distinct, traces))
    logged_noun = (log.eval.metadata or {}).get(CLUSTER_NOUN)
    clusters = [cluster_of(sample, reading.cluster, logged_noun) for sample in distinct]
    impossible_texts = _impossible_epochs(samples)
    for trace in sample_traces:
        impossible_texts += trace.impossible
    answers: list[AnswerRow] = []
    scores: list[ScoreRow] = []
    verdicts: list[VerdictRow] = []
    for sample, trace, (company, _) in zip(distinct, sample_traces, clusters, strict=True):
        sample_key = str(sample.id), sample.epoch
        keys = AnswerKeys(0, row.eval_id, sample.uuid, row.benchmark, "", *sample_key, company)
        sample_scores = log_scores.read(sample, keys, trace.record.skipped)
        codes = _error_codes(sample_scores.scores, log_scores.scorers_of("errors"))
        answers.append(answer_row(sample, trace.record, keys, row, codes))
        scores += sample_scores.scores
        verdicts += sample_scores.verdicts
        impossible_texts += sample_scores.impossible
    specs = {**log_scores.described.specs, RIGHTLY_DECLINED.key: RIGHTLY_DECLINED}
    declining = declining_scores(answers, specs, log_scores.measures)
    row = row._replace(
        measures=(*log_scores.measures, *dict.fromkeys(score.measure for score in declining)),
        declared=specs,
        graders=_graders(log, row, verdicts),
        cluster=next((noun for _, noun in clusters if noun), "sample"),
        impossible=impossible_values(impossible_texts) if impossible_texts else None,
    )
    entries = list(log_notices(log, row, lost, len(valid) - len(distinct), bool(traces)))
    entries += [("warning", text) for text in log_scores.notes]
    entries += trace_notices(row, traces)
    run = Run(row, answers, [*scores, *declining], verdicts)
    return ReadLog(None if "error" in dict(entries) else run, _notices(log, entries))


def _graders(log: EvalLog, row: RunRow, verdicts: Iterable[VerdictRow]) -> tuple[str, ...]:
    """Return the models that judged; a log that is scored again still lists the first judges."""
    judges = [verdict.judge for verdict in verdicts if verdict.judge]
    bound_graders = row.graders
    if judges and not has_foreign_scorer(log):
        bound_graders = tuple(grader for grader in bound_graders if grader in judges)
    return tuple(dict.fromkeys((*bound_graders, *judges)))


def _impossible_epochs(samples: Iterable[EvalSample]) -> list[str]:
    """Describe the epochs that no run of Inspect has."""
    return [
        impossible(sample.id, "epoch", sample.epoch)
        for sample in samples
        if sample.epoch not in EPOCHS
    ]


def _system_fields(
    log: EvalLog, row: RunRow, samples: Sequence[EvalSample], traces: Sequence[TraceRecord]
) -> dict[str, Any]:
    """Return what the header and the traces of a log say about its system."""
    solver = next((trace.system for trace in traces if trace.system), row.solver)
    model = _model_of(log, solver, row.parameters)
    made_with = dict(row.made_with)
    for trace in traces:
        made_with |= code_versions(trace.code_sha256)
    return {
        "solver": solver,
        "model": model,
        "model_wrote": model != NO_MODEL and _has_written(log, samples),
        "arithmetic": _arithmetic_of_searches(row.arithmetic, traces),
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


def _arithmetic_of_searches(corpus: str | None, traces: Sequence[TraceRecord]) -> str | None:
    """Return the arithmetic of a run's searches; None if they used no model."""
    searches = chain.from_iterable(trace.searches for trace in traces)
    tools = {search.tool for search in searches}
    names = {trace.reranked_in for trace in traces}
    if tools & _BY_VECTORS:
        names.add(corpus)
    unusual = sorted(filter(None, names - {"float32"}))
    return " and ".join(unusual) or ("float32" if "float32" in names else None)


def _error_codes(scores: Sequence[ScoreRow], taxonomies: Sequence[str]) -> tuple[str, ...] | None:
    """Return the error codes of taxonomies; None if none was applied to the sample."""
    codes = {
        score.measure.removeprefix(f"{score.scorer}."): score.value
        for score in scores
        if score.scorer in taxonomies and score.status == "scored"
    }
    applying = tuple(code for code, value in codes.items() if value > 0 and code != "any")
    return applying if codes else None


def _notices(log: EvalLog, entries: Iterable[tuple[Level, str]]) -> list[Notice]:
    """Return levels and texts as notices with the name of the log."""
    name = file_name(log.location)
    return [Notice(level, f"{name} {text}", log.location) for level, text in entries]
