"""Samples of a log as rows of answers, and traces that a crashed log lost."""

import math
from contextlib import suppress
from sys import intern
from typing import Any

from inspect_ai.log import EvalLog, EvalSample, read_eval_log_sample
from pydantic import ValidationError

from ..._util.registry import CLUSTERS
from ...text.citations import without_marks, without_thoughts
from ...types.sample import SampleMetadata, group_of
from ...types.trace import TraceRecord, stored_trace, trace_fields
from ..frames import Outcome, Row
from .values import clean_effort, first_line, impossible

_STOPS: dict[str, Outcome] = {
    "content_filter": "refused",
    "max_tokens": "truncated",
    "model_length": "truncated",
}
_METADATA = (
    *("period", "style", "question_type", "question_reasoning", "source"),
    *("target_length", "gold", "evidence", "doc_ids", "facts"),
)
_TRACE = ("stopped_by", "context", "cost_usd", "latency_ms", "wall_ms", "cached_calls")
_EFFORT = ("loops", "input_tokens", "output_tokens", "cost_usd", "latency_ms", "wall_ms")


def is_ours(log: EvalLog) -> bool:
    """Return whether a solver of this package answered, which keeps a trace."""
    return any(step.solver.startswith("arag_inspect/") for step in log.plan.steps)


def restore_traces(log: EvalLog) -> int:
    """Put the traces back that a crashed log lost, from the events of its samples.

    Returns:
        Answers of a system of this package whose trace is not in the log at all.
    """
    lost = 0
    for sample in (log.samples or []) if is_ours(log) else []:
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


def read_trace(sample: EvalSample, left_out: list[str]) -> TraceRecord | None:
    """Return a solver's trace, or what `efficiency` measured of a solver that keeps none.

    Args:
        sample: A sample of a log.
        left_out: Takes the fields that cannot be, in words.

    Returns:
        The trace; None if there is none.
    """
    fields = trace_fields(sample.store)
    wrong = dict(clean_effort(fields))
    try:
        record = TraceRecord.model_validate(fields)
    except ValidationError as error:
        names = dict.fromkeys(str(item["loc"][0]) for item in error.errors())
        wrong |= {name: fields.pop(name) for name in names}
        unknown = {"cost_usd": None} if "cost_usd" in names else {}
        record = TraceRecord.model_validate(fields | unknown)
    left_out += [impossible(sample.id, name, value) for name, value in wrong.items()]
    if not record.system:
        score = (sample.scores or {}).get("efficiency")
        values = score.value if score and isinstance(score.value, dict) else {}
        measured: dict[str, Any] = {"cost_usd": None}
        for name in _EFFORT:
            value = values.get(name)
            if isinstance(value, int | float) and math.isfinite(value):
                measured[name] = value
        record = record.model_copy(update=measured)
    has_record = record.system or record.searches or record.passages or record.loops
    return record if has_record else None


def answer_row(sample: EvalSample, trace: TraceRecord, cluster: str | None = None) -> Row:
    """Return the answer to a sample, with what the system did for it.

    Args:
        sample: A sample of a log.
        trace: What the system did.
        cluster: Metadata key or field of the samples that belong together; None for the company,
            or else the only document.
    """
    for passage in trace.passages:
        passage.text = intern(passage.text)  # systems read the same passages
    try:
        metadata = SampleMetadata.model_validate(sample.metadata)
    except ValidationError:  # another package's data set may use a field differently
        metadata = SampleMetadata()
    answer, question = sample.output.completion, sample.input
    if not isinstance(question, str):
        question = "\n\n".join(message.text for message in question)
    company, noun = _cluster(sample, metadata, cluster)
    tokens = trace.input_tokens or None, trace.output_tokens or None
    read = metadata.gold.found(passage.chunk_id for passage in trace.passages)
    return {
        "sample_id": sample.uuid,
        "id": str(sample.id),
        "epoch": sample.epoch,
        **{name: getattr(metadata, name) for name in _METADATA},
        "company": company,
        "cluster": noun,
        "input": question,
        "target": sample.target if isinstance(sample.target, str) else "\n".join(sample.target),
        "text": answer,
        "outcome": _outcome(sample, trace),
        "error": _error(sample, trace),
        "answered_by": trace.system,
        "words": len(without_marks(without_thoughts(answer)).split()),
        "loops": trace.loops or None,
        "input_tokens": tokens[0],
        "output_tokens": tokens[1],
        "tokens": sum(filter(None, tokens)) or None,
        **{name: getattr(trace, name) for name in _TRACE},
        "searches": tuple(trace.searches),
        "passages": tuple(trace.passages),
        "gold_missed": tuple(chunk for chunk in metadata.gold.chunk_ids if chunk not in read),
    }


def _cluster(sample: EvalSample, metadata: SampleMetadata, key: str | None) -> tuple[str, str]:
    """Return the group of a sample, and the noun for such groups; both empty without one."""
    if key is not None:
        value = (sample.metadata or {}).get(key, getattr(sample, key, None))
        return "" if value is None else str(value), f"group by {key}"
    name = group_of({key: getattr(metadata, key) for key in ("group", "company", "doc_ids")})
    if metadata.group:
        return name, "group"
    if metadata.company:
        return name, CLUSTERS.get(metadata.style, "company")
    return name, "document" if name else ""


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
