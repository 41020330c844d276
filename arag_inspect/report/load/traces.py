"""The traces of a log's samples: as recorded, restored from events, or measured by Inspect."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from inspect_ai.log import EvalLog, EvalSample, read_eval_log_sample
from pydantic import ValidationError

from ..._util.bounds import STEPS
from ...models.usage import usage_of_sample
from ...types.trace import TraceRecord, stored_trace, trace_fields
from .header import roles_of
from .systems import is_ours
from .values import clean_effort, impossible, number

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

    Returns:
        The trace; None if missing.
    """
    record, wrong = _validate(trace_fields(sample.store))
    if not record.system:
        effort = _measured_effort(sample, effort_scorers)
        wrong |= dict(clean_effort(effort))
        record = record.model_copy(update={"cost_usd": None, **effort})
    left_out += [impossible(sample.id, name, value) for name, value in wrong.items()]
    has_effort = record.loops or record.input_tokens
    has_record = record.system or record.searches or record.passages or has_effort
    return record if has_record else None


def trace_of_usage(log: EvalLog, sample: EvalSample, left_out: list[str]) -> TraceRecord:
    """Return the effort of a sample without a trace, which only logs of other packages have."""
    if is_ours(log):
        return TraceRecord(cost_usd=None)
    trace = usage_of_sample(sample, log.eval.model, roles_of(log.eval, log.eval.model))
    effort = {name: getattr(trace, name) for name in _EFFORT}
    left_out += [impossible(sample.id, *field) for field in clean_effort(effort)]
    return trace.model_copy(update=effort)


def _validate(fields: dict[str, Any]) -> tuple[TraceRecord, dict[str, Any]]:
    """Return a trace without the fields that are impossible, and these with their values."""
    wrong = dict(clean_effort(fields))
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
