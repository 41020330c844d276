"""Extrapolate the model calls of some samples to a whole run, with an interval."""

import math
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import pandas as pd
from inspect_ai.model import ModelUsage, compute_model_cost
from scipy.special import stdtrit

from ...models.pricing import dollars, known_price
from ...models.run_task import CHARACTERS, ModelCall

_MIN_CACHEABLE_TOKENS = {"haiku": 4096, "claude": 2048}
"""Minimum tokens that Anthropic caches, by part of the model's name."""


class Amount(NamedTuple):
    """An estimate with its interval."""

    low: float
    mean: float
    high: float


class RunTotals(NamedTuple):
    """Totals of a run for one model in one role."""

    calls: Amount
    input_tokens: Amount
    output_tokens: Amount
    dollars: Amount
    """Zero if the model has no known price."""


class _Case(NamedTuple):
    """How a model may differ from the dry run."""

    characters: float = CHARACTERS
    """Characters per token."""

    reply: float = 1.0
    """Length of a reply relative to the dry run."""

    turns: float = 1.0
    """Number of an agent's turns relative to the dry run."""


_MEAN = _Case()
_CASES = {"low": _Case(4.6, 0.5, 0.5), "mean": _MEAN, "high": _Case(3.5, 2.0, 2.0)}
"""Assumptions behind the parts of an `Amount`."""


def extrapolate(
    samples: Sequence[Sequence[ModelCall]], model: str, count: int, *, batch: bool
) -> RunTotals:
    """Extrapolate calls, tokens and dollars of some samples to all.

    Args:
        samples: Calls of each sample in one role.
        model: Model that is to answer them.
        count: Number of samples of the run, each epoch counted.
        batch: Whether calls are made in batch mode.
    """
    all_calls = [*chain.from_iterable(samples)]
    has_usage = all(call.usage is not None for call in all_calls)
    repeated = [[call for call in calls if not call.once] for calls in samples]
    asked_once = [call for call in all_calls if call.once]
    ends = {}
    for end, case in _CASES.items():
        assumed = _MEAN if has_usage else case
        sample_totals = pd.DataFrame([_totals(calls, model, assumed, batch) for calls in repeated])
        once_totals = pd.Series(_totals(asked_once, model, assumed, batch))
        ends[end] = _scale(sample_totals, count, end) + once_totals
    amounts = pd.DataFrame(ends).to_dict("index")
    return RunTotals(**{str(figure): Amount(**amount) for figure, amount in amounts.items()})


def _totals(calls: Sequence[ModelCall], model: str, case: _Case, batch: bool) -> dict[str, float]:
    """Return the number, tokens and dollars of some calls, by field of `RunTotals`."""
    if case.turns != 1:
        calls = list(_scale_turns(calls, case.turns))
    scale = CHARACTERS / case.characters
    price = known_price(model)
    previous_tokens = 0.0
    totals = {"calls": float(len(calls)), "input_tokens": 0.0, "output_tokens": 0.0, "dollars": 0.0}
    for call in calls:
        sent = call.input_tokens * scale
        received = call.output_tokens * scale * case.reply
        prefix = previous_tokens if call.agent else None
        usage = call.usage or _estimate_usage(model, sent, received, prefix)
        if price:
            priced_usage = usage.model_copy(update={"total_cost": compute_model_cost(price, usage)})
            totals["dollars"] += dollars(model, priced_usage, batch=batch) or 0.0
        previous_tokens = sent + received
        totals["input_tokens"] += sent
        totals["output_tokens"] += received
    return totals


def _scale_turns(calls: Sequence[ModelCall], factor: float) -> Iterator[ModelCall]:
    """Scale the number of an agent's turns, with the prompt growing at the same rate."""
    turns = [call for call in calls if call.agent]
    yield from (call for call in calls if not call.agent)
    if len(turns) < 2:
        yield from turns
        return
    count = max(1, round(len(turns) * factor))
    growth = (turns[-1].input_tokens - turns[0].input_tokens) / (len(turns) - 1)
    for index in range(count):
        turn = turns[-1] if index == count - 1 else turns[min(index, len(turns) - 2)]
        tokens = turns[min(index, len(turns) - 1)].input_tokens
        yield turn._replace(input_tokens=tokens + max(0, index - len(turns) + 1) * growth)


def _estimate_usage(
    model: str, input_tokens: float, output_tokens: float, prefix: float | None
) -> ModelUsage:
    """Return the billed usage of a call; agent turns use Anthropic's cache.

    Args:
        model: Name, with the provider.
        input_tokens: Tokens of the prompt.
        output_tokens: Tokens of the reply.
        prefix: Tokens of the previous turn, with which the prompt begins; None for other calls.
    """
    least = next((size for part, size in _MIN_CACHEABLE_TOKENS.items() if part in model), math.inf)
    if prefix is None or not model.startswith("anthropic/") or input_tokens < least:
        return ModelUsage(input_tokens=round(input_tokens), output_tokens=round(output_tokens))
    cached = prefix if prefix >= least else 0.0
    return ModelUsage(
        output_tokens=round(output_tokens),
        input_tokens_cache_read=round(cached),
        input_tokens_cache_write=round(max(0.0, input_tokens - cached)),
    )


def _scale(sample_totals: pd.DataFrame, count: int, end: str) -> "pd.Series[float]":
    """Return the totals of `count` samples: their mean, or an end of the 95 % prediction interval.

    With the mean m and the standard deviation s of n samples, the interval of the sum is count * (m
    ± t(0.975, n - 1) * s * sqrt(1/n + 1/count)). Its lower end is at least half of `count` times
    the smallest sample.
    """
    n = len(sample_totals)
    expected = sample_totals.mean() * count
    if end == "mean":
        return expected
    margin = 0.0 * expected
    if 1 < n < count:
        quantile = float(stdtrit(n - 1, 0.975))
        margin = sample_totals.std() * quantile * count * math.sqrt(1 / n + 1 / count)
    if end == "high":
        return expected + margin
    return np.maximum(expected - margin, sample_totals.min() * count * 0.5)
