"""Traces: spans of OpenTelemetry and OpenInference, observations of Langfuse; a row per trace."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from typing import Any

from .names import VOCABULARY, normal
from .values import flatten, is_empty, json_in, number_of, passages_of, text_of

_NAMES = VOCABULARY["spans"]

_STANDARD = {"metadata", "tags", "version", "release", *chain.from_iterable(_NAMES.values())}
"""Names of attributes that tools set."""

_MARKS = {"span_id", "context.span_id", "parent_observation_id", "parent_run_id"}
"""Names that occur in spans but not in rows of a table."""

_OBSERVATION = {"trace_id", "type", "start_time"}
"""Names of a Langfuse observation that is exported without its parent."""

_EFFORT = ("input_tokens", "output_tokens", "cost_usd")
_NUMBERED = re.compile(r"(.+?)\.(\d{1,4})\.(.+)")
"""Name of a member of an item of a list: `llm.input_messages.0.message.content`."""

_FEEDBACK = re.compile(r"feedback_stats\.(.+)\.avg")
"""Mean of a feedback in a run of LangSmith."""

_SEARCH = re.compile(r"(?i)retriev|search|rerank")
"""Kinds and names of steps that output passages."""


@dataclass(frozen=True, slots=True)
class _TraceSpan:
    """A step of a trace."""

    span_id: str
    parent_id: str
    is_search: bool
    """Whether it outputs passages."""

    start: float
    seconds: float | None
    values: Mapping[str, Any]
    """Attributes and further members by normal name."""

    def first(self, names: Sequence[str]) -> Any:
        """Return the first value that is not empty."""
        return next((self.values[n] for n in names if not is_empty(self.values.get(n))), None)


def is_trace(row: Mapping[str, Any]) -> bool:
    """Return whether a row is a trace of Langfuse with its observations."""
    return isinstance(row.get("observations"), list) and ("input" in row or "output" in row)


def is_span(row: Mapping[str, Any]) -> bool:
    """Return whether a row is a span or an observation."""
    names = {normal(name) for name in row}
    context = row.get("context")
    names |= {f"context.{name}" for name in context} if isinstance(context, Mapping) else set()
    is_observation = normal(str(row.get("type"))) in _NAMES["observations"]
    if names >= _OBSERVATION and is_observation:
        return True
    return not names.isdisjoint(_NAMES["trace"]) and not names.isdisjoint(_MARKS)


def spans_of_trace(trace: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a trace and its observations as spans, the trace as their root."""
    trace_id = str(trace.get("id"))
    members = {key: value for key, value in trace.items() if key != "observations"}
    root = {**members, "traceId": trace_id, "id": f"trace {trace_id}", "parentObservationId": None}
    root["type"] = "trace"
    spans = [root]
    for number, item in enumerate(trace["observations"]):
        if isinstance(item, Mapping):
            parent = item.get("parentObservationId") or root["id"]
            step = {"id": f"{trace_id} {number}", **item}
            spans.append({**step, "traceId": trace_id, "parentObservationId": parent})
    return spans


def with_info_of_trace(
    spans: Sequence[Mapping[str, Any]], info: Mapping[str, Any]
) -> list[Mapping[str, Any]]:
    """Return spans of MLflow, the outermost with session, tokens and assessments of the trace."""
    metadata = info.get("trace_metadata")
    metadata = metadata if isinstance(metadata, Mapping) else {}
    members: dict[str, Any] = {
        "session_id": metadata.get("mlflow.trace.session"),
        "usage": metadata.get("mlflow.trace.tokenUsage"),
    }
    assessments = info.get("assessments")
    for assessment in assessments if isinstance(assessments, list) else ():
        if isinstance(assessment, Mapping):
            members |= _assessment(assessment)
    return [span if span.get("parent_span_id") else {**members, **span} for span in spans]


def _assessment(assessment: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a person or a judge of MLflow expects or finds, under the name of its member."""
    name = assessment.get("assessment_name")
    expectation, feedback = assessment.get("expectation"), assessment.get("feedback")
    if isinstance(expectation, Mapping):
        return {f"metadata.{name}": expectation.get("value")}
    if isinstance(feedback, Mapping):
        return {f"feedback_stats.{name}.avg": feedback.get("value")}
    return {}


def rows_of_spans(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number of each trace, and its question, answer, passages and effort as a row."""
    traces: dict[str, list[_TraceSpan]] = {}
    for row in rows:
        values = _values(row)
        trace = next((str(values[name]) for name in _NAMES["trace"] if values.get(name)), "")
        traces.setdefault(trace, []).append(_read_span(values))
    for number, (trace, spans) in enumerate(traces.items(), start=1):
        yield number, {"trace_id": trace, **_row(sorted(spans, key=lambda span: span.start))}


def _values(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members and attributes of a span by normal name."""
    members = dict(row)
    attributes = members.pop("attributes", None)
    texts = ("input", "output", "inputs", "outputs")
    unflattened = {normal(name): members.pop(name) for name in texts if name in members}
    events = members.pop("events", None)
    resource = members.pop("resource", None)
    resource_attributes = resource.get("attributes") if isinstance(resource, Mapping) else None
    values = {normal(name): value for name, value in flatten(members).items()} | unflattened
    attribute_values = _attributes(attributes)
    for name, value in values.items():
        if name.startswith("attributes."):
            attribute_values.setdefault(name.removeprefix("attributes."), value)
    values = {**_attributes(resource_attributes), **values, **attribute_values}
    for name, value in attribute_values.items():
        if "." not in name and name not in _STANDARD:  # the user's, such as expected_output
            values.setdefault(f"metadata.{name}", value)
    if isinstance(events, list):
        for event in events:
            if isinstance(event, Mapping):
                values |= _values_of_event(event)
    return {**_lists(values), **values, **_whole_usage(values)}


def _whole_usage(values: Mapping[str, Any]) -> dict[str, float]:
    """Return Langfuse's tokens with separately counted ones, such as `input_cached_tokens`.

    An export whose total is `input` plus `output` already includes them.
    """
    sides = ("input", "output")
    usage: dict[str, float] = {}
    for name, value in values.items():
        first, _, member = name.partition(".")
        if first == "usage_details":
            usage[member] = number_of(value) or 0
    total = usage.pop("total", None)
    if not usage.keys() & set(sides) or total == sum(usage.get(side, 0) for side in sides):
        return {}
    whole_usage = {}
    for side in sides:
        parts = [tokens for member, tokens in usage.items() if side in member]
        if parts:
            whole_usage[f"usage_details.{side}"] = sum(parts)
    return whole_usage


def _values_of_event(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes of an event, under the name of its message if any."""
    attributes = _attributes(event.get("attributes"))
    message = VOCABULARY["events"].get(event.get("name"))
    if not message:
        return attributes
    return {message: {name: json_in(value) or value for name, value in attributes.items()}}


def _attributes(source: Any) -> dict[str, Any]:
    """Return the attributes of a span or an event by normal name."""
    source = json_in(source) or source
    if isinstance(source, list):  # OTLP
        pairs = [item for item in source if isinstance(item, Mapping)]
        source = {str(item.get("key")): _otlp_value(item.get("value")) for item in pairs}
    if not isinstance(source, Mapping):
        return {}
    return {normal(name): value for name, value in flatten(source).items()}


def _lists(values: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the lists whose members are under numbered names."""
    lists: dict[str, dict[int, dict[str, Any]]] = {}
    for name, value in values.items():
        match = _NUMBERED.fullmatch(name)
        if match:
            items = lists.setdefault(match[1], {})
            items.setdefault(int(match[2]), {})[match[3]] = value
    ordered_lists = {}
    for name, items in lists.items():
        ordered_lists[name] = [items[number] for number in sorted(items)]
    return ordered_lists


def _otlp_value(value: Any, depth_left: int = 20) -> Any:
    """Return the value of an OTLP attribute as plain JSON."""
    if not isinstance(value, Mapping) or not depth_left:
        return None
    (kind, inner), *_ = [*value.items(), ("", None)]
    if kind in ("arrayValue", "array_value"):
        items = inner.get("values") if isinstance(inner, Mapping) else None
        return [_otlp_value(item, depth_left - 1) for item in items or []]
    if kind in ("kvlistValue", "kvlist_value"):
        items = inner.get("values") if isinstance(inner, Mapping) else None
        pairs = [item for item in items or [] if isinstance(item, Mapping)]
        return {
            str(item.get("key")): _otlp_value(item.get("value"), depth_left - 1) for item in pairs
        }
    return inner


def _read_span(values: Mapping[str, Any]) -> _TraceSpan:
    def first(*names: str) -> Any:
        return next((values[name] for name in names if not is_empty(values.get(name))), None)

    start = _parse_seconds(first("start_time_unix_nano", "start_time", "timestamp"))
    end = _parse_seconds(first("end_time_unix_nano", "end_time"))
    seconds = number_of(first("latency"))
    if seconds is None and start is not None and end is not None and end >= start:
        seconds = round(end - start, 6)
    kinds = [str(values[name]) for name in _NAMES["kind"] if not is_empty(values.get(name))]
    is_search = _is_search(str(first("name") or ""), kinds)
    ids = [str(first(*names) or "") for names in (_NAMES["span"], _NAMES["parent"])]
    return _TraceSpan(ids[0], ids[1], is_search, start or 0.0, seconds, values)


def _is_search(name: str, kinds: Sequence[str]) -> bool:
    """Return whether a step returns passages, by its kinds, else by its name."""
    if any(map(_SEARCH.search, kinds)):
        return True
    is_other = any(normal(kind) in _NAMES["other_kinds"] for kind in kinds)
    return not is_other and _SEARCH.search(name) is not None


def _parse_seconds(value: object) -> float | None:
    """Return a timestamp in seconds: an ISO date, or a number of s, ms, µs or ns."""
    number = number_of(value)
    if number is not None:
        digits = len(str(abs(int(number))))
        return number / {13: 1e3, 16: 1e6, 19: 1e9}.get(digits, 1.0)
    with suppress(ValueError):
        moment = datetime.fromisoformat(str(value))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return None


def _row(spans: Sequence[_TraceSpan]) -> dict[str, Any]:
    """Return the question, answer, passages and effort of a trace."""
    ids = {span.span_id for span in spans}
    roots = [span for span in spans if span.parent_id not in ids] or spans[:1]
    root = next((span for span in roots if span.first(_NAMES["input"]) is not None), roots[0])
    others = [span for span in spans if span is not root]
    if any(span.parent_id == root.span_id for span in others):
        root = replace(root, is_search=False)  # its output is the answer, whatever its name
    questions = (
        _text(span.first(_NAMES["input"]), _NAMES["asked"], "user") for span in (root, *others)
    )
    answering = [span for span in (root, *others[::-1]) if not span.is_search] or [root]
    answers = (
        _text(span.first(_NAMES["output"]), _NAMES["answered"], "assistant") for span in answering
    )
    sessions = (span.first(_NAMES["session"]) for span in spans)
    models = (span.first(_NAMES["model"]) for span in spans)
    passages = dict.fromkeys(chain.from_iterable(map(_passages, (root, *others))))
    searches = [span for span in (root, *others) if span.is_search]
    return {
        "question": next(filter(None, questions), ""),
        "response": next(filter(None, answers), ""),
        "retrieved_contexts": list(passages) if passages or searches else None,
        **{name: _sum_of_leaves(spans, _NAMES[name]) for name in _EFFORT},
        "latency_s": _seconds(root, roots, others),
        "error": next(filter(None, map(_error, (root, *others))), None),
        "session": next(filter(None, sessions), None),
        "model": next(filter(None, models), None),
        "scores": root.values.get("scores"),
        "example_id": root.first(_NAMES["example"]),
        **{name: root.first(names) for name, names in _NAMES["versions"].items()},
        **_metadata(root.values),
    }


def _seconds(
    root: _TraceSpan, roots: Sequence[_TraceSpan], others: Sequence[_TraceSpan]
) -> float | None:
    """Return how long a trace took: its root, else from its first start to its last end."""
    has_steps = any(span.parent_id == root.span_id for span in others)
    if root.seconds is not None and (has_steps or len(roots) == 1):
        return root.seconds
    timed_spans = [span for span in (root, *others) if span.start]
    ends = [span.start + span.seconds for span in timed_spans if span.seconds is not None]
    if not ends:
        return root.seconds
    return round(max(ends) - min(span.start for span in timed_spans), 6)


def _error(span: _TraceSpan) -> str:
    """Return the error of a failed step; empty for others."""
    if text_of(span.first(_NAMES["status"])).lower() not in _NAMES["failed"]:
        return ""
    return text_of(span.first(_NAMES["error"])) or "the trace has the status of an error"


def _metadata(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata and tags of a trace, and the mean of each feedback of LangSmith."""
    metadata = json_in(values.get("metadata"))
    metadata_of_trace: dict[str, Any] = {"tags": values.get("tags")}
    if isinstance(metadata, Mapping):
        metadata_of_trace |= flatten(metadata, "metadata.")
    for name, value in values.items():
        feedback = _FEEDBACK.fullmatch(name)
        if feedback:
            metadata_of_trace[f"feedback.{feedback[1]}"] = value
        elif name.startswith(("metadata.", "extra.metadata.")):
            metadata_of_trace[name.removeprefix("extra.")] = value
    return metadata_of_trace


def _text(value: object, names: Sequence[str], speaker: str, depth_left: int = 6) -> str:
    """Return the text of an input or output, which may be JSON with the text under a name."""
    value = json_in(value) or value
    if isinstance(value, Mapping) and depth_left:
        members = (_text(value.get(name), names, speaker, depth_left - 1) for name in names)
        return next(filter(None, members), "") or text_of(value, speaker)
    return text_of(value, speaker)


def _passages(span: _TraceSpan) -> Sequence[str]:
    """Return the passages that a step returned."""
    documents = span.first(_NAMES["documents"])
    if documents is None and span.is_search:
        documents = span.first([*_NAMES["output"], "gen_ai.tool.call.result"])
    return passages_of(documents)


def _sum_of_leaves(spans: Sequence[_TraceSpan], names: Sequence[str]) -> float | None:
    """Return the sum over the innermost steps with a number; None without any."""
    amounts: dict[str, float] = {}
    for span in spans:
        amount = number_of(span.first(names))
        if amount is not None:
            amounts[span.span_id] = amount
    parents = {span.span_id: span.parent_id for span in spans}
    ancestor_ids: set[str] = set()
    for span_id in amounts:
        parent = parents[span_id]
        while parent in parents and parent not in ancestor_ids:
            ancestor_ids.add(parent)
            parent = parents[parent]
    leaves = [amount for span_id, amount in amounts.items() if span_id not in ancestor_ids]
    return sum(leaves) if leaves else None
