"""Convert a log to rows: run, answers, scores and verdicts; restore traces of a crashed log."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import chain
from sys import intern
from typing import Any, NamedTuple

from inspect_ai.log import EvalLog, EvalSample, read_eval_log_sample
from inspect_ai.model import ChatMessage
from inspect_ai.util import Store
from pydantic import ValidationError

from ..._util.bounds import STEPS
from ...models.recorded.provider import Replayed
from ...models.usage import has_called, usage_of_sample
from ...text.citations import without_marks
from ...text.model_marks import without_thoughts
from ...types.additions import additions
from ...types.sample import CLUSTER_NOUN, SampleMetadata, group_of
from ...types.trace import TraceRecord, stored_trace, trace_fields
from ..frames import NO_MODEL, NOT_ANSWERED, Level, LogOptions, Notice, Outcome, Row
from .doubts import doubts_of, impossible_values, mixture
from .header import EPOCHS, code_versions, key_of, roles_of, run_row
from .measures import clean_effort, first_line, headline_of, impossible, number
from .scores import LogScores
from .systems import is_ours, solver_of

_STOPS: dict[str, Outcome] = {
    "content_filter": "refused",
    "max_tokens": "truncated",
    "model_length": "truncated",
}

_METADATA = (
    "period",
    "style",
    "question_type",
    "question_reasoning",
    "source",
    "target_length",
    "gold",
    "evidence",
    "doc_ids",
    "facts",
)

_TRACE = (
    "stopped_by",
    "context",
    "reads_once",
    "cost_usd",
    "latency_ms",
    "wall_ms",
    "cached_calls",
)

_EFFORT = ("loops", "input_tokens", "output_tokens", "cost_usd", "latency_ms", "wall_ms")


def restore_traces(log: EvalLog) -> int:
    """Restore the traces that a crashed log lost, from the events of its samples.

    Returns:
        Number of answers of this package's systems whose trace is missing from the log.
    """
    if not is_ours(log):
        return 0
    lost = 0
    for sample in log.samples or []:
        if sample.error is None and not trace_fields(sample.store):
            with suppress(Exception):  # events that another program wrote can raise any error
                whole = read_eval_log_sample(
                    log.location,
                    sample.id,
                    sample.epoch,
                    resolve_attachments=True,
                    exclude_fields={"messages", "timelines", "error_retries"},
                )
                sample.store |= stored_trace(whole.events)
            lost += not trace_fields(sample.store)
    return lost


def read_trace(
    sample: EvalSample, effort_scorers: Sequence[str], left_out: list[str]
) -> TraceRecord | None:
    """Return a solver's trace, or the effort measured for a solver that keeps none.

    Args:
        sample: A sample of a log.
        effort_scorers: Scorers that measure the effort of a system.
        left_out: Collects descriptions of impossible values.

    Returns:
        The trace; None if missing.
    """
    fields = trace_fields(sample.store)
    wrong = dict(clean_effort(fields))
    searches = fields.get("searches")
    if isinstance(searches, list) and len(searches) > STEPS.maximum:
        fields["searches"] = searches[: STEPS.maximum]
        wrong["searches after the first"] = STEPS.maximum
    try:
        record = TraceRecord.model_validate(fields)
    except ValidationError as error:
        names = dict.fromkeys(str(item["loc"][0]) for item in error.errors())
        wrong |= {name: fields.pop(name) for name in names}
        unknown = {"cost_usd": None} if "cost_usd" in names else {}
        record = TraceRecord.model_validate(fields | unknown)
    if not record.system:
        measured: dict[str, Any] = {}
        for name in effort_scorers:
            score = (sample.scores or {}).get(name)
            values = score.value if score and isinstance(score.value, dict) else {}
            measured |= {key: values[key] for key in _EFFORT if number(values.get(key)) is not None}
        wrong |= dict(clean_effort(measured))
        record = record.model_copy(update={"cost_usd": None, **measured})
    left_out += [impossible(sample.id, name, value) for name, value in wrong.items()]
    has_effort = record.loops or record.input_tokens
    has_record = record.system or record.searches or record.passages or has_effort
    return record if has_record else None


def answer_row(
    sample: EvalSample,
    trace: TraceRecord,
    cluster: str | None = None,
    logged_noun: object = None,
) -> Row:
    """Return the row of a sample's answer, with the system's trace.

    Args:
        sample: A sample of a log.
        trace: Trace of the system.
        cluster: Metadata key or field that groups samples; None for the company, or else the only
            document.
        logged_noun: Noun for companies that the log states.
    """
    for passage in trace.passages:
        passage.text = intern(passage.text)  # systems read the same passages
    try:
        metadata = SampleMetadata.model_validate(sample.metadata)
    except ValidationError:  # another package's data set may use a field differently
        metadata = SampleMetadata()
    answer = sample.output.completion
    question = sample.input
    if not isinstance(question, str):
        question = "\n\n".join(map(_text_of, question))
    company, noun = _cluster(sample, metadata, cluster, logged_noun)
    tokens = trace.input_tokens or None, trace.output_tokens or None
    outcome = _outcome(sample, trace)
    if outcome == "skipped":
        trace = trace.model_copy(update={"latency_ms": None, "wall_ms": None})
    read = metadata.gold.found(passage.chunk_id for passage in trace.passages)
    return {
        "sample_id": sample.uuid,
        "id": str(sample.id),
        "epoch": sample.epoch,
        **{name: getattr(metadata, name) for name in _METADATA},
        "company": company,
        "cluster": noun,
        "part": "",
        "input": question,
        "target": sample.target if isinstance(sample.target, str) else "\n".join(sample.target),
        "text": answer,
        "outcome": outcome,
        "error": _error(sample, trace),
        "answered_by": trace.system,
        "words": None if outcome in NOT_ANSWERED else _count_words(answer),
        "loops": trace.loops or None,
        "input_tokens": tokens[0],
        "output_tokens": tokens[1],
        "tokens": sum(filter(None, tokens)) or None,
        **{name: getattr(trace, name) for name in _TRACE},
        **_replayed(sample),
        "searches": tuple(trace.searches),
        "passages": tuple(trace.passages),
        "gold_missed": tuple(chunk for chunk in metadata.gold.chunk_ids if chunk not in read),
    }


def _count_words(answer: str) -> int:
    """Count the words of an answer, without thoughts and marks."""
    return len(without_marks(without_thoughts(answer)).split())


def _replayed(sample: EvalSample) -> Row:
    """Return the fields of a sample about replayed recordings."""
    try:
        replayed = sample.store_as(Replayed)
    except ValidationError:  # of another program
        replayed = Replayed(store=Store())
    return {
        "recordings": tuple(replayed.of),
        "changed_prompts": max(0, replayed.changed),
        "unrecorded_verdicts": max(0, replayed.missing),
    }


def _text_of(message: ChatMessage) -> str:
    """Return the text of a message, with the kinds of other content in brackets."""
    parts = [] if isinstance(message.content, str) else message.content
    marks = (f"[{part.type}]" for part in parts if part.type != "text")
    return "\n".join(filter(None, (message.text, *marks)))


def _cluster(
    sample: EvalSample, metadata: SampleMetadata, key: str | None, logged_noun: object
) -> tuple[str, str]:
    """Return the group of a sample and the noun for such groups; both empty if it has none."""
    if key is not None:
        value = (sample.metadata or {}).get(key, getattr(sample, key, None))
        return "" if value is None else str(value), f"group by {key}"
    fields = sample.metadata or {}
    name = group_of(fields)
    if not name:
        return "", ""
    if group_of({"group": fields.get("group")}):
        return name, "group"
    if group_of({"company": fields.get("company")}):
        return name, _company_noun(logged_noun, metadata.style)
    return name, "document"


def _company_noun(logged_noun: object, style: str) -> str:
    """Return the noun for the `company` of samples: the log's, or else that of their style."""
    if isinstance(logged_noun, str) and logged_noun:
        return logged_noun
    return _nouns_by_style().get(style, "company")


@cache
def _nouns_by_style() -> Mapping[str, str]:
    """Return the nouns of the installed benchmarks, for logs that do not state theirs."""
    return {addition.style: addition.group for addition in additions() if addition.style}


def _outcome(sample: EvalSample, trace: TraceRecord) -> Outcome:
    if sample.error is not None:
        return "errored"
    if trace.skipped is not None:
        return "skipped"
    if sample.limit is not None:
        return "truncated"
    stopped = _STOPS.get(sample.output.stop_reason) if sample.output.choices else None
    return stopped or ("answered" if sample.output.completion.strip() else "empty")


def _error(sample: EvalSample, trace: TraceRecord) -> str | None:
    if sample.error is not None:
        return first_line(sample.error.message)
    if sample.limit is not None:
        return f"{sample.limit.type} limit of {sample.limit.limit:g}"
    return trace.skipped


_BY_VECTORS = {"semantic_search", "hybrid_search"}
"""Searches that compare vectors."""


class Run(NamedTuple):
    """Rows of one log; each score and verdict has the row of its answer as `of`."""

    row: Row
    answers: list[Row]
    scores: list[Row]
    verdicts: list[Row]


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
    kept_samples = sorted({key_of(sample): sample for sample in valid}.values(), key=key_of)
    scores = LogScores(log, kept_samples, reading.lower, reading.higher)
    effort_scorers = scores.scorers_of("cost")
    traces = [read_trace(sample, effort_scorers, left_out) for sample in kept_samples]
    run = Run(run_row(log, kept_samples), [], [], [])
    solver = next((trace.system for trace in traces if trace and trace.system), solver_of(log))
    logged_noun = (log.eval.metadata or {}).get(CLUSTER_NOUN)
    model = _model_of(log, solver, run.row["parameters"])
    for sample, trace in zip(kept_samples, traces, strict=True):
        trace = trace or _trace_of_usage(log, sample, left_out)
        answer = answer_row(sample, trace, reading.cluster, logged_noun)
        answer |= {"eval_id": log.eval.eval_id, "task_id": log.eval.task_id, "model": model}
        rows = list(scores.rows(sample, trace.skipped))
        verdicts = list(scores.verdicts(sample))
        answer["codes"] = _error_codes(rows, scores.scorers_of("errors"))
        for row in (*rows, *verdicts):
            row["of"] = answer
        run.answers.append(answer)
        run.scores.extend(rows)
        run.verdicts.extend(verdicts)
    for trace in filter(None, traces):
        run.row["made_with"] |= code_versions(trace.code_sha256)
    judges = dict.fromkeys(row["judge"] for row in run.verdicts if row["judge"])
    nouns = (row["cluster"] for row in run.answers if row["cluster"])
    run.row.update(
        label=label,
        measures=scores.measures,
        declared=scores.described.specs,
        headline=headline_of(log),
        solver=solver,
        model=model,
        model_wrote=model != NO_MODEL and _has_written(log, kept_samples),
        arithmetic=_arithmetic_of_searches(run.row["arithmetic"], traces),
        graders=run.row["graders"] or tuple(judges),
        cluster=next(nouns, "sample"),
    )
    left_out += scores.impossible
    run.row["impossible"] = impossible_values(left_out) if left_out else None
    doubts = list(doubts_of(log, run.row, lost, len(valid) - len(kept_samples), any(traces)))
    doubts += [("warning", text) for text in scores.notes]
    doubts += [("error", text) for text in mixture(run.row["corpus"], traces)]
    notices += _notices(log, doubts)
    return None if "error" in dict(doubts) else run


def _impossible_epochs(samples: Iterable[EvalSample]) -> list[str]:
    """Describe the epochs that no run of Inspect has."""
    return [
        impossible(sample.id, "epoch", sample.epoch)
        for sample in samples
        if sample.epoch not in EPOCHS
    ]


def _notices(log: EvalLog, doubts: Iterable[tuple[Level, str]]) -> list[Notice]:
    """Return doubts about a log as notices that name it."""
    name = log.location.split("/")[-1]
    return [Notice(level, f"{name} {text}", log.location) for level, text in doubts]


def _trace_of_usage(log: EvalLog, sample: EvalSample, left_out: list[str]) -> TraceRecord:
    """Return the effort of a sample without a trace, as far as Inspect's log has it.

    Args:
        log: Log of the sample; a system of this package has no effort without a trace.
        sample: The sample.
        left_out: Collects descriptions of impossible values.
    """
    if is_ours(log):
        return TraceRecord(cost_usd=None)
    trace = usage_of_sample(sample, log.eval.model, roles_of(log.eval, log.eval.model))
    effort = {name: getattr(trace, name) for name in _EFFORT}
    left_out += [impossible(sample.id, *field) for field in clean_effort(effort)]
    return trace.model_copy(update=effort)


def _model_of(log: EvalLog, solver: str, parameters: Mapping[str, Any]) -> str:
    """Return the model under test; an external system asks none that Inspect knows."""
    asks_none = solver == "external" and not parameters.get("bridge")
    return NO_MODEL if asks_none else log.eval.model


def _has_written(log: EvalLog, samples: Iterable[EvalSample]) -> bool:
    """Return whether the log's model wrote an answer, by the steps or tokens of a system of others."""
    generates = any(step.solver.split("(")[0] == "generate" for step in log.plan.steps)
    is_called = any(has_called(sample, log.eval.model) for sample in samples)
    return is_ours(log) or generates or is_called


def _arithmetic_of_searches(corpus: str | None, traces: Iterable[TraceRecord | None]) -> str | None:
    """Return the arithmetic of a run's searches; None if they used no model.

    Args:
        corpus: Arithmetic with which the corpus was embedded.
        traces: Traces of the system.
    """
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
