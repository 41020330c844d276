"""Tokens, price, time and loops of an answer, from Inspect's events."""

from collections.abc import Collection, Iterable, Sequence

from inspect_ai.event import Event, ModelEvent
from inspect_ai.log import EvalSample, transcript
from inspect_ai.model import ModelUsage, compute_model_cost
from inspect_ai.solver import TaskState

from ..types.trace import TraceRecord, read_record, system_events
from .call import is_unpaid
from .pricing import dollars, known_price, total_input_tokens, warn_of_unknown
from .recorded import is_recorded


def add_calls(record: TraceRecord, events: Iterable[Event]) -> None:
    """Add the tokens and dollars of all model calls to a record with its times.

    Times become None if batch mode, a cache or a recording makes them meaningless.
    """
    for event in events:
        if isinstance(event, ModelEvent):
            _add_call(record, event)
            is_replayed = event.cache == "read" or is_recorded(event.model)
            if event.config.batch or is_replayed:
                record.latency_ms = None
            if is_replayed:
                record.wall_ms = None


def recorded_or_measured(state: TaskState) -> TraceRecord:
    """Return the record of a sample, derived from Inspect's events if the solver keeps no record.

    In that case, a loop is a model call outside tools, and the times run from the beginning to
    the end of the solvers.
    """
    record = read_record(state)
    if record.system or record.loops:
        return record
    events, record.loops = system_events(transcript().events)
    _set_times(record, events)
    add_calls(record, events)
    if not record.loops:
        record.cost_usd = record.latency_ms = record.wall_ms = None
    return record


def usage_of_sample(sample: EvalSample, model: str, roles: Collection[str]) -> TraceRecord:
    """Return tokens, price and time of a sample whose solver kept no record, from Inspect's log.

    Times are the solvers'; they are unknown without the events at which these begin and end. Tokens
    and price are unknown if a role such as the grader is bound to the model under test, or if the
    total does not determine their meaning. Calls by scorers of this model without a role are
    included.

    Args:
        sample: A sample; only the events of the solvers' span are needed.
        model: The model under test.
        roles: Roles bound to this model.
    """
    record = TraceRecord(cost_usd=None)
    _set_times(record, system_events(sample.events).events)
    usage = sample.model_usage.get(model)
    others = _tokens(used for name, used in sample.model_usage.items() if name != model)
    is_shared = not sample.role_usage.keys().isdisjoint(roles)
    if usage is None or is_shared or _tokens(sample.role_usage.values()) > others:
        return record
    usage = restate(usage)
    if usage is None:
        return record
    record.input_tokens = total_input_tokens(usage)
    record.output_tokens = usage.output_tokens
    record.cost_usd = _fill_cost(model, usage).total_cost
    return record


def has_called(sample: EvalSample, model: str) -> bool:
    """Return whether a model was called for the answer, not only in a role such as grader."""
    usages = sample.model_usage
    is_beyond_roles = _tokens(usages.values()) > _tokens(sample.role_usage.values())
    is_cached = sample.output.usage is not None  # cached calls are not among the usages
    return is_cached or (model in usages and is_beyond_roles)


def _tokens(usages: Iterable[ModelUsage]) -> int:
    """Return the tokens of usages, whose stated totals may be missing."""
    return sum(usage.input_tokens + usage.output_tokens for usage in usages)


def restate(usage: ModelUsage) -> ModelUsage | None:
    """Return a usage whose input excludes cached tokens and whose output includes thinking.

    Versions of Inspect and providers differ in both, so the total decides. A cost computed under
    another convention is omitted.

    Returns:
        The usage itself if it has this meaning; None if its total fits none or several.
    """
    cached = total_input_tokens(usage) - usage.input_tokens
    thinking = usage.reasoning_tokens or 0
    if not cached and not thinking and not usage.total_tokens:
        return usage
    fitting_totals: set[tuple[int, int]] = set()
    for cached_within_input in (0, cached):
        for thinking_beside_output in (0, thinking):
            tokens = (
                usage.input_tokens - cached_within_input,
                usage.output_tokens + thinking_beside_output,
            )
            if tokens[0] >= 0 and sum(tokens) + cached == usage.total_tokens:
                fitting_totals.add(tokens)
    if len(fitting_totals) != 1:
        return None
    [(input_tokens, output_tokens)] = fitting_totals
    if (input_tokens, output_tokens) == (usage.input_tokens, usage.output_tokens):
        return usage
    update = {"input_tokens": input_tokens, "output_tokens": output_tokens, "total_cost": None}
    return usage.model_copy(update=update)


def _set_times(record: TraceRecord, events: Sequence[Event]) -> None:
    """Set the times from the first to the last event of a system, if there is any."""
    if events:
        record.latency_ms = round((events[-1].working_start - events[0].working_start) * 1000, 1)
        duration = events[-1].timestamp - events[0].timestamp
        record.wall_ms = round(duration.total_seconds() * 1000, 1)


def _add_call(record: TraceRecord, call: ModelEvent) -> None:
    usage = call.output.usage
    is_cached = call.cache == "read"
    record.cached_calls += is_cached
    if usage is None:
        if not (call.error or call.pending or is_unpaid(call.output)):
            record.cost_usd = None
        return
    usage = restate(usage) or usage
    record.input_tokens += total_input_tokens(usage)
    record.output_tokens += usage.output_tokens
    cost = dollars(call.model, _fill_cost(call.model, usage), batch=bool(call.config.batch))
    if cost is None:
        warn_of_unknown([call.model])
    has_price = cost is not None and record.cost_usd is not None
    record.cost_usd = (record.cost_usd or 0) + (cost or 0) if has_price else None
    if is_cached:
        record.cached_usd += cost or 0


def _fill_cost(model: str, usage: ModelUsage) -> ModelUsage:
    """Return the usage with the model's price, if it was unknown during the call."""
    if usage.total_cost is not None:
        return usage
    price = known_price(model)
    if price is None:
        return usage
    return usage.model_copy(update={"total_cost": compute_model_cost(price, usage)})
