"""The row of a sample's answer: what was asked and answered, how it ended, and its effort."""

from sys import intern

from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessageSystem
from inspect_ai.util import Store
from pydantic import ValidationError

from ...models.recorded.provider import Replayed
from ...text.citations import without_marks
from ...text.model_marks import without_thoughts
from ...types.sample import SampleMetadata, group_of
from ...types.trace import TraceRecord
from ..frames import NOT_ANSWERED, Row
from ..rows import SampleOutcome
from .values import first_line

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

_TRACE = (
    "stopped_by",
    "skipped_tokens",
    "context",
    "reads_once",
    "cost_usd",
    "latency_ms",
    "wall_ms",
    "cached_calls",
)


def answer_row(
    sample: EvalSample, trace: TraceRecord, cluster: str | None, logged_noun: object
) -> Row:
    """Return the row of a sample's answer, with the system's trace.

    Args:
        sample: A sample of a log.
        trace: Trace of the system.
        cluster: Metadata key or field that groups samples; None for the company, or else the only
            document.
        logged_noun: Noun for the groups that the log states.
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
        question = "\n\n".join(message.text for message in question)
    group, noun = _cluster(sample, cluster, logged_noun)
    outcome = _outcome(sample, trace)
    if outcome == "skipped":
        trace = trace.model_copy(update={"latency_ms": None, "wall_ms": None})
    chunks_read = metadata.gold.find_in(passage.chunk_id for passage in trace.passages)
    return {
        "sample_id": sample.uuid,
        "id": str(sample.id),
        "epoch": sample.epoch,
        **{name: getattr(metadata, name) for name in _METADATA},
        "company": group,
        "cluster": noun,
        "part": "",
        "input": question,
        "system_message": _system_message(sample),
        "target": sample.target if isinstance(sample.target, str) else "\n".join(sample.target),
        "text": answer,
        "outcome": outcome,
        "error": _error(sample, trace),
        "answered_by": trace.system,
        "words": None if outcome in NOT_ANSWERED else _count_words(answer),
        "loops": trace.loops or None,
        "input_tokens": trace.input_tokens or None,
        "output_tokens": trace.output_tokens or None,
        "tokens": trace.input_tokens + trace.output_tokens or None,
        **{name: getattr(trace, name) for name in _TRACE},
        **_replay_fields(sample),
        "searches": tuple(trace.searches),
        "passages": tuple(trace.passages),
        "gold_missed": tuple(
            chunk for chunk in metadata.gold.chunk_ids if chunk not in chunks_read
        ),
    }


def _system_message(sample: EvalSample) -> str:
    """Return the message with which a conversation begins; empty if it is not the system's."""
    first = sample.messages[0] if sample.messages else None
    return intern(first.text) if isinstance(first, ChatMessageSystem) else ""


def _count_words(answer: str) -> int:
    """Count the words of an answer, without thoughts and marks."""
    return len(without_marks(without_thoughts(answer)).split())


def _replay_fields(sample: EvalSample) -> Row:
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


def _cluster(sample: EvalSample, key: str | None, logged_noun: object) -> tuple[str, str]:
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
