"""Values that cannot be are left out of a log."""

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score
from pydantic import ValidationError

from ...types.measures import MeasureSpec, find_measure
from ...types.scale import scale_of
from ...types.trace import TRACE_PREFIX, TraceRecord, trace_fields
from .declared import read_declared
from .scores import LARGEST, OUT_OF_RANGE, base_of, entries

_EFFORT = ("loops", "input_tokens", "output_tokens", "cost_usd", "cached_usd", "latency_ms")
_ROUNDING = 1e-5
"""How far single-precision arithmetic goes over the end of a range."""

_SHOWN = 3


def leave_out_impossible(log: EvalLog) -> str | None:
    """Leave out, in place, what is out of a measure's range, negative effort and epochs below 1.

    Args:
        log: A log with its samples.

    Returns:
        What was left out, for a notice; None if nothing was.
    """
    impossible = list(_clean(log))
    log.samples = [sample for sample in log.samples or [] if sample.epoch >= 1]
    if not impossible:
        return None
    more = f"; and {len(impossible) - _SHOWN:,} more" if len(impossible) > _SHOWN else ""
    values = (
        "1 value that cannot" if len(impossible) == 1 else f"{len(impossible):,} values that cannot"
    )
    return f"has {values} be, left out: {'; '.join(impossible[:_SHOWN])}{more}"


def _clean(log: EvalLog) -> Iterator[str]:
    declared = read_declared(log)
    find = cache(lambda scales, key: find_measure(key, declared, scales))
    for sample in log.samples or []:
        if sample.invalidation is not None:
            continue
        where = f"sample {str(sample.id)[:60]}"
        if sample.epoch < 1:
            yield f"{where}, epoch {_shown(sample.epoch)}"
            continue
        names = sample.scores or {}
        for name, score in names.items():
            scale = scale_of(score.metadata)
            scales = (scale,) if scale else ()
            scorer = base_of(name, names)
            for key, value in _clean_score(score, scorer, partial(find, scales)):
                yield f"{where}, {name}{key} {_shown(value)}"
        for key, value in _clean_record(sample.store):
            yield f"{where}, {key} {_shown(value)}"


def _clean_score(
    score: Score, scorer: str, spec: Callable[[str], MeasureSpec]
) -> Iterator[tuple[str, Any]]:
    """Yield the key and value of each figure left out of a score and of its judges."""
    own, figures = spec(scorer), score.value
    if isinstance(figures, dict):
        for key, value in figures.items():
            if not _possible(value, spec(f"{scorer}.{key}")):
                figures[key] = OUT_OF_RANGE
                yield f".{key}", value
    elif not _possible(figures, own):
        score.value = OUT_OF_RANGE
        yield "", figures
    metadata = score.metadata or {}
    by_judge = metadata.get("by_judge")
    if isinstance(by_judge, dict):
        for judge, value in by_judge.items():
            if not _possible(value, own):
                by_judge[judge] = None
                yield f" of judge {judge}", value
    for entry in entries(metadata.get("judges")):
        if own.graded and not _possible(entry.get("verdict"), own):
            yield f" of judge {entry.get('grader')}", entry["verdict"]
            entry["verdict"] = None
        for key, value in _clean_effort(entry):
            yield f", {key} of judge {entry.get('grader')}", value


def _clean_record(store: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the name and value of each field left out of a solver's record."""
    yield from _clean_effort(store, TRACE_PREFIX)
    try:
        TraceRecord.model_validate(trace_fields(store))
    except ValidationError as error:
        for name in dict.fromkeys(str(item["loc"][0]) for item in error.errors()):
            yield name, store.pop(TRACE_PREFIX + name)
            if name == "cost_usd":
                store[TRACE_PREFIX + name] = None  # unknown, not 0


def _clean_effort(fields: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the name and value of each effort that is negative, endless or no number."""
    for name in _EFFORT:
        value = fields.get(prefix + name)
        if isinstance(value, int | float) and not 0 <= value <= LARGEST:
            fields[prefix + name] = None if name in ("cost_usd", "cached_usd", "latency_ms") else 0
            yield name, value


def _possible(value: object, spec: MeasureSpec) -> bool:
    """Return whether a value is no number, or one that a measure can have.

    NaN is Inspect's sign for no value.
    """
    if not isinstance(value, int | float) or value != value:
        return True
    low = -LARGEST if spec.low is None else spec.low - _ROUNDING
    high = LARGEST if spec.high is None else spec.high + _ROUNDING
    return low <= value <= high


def _shown(value: object) -> str:
    if isinstance(value, int) and abs(value) > LARGEST:
        return "of too many digits"
    return f"{value:g}" if isinstance(value, int | float) else repr(value)[:40]
