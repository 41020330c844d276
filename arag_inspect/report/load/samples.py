"""Samples of a log as rows of answers, and traces that a crashed log lost."""

import math
from collections.abc import Iterable
from typing import Any, Literal

from inspect_ai.log import EvalLog, EvalSample, read_eval_log_sample
from pydantic import ValidationError

from ..._util.registry import CLUSTERS
from ...text.citations import without_marks, without_thoughts
from ...types.sample import SampleMetadata, group_of
from ...types.trace import TraceRecord, stored_trace, trace_fields
from ..frames import Outcome, Row
from .scores import first_line

_Stopped = Literal["answered", "refused", "truncated"]
_STOPS: dict[str, _Stopped] = {
    "content_filter": "refused",
    "max_tokens": "truncated",
    "model_length": "truncated",
}

_METADATA = (
    *("company", "period", "style", "question_type", "question_reasoning", "source"),
    *("target_length", "gold", "evidence", "doc_ids", "facts"),
)
_TRACE = ("stopped_by", "context", "cost_usd", "latency_ms", "wall_ms", "cached_calls")


def is_ours(log: EvalLog) -> bool:
    """Return whether a solver of this package answered, which keeps a trace."""
    return any(step.solver.startswith("arag_inspect/") for step in log.plan.steps)


def restore_traces(log: EvalLog) -> int:
    """Put the traces back that a crashed log lost, from the events of its samples.

    Returns:
        Answers of a system of this package whose trace is not in the log at all.
    """
    if not is_ours(log):
        return 0
    lost = 0
    for sample in log.samples or []:
        if sample.error is None and not trace_fields(sample.store):
            try:
                whole = read_eval_log_sample(
                    log.location,
                    sample.id,
                    sample.epoch,
                    resolve_attachments=True,
                    exclude_fields={"messages", "timelines", "error_retries"},
                )
                sample.store |= stored_trace(whole.events)
            except Exception:  # events that another program wrote can raise any error
                pass
            lost += not trace_fields(sample.store)
    return lost


def read_trace(sample: EvalSample) -> TraceRecord | None:
    """Return a solver's trace; None if there is no valid one."""
    try:
        record = TraceRecord.model_validate(trace_fields(sample.store))
    except ValidationError:
        return None
    if not record.system:
        record = record.model_copy(update=_scored_effort(sample))
    has_record = record.system or record.searches or record.passages or record.loops
    return record if has_record else None


def _scored_effort(sample: EvalSample) -> dict[str, Any]:
    """Return what `efficiency` measured of a solver that keeps no record."""
    score = (sample.scores or {}).get("efficiency")
    values = score.value if score and isinstance(score.value, dict) else {}
    numbers = {
        name: value
        for name in ("loops", "input_tokens", "output_tokens", "cost_usd", "latency_ms", "wall_ms")
        if isinstance(value := values.get(name), int | float) and math.isfinite(value)
    }
    return {"cost_usd": None, **numbers}


def answer_row(
    sample: EvalSample, trace: TraceRecord, texts: dict[str, str], cluster: str | None = None
) -> Row:
    """Return the answer to a sample, with what the system did for it.

    Args:
        sample: A sample of a log.
        trace: What the system did.
        texts: Texts of passages that were read before, each kept once; it grows.
        cluster: Metadata key or field of the samples that belong together; None for the company,
            or else the only document.
    """
    for passage in trace.passages:
        passage.text = texts.setdefault(passage.text, passage.text)
    metadata = _metadata(sample)
    answer = sample.output.completion
    tokens = trace.input_tokens or None, trace.output_tokens or None
    read = metadata.gold.found(passage.chunk_id for passage in trace.passages)
    return {
        "sample_id": sample.uuid,
        "id": str(sample.id),
        "epoch": sample.epoch,
        **{name: getattr(metadata, name) for name in _METADATA},
        "company": _cluster(sample, metadata, cluster),
        "input": _input(sample),
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


def cluster_of(samples: Iterable[EvalSample], key: str | None) -> str:
    """Return the noun for the groups of samples: what `company` of an answer's row holds."""
    if key is not None:
        return f"group by {key}"
    for metadata in map(_metadata, samples):
        nouns = {"group": "group", "company": CLUSTERS.get(metadata.style, "company")}
        for name, noun in {**nouns, "doc_ids": "document"}.items():
            if group_of(metadata.model_dump(include={name})):
                return noun
    return "sample"


def _cluster(sample: EvalSample, metadata: SampleMetadata, key: str | None) -> str:
    if key is None:
        return group_of(metadata.model_dump(include={"group", "company", "doc_ids"}))
    value = (sample.metadata or {}).get(key, getattr(sample, key, None))
    return "" if value is None else str(value)


def _metadata(sample: EvalSample) -> SampleMetadata:
    try:
        return SampleMetadata.model_validate(sample.metadata)
    except ValidationError:  # another package's data set may use a field differently
        return SampleMetadata()


def _input(sample: EvalSample) -> str:
    if isinstance(sample.input, str):
        return sample.input
    return "\n\n".join(message.text for message in sample.input)


def _outcome(sample: EvalSample, trace: TraceRecord) -> Outcome:
    if sample.error is not None:
        return "errored"
    if trace.skipped is not None:
        return "skipped"
    if sample.limit is not None:
        return "truncated"
    stopped = _STOPS.get(sample.output.stop_reason, "answered") if sample.output.choices else None
    if stopped is not None and stopped != "answered":
        return stopped
    return "answered" if sample.output.completion.strip() else "empty"


def _error(sample: EvalSample, trace: TraceRecord) -> str | None:
    if sample.error is not None:
        return first_line(sample.error.message)
    if sample.limit is not None:
        return f"{sample.limit.type} limit of {sample.limit.limit:g}"
    return trace.skipped
