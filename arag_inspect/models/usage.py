"""Tokens, price, time and loops of an answer, by Inspect's events."""

from collections.abc import Iterable

from inspect_ai.event import Event, ModelEvent
from inspect_ai.log import EvalSample, transcript
from inspect_ai.model import ModelUsage, compute_model_cost
from inspect_ai.solver import TaskState

from ..types.trace import TraceRecord, recorded, system_events
from .context_window import unpaid
from .pricing import dollars, known_price, warn_of_unknown


def add_calls(record: TraceRecord, events: Iterable[Event]) -> None:
    """Add the tokens and dollars of all model calls to a record with its times.

    Times that batch mode or a cache made meaningless become None.
    """
    for event in events:
        if isinstance(event, ModelEvent):
            _add_call(record, event)
            if event.config.batch or event.cache == "read":
                record.latency_ms = None
    if record.cached_calls:
        record.wall_ms = None


def recorded_or_measured(state: TaskState) -> TraceRecord:
    """Return the record of a sample; of a solver that keeps none, by Inspect's events.

    Then a loop is a model call outside of tools, and the times are those from the beginning to
    the end of the solvers.
    """
    record = recorded(state)
    if record.system or record.loops:
        return record
    events, record.loops = system_events(transcript().events)
    if events:
        record.latency_ms = round((events[-1].working_start - events[0].working_start) * 1000, 1)
        duration = events[-1].timestamp - events[0].timestamp
        record.wall_ms = round(duration.total_seconds() * 1000, 1)
    add_calls(record, events)
    if not record.loops:
        record.cost_usd = record.latency_ms = record.wall_ms = None
    return record


def usage_of_sample(sample: EvalSample, model: str) -> TraceRecord:
    """Return tokens, price and time of a sample whose solver kept no record, by Inspect's log.

    Times are those of the whole sample, scorers included. Where a role such as the grader is
    bound to the model under test, tokens and price are unknown; calls of scorers that ask it
    without a role are included.

    Args:
        sample: A sample, its events not needed.
        model: The model under test.
    """
    record = TraceRecord(cost_usd=None)
    record.latency_ms = None if sample.working_time is None else sample.working_time * 1000
    record.wall_ms = None if sample.total_time is None else sample.total_time * 1000
    usage = sample.model_usage.get(model)
    others = sum(u.total_tokens for name, u in sample.model_usage.items() if name != model)
    if usage is None or sum(u.total_tokens for u in sample.role_usage.values()) > others:
        return record
    cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
    record.input_tokens, record.output_tokens = usage.input_tokens + cached, usage.output_tokens
    price = known_price(model)
    listed = compute_model_cost(price, usage) if price else None
    record.cost_usd = listed if usage.total_cost is None else usage.total_cost
    return record


def _add_call(record: TraceRecord, call: ModelEvent) -> None:
    usage = call.output.usage
    is_cached = call.cache == "read"
    record.cached_calls += is_cached
    if usage is None:
        if not (call.error or call.pending or unpaid(call.output)):
            record.cost_usd = None
        return
    cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
    record.input_tokens += usage.input_tokens + cached
    record.output_tokens += usage.output_tokens
    cost = dollars(call.model, _priced(call, usage), batch=bool(call.config.batch))
    if cost is None:
        warn_of_unknown([call.model])
    has_price = cost is not None and record.cost_usd is not None
    record.cost_usd = (record.cost_usd or 0) + (cost or 0) if has_price else None
    if is_cached:
        record.cached_usd += cost or 0


def _priced(call: ModelEvent, usage: ModelUsage) -> ModelUsage:
    """Return the usage with the model's price, if that was unknown during the call."""
    if usage.total_cost is not None or (price := known_price(call.model)) is None:
        return usage
    return usage.model_copy(update={"total_cost": compute_model_cost(price, usage)})
