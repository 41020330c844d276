"""The traces of a log's samples: as recorded, restored from events, or measured by Inspect."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from sys import intern
from typing import Any, NamedTuple

from inspect_ai.log import EvalLog, EvalSample, read_eval_log_sample
from pydantic import ValidationError

from ..._util.bounds import STEPS
from ...models.usage import usage_of_sample
from ...types.trace import TraceRecord, stored_trace, trace_fields
from .header import roles_of
from .systems import is_ours
from .values import impossible, number, split_effort

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


class SampleTrace(NamedTuple):
    """Actions of a system on a sample."""

    record: TraceRecord
    is_recorded: bool
    """Whether the log says more than Inspect's usage."""

    impossible: Sequence[str]
    """Descriptions of impossible values that it lacks."""


def read_trace(log: EvalLog, sample: EvalSample, effort_scorers: Sequence[str]) -> SampleTrace:
    """Return a solver's trace, or the effort that scorers or Inspect measured.

    Args:
        log: The log.
        sample: One of its samples.
        effort_scorers: Scorers that measure effort.
    """
    record, wrong = _validate(trace_fields(sample.store))
    for passage in record.passages:
        passage.text = intern(passage.text)  # systems read the same passages
    if not record.system:
        effort, wrong_effort = split_effort(_measured_effort(sample, effort_scorers))
        wrong |= wrong_effort
        record = record.model_copy(update={"cost_usd": None, **effort})
    texts = [impossible(sample.id, *field) for field in wrong.items()]
    has_effort = record.loops or record.input_tokens
    if record.system or record.searches or record.passages or has_effort:
        return SampleTrace(record, True, texts)
    record, wrong = _measured_usage(log, sample)
    texts += [impossible(sample.id, *field) for field in wrong.items()]
    return SampleTrace(record, False, texts)


def _measured_usage(log: EvalLog, sample: EvalSample) -> tuple[TraceRecord, dict[str, Any]]:
    """Return the effort of a sample without a trace, and its impossible values.

    Only logs of other packages have such samples.
    """
    if is_ours(log):
        return TraceRecord(cost_usd=None), {}
    trace = usage_of_sample(sample, log.eval.model, roles_of(log.eval, log.eval.model))
    effort, wrong = split_effort({name: getattr(trace, name) for name in _EFFORT})
    return trace.model_copy(update=effort), wrong


def _validate(stored: Mapping[str, Any]) -> tuple[TraceRecord, dict[str, Any]]:
    """Return a trace without the fields that are impossible, and these with their values."""
    fields, wrong = split_effort(stored)
    searches = fields.get("searches")
    if isinstance(searches, list) and len(searches) > STEPS.maximum:
        fields["searches"] = searches[: STEPS.maximum]
        wrong["searches after the first"] = STEPS.maximum
    try:
        return TraceRecord.model_validate(fields), wrong
    except ValidationError as error:
        names = dict.fromkeys(str(item["loc"][0]) for item in error.errors())
        wrong |= {name: fields.pop(name) for name in names}
        unknown = {"cost_usd": None} if "cost_usd" in names else {}
        return TraceRecord.model_validate(fields | unknown), wrong


def _measured_effort(sample: EvalSample, effort_scorers: Sequence[str]) -> dict[str, Any]:
    """Return the effort that scorers measured for a sample without a trace."""
    effort: dict[str, Any] = {}
    for name in effort_scorers:
        score = (sample.scores or {}).get(name)
        values = score.value if score and isinstance(score.value, dict) else {}
        effort |= {key: values[key] for key in _EFFORT if number(values.get(key)) is not None}
    return effort
