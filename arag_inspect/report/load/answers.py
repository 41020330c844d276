"""The row of a sample's answer: what was asked and answered, how it ended, and its effort."""

from math import nan
from sys import intern
from typing import Any

from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessageSystem
from inspect_ai.util import Store
from pydantic import ValidationError

from ...models.recorded.provider import Replayed
from ...text.citations import without_marks
from ...text.model_marks import without_thoughts
from ...types.sample import SampleMetadata, group_of
from ...types.trace import TraceRecord
from ..frames import NOT_ANSWERED
from ..rows import AnswerKeys, AnswerRow, RunRow, SampleOutcome
from .values import first_line, or_nan

_STOPS: dict[str, SampleOutcome] = {
    "content_filter": "refused",
    "max_tokens": "truncated",
    "model_length": "truncated",
}


_METADATA = (
    "period",
    "style",
    "question_type",
    "question_reasoning",
    "undamaged_question",
    "source",
    "target_length",
    "gold",
    "evidence",
    "doc_ids",
    "facts",
)

_TRACE = ("stopped_by", "context", "reads_once", "returned", "cached_calls")


def answer_row(
    sample: EvalSample,
    trace: TraceRecord,
    keys: AnswerKeys,
    run: RunRow,
    codes: tuple[str, ...] | None,
) -> AnswerRow:
    """Return the row of a sample's answer, with the system's trace.

    Args:
        sample: A sample of a log.
        trace: Trace of the system.
        keys: Columns that the row shares with scores.
        run: Row of the run.
        codes: Error codes.
    """
    metadata = _read_sample_metadata(sample)
    outcome = _outcome(sample, trace)
    if outcome == "skipped":
        trace = trace.model_copy(update={"latency_ms": None, "wall_ms": None})
    read_gold = metadata.gold.find_in(passage.chunk_id for passage in trace.passages)
    return AnswerRow(
        **keys._asdict(),
        task_id=run.task_id,
        model=run.model,
        part=run.part,
        **{name: getattr(metadata, name) for name in _METADATA},
        input=_question(sample),
        system_message=_system_message(sample),
        target=sample.target if isinstance(sample.target, str) else "\n".join(sample.target),
        text=sample.output.completion,
        outcome=outcome,
        error=_error(sample, trace),
        answered_by=trace.system,
        **{name: getattr(trace, name) for name in _TRACE},
        words=nan if outcome in NOT_ANSWERED else _count_words(sample.output.completion),
        loops=trace.loops or nan,
        input_tokens=trace.input_tokens or nan,
        output_tokens=trace.output_tokens or nan,
        tokens=trace.input_tokens + trace.output_tokens or nan,
        skipped_tokens=or_nan(trace.skipped_tokens),
        cost_usd=or_nan(trace.cost_usd),
        latency_ms=or_nan(trace.latency_ms),
        wall_ms=or_nan(trace.wall_ms),
        **_replay_fields(sample),
        searches=tuple(trace.searches),
        passages=tuple(trace.passages),
        gold_missed=tuple(chunk for chunk in metadata.gold.chunk_ids if chunk not in read_gold),
        codes=codes,
    )


def _read_sample_metadata(sample: EvalSample) -> SampleMetadata:
    try:
        return SampleMetadata.model_validate(sample.metadata)
    except ValidationError:  # another package's data set may use a field differently
        return SampleMetadata()


def _question(sample: EvalSample) -> str:
    if isinstance(sample.input, str):
        return sample.input
    return "\n\n".join(message.text for message in sample.input)


def _system_message(sample: EvalSample) -> str:
    """Return the message with which a conversation begins; empty if it is not the system's."""
    first = sample.messages[0] if sample.messages else None
    return intern(first.text) if isinstance(first, ChatMessageSystem) else ""


def _count_words(answer: str) -> int:
    """Count the words of an answer, without thoughts and marks."""
    return len(without_marks(without_thoughts(answer)).split())


def _replay_fields(sample: EvalSample) -> dict[str, Any]:
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


def cluster_of(sample: EvalSample, key: str | None, logged_noun: object) -> tuple[str, str]:
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
        return name, logged_noun if isinstance(logged_noun, str) and logged_noun else "company"
    return name, "document"


def _outcome(sample: EvalSample, trace: TraceRecord) -> SampleOutcome:
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
