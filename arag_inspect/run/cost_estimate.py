"""Estimated cost of a run: calls, tokens and dollars.

Estimated from earlier logs, or from a dry pass without a language model.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from inspect_ai import Task
from inspect_ai.log import read_eval_log_sample
from inspect_ai.model import ModelCost, ModelUsage, compute_model_cost
from scipy.special import stdtrit

from .._util.errors import InputError, unreadable
from .._util.log_files import checked_log, find_logs, read_log
from ..judge.panel import default_judge
from ..models.pricing import dollars, known_price, set_prices
from ..models.run_task import CHARACTERS, ModelCall, calls_of, dry_pass
from ..report import Table
from ..report.load.systems import solver_of
from ..report.table import Usd
from .system_tasks import SEED, draw_samples, make_tasks

_REPLAYED = 24
"""Number of texts in a dry pass that only judges."""

_EARLIER_SAMPLES = 30
"""Samples read per earlier log."""

_SMALLEST = {"haiku": 4096, "claude": 2048}
"""Minimum tokens that Anthropic caches, by part of the model's name."""


class Amount(NamedTuple):
    """An estimate with its interval."""

    low: float
    mean: float
    high: float


class Line(NamedTuple):
    """Total for one system, or for one of its judges."""

    system: str
    model: str
    judge: bool
    calls: Amount
    input_tokens: Amount
    output_tokens: Amount
    dollars: Amount | None
    """None if the model has no known price."""

    source: str
    """Basis of the estimate."""


class _Case(NamedTuple):
    """How a model may differ from the dry pass."""

    characters: float = CHARACTERS
    reply: float = 1.0
    turns: float = 1.0


_MEAN = _Case()
_CASES = {"low": _Case(4.6, 0.5, 0.5), "mean": _MEAN, "high": _Case(3.5, 2.0, 2.0)}
"""Assumptions behind the parts of an `Amount`."""


def estimate_cost(
    task: str,
    systems: Sequence[str],
    models: Sequence[str],
    graders: Sequence[str] = (),
    *,
    limit: int | None = None,
    sample_seed: int = SEED,
    samples: int | None = None,
    epochs: int | None = None,
    parameters: Mapping[str, Any] | None = None,
    batch: bool = False,
    earlier: Sequence[str] = (),
    prices: str | Mapping[str, ModelCost] | None = None,
) -> list[Line]:
    """Estimate the cost of a run without calling a paid model.

    A system with earlier logs is estimated from their calls, the others from a dry pass: three
    samples, answered by `offline/extractive` and judged with fixed replies, through the real
    prompts.

    Args:
        task: Name of a task of this package.
        systems: Values of its parameter `system`.
        models: Models that answer.
        graders: Models that judge; the default judge if none is named.
        limit: Samples of each run, drawn by `draw_samples`.
        sample_seed: Seed of the draw.
        samples: Number of samples to count, if it differs from the prepared number.
        epochs: Times that each sample is answered.
        parameters: More parameters of the task.
        batch: Whether calls are made in batch mode.
        earlier: Logs or folders of logs with the same systems.
        prices: Value of Inspect's `--model-cost-config`, which overrides the package's prices.

    Raises:
        InputError: The task is unknown, the file of prices or an earlier log cannot be read, or
            a dry pass fails.
    """
    set_prices(prices)
    earlier_calls = _read_earlier(earlier)
    lines: list[Line] = []
    for system, system_task in make_tasks(task, systems, parameters or {}).items():
        ids = draw_samples(system_task, limit, sample_seed)
        count = (samples or len(ids)) * (epochs or system_task.epochs or 1)
        sample_calls = earlier_calls.get(system) or dry_pass(system_task, ids)
        basis = "earlier logs" if system in earlier_calls else "a dry pass"
        source = f"{len(sample_calls)} samples of {basis}"
        for model in models:
            judges = graders or filter(None, [default_judge(model)])
            roles = ((model, False), *((judge, True) for judge in judges))
            lines += _lines(system, sample_calls, roles, count, batch, source)
    return lines


def estimate_judging(name: str, task: Task, graders: Sequence[str]) -> list[Line]:
    """Estimate the cost of judging a task's replayed answers, from a dry pass.

    Args:
        name: Name of the lines.
        task: Task whose only costs are those of its scorers.
        graders: Models that judge.
    """
    ids = [sample.id for sample in task.dataset]
    calls = dry_pass(task, Random(0).sample(ids, len(ids)), _REPLAYED)  # texts of all kinds
    roles = [(grader, True) for grader in graders]
    return _lines(name, calls, roles, len(ids), False, f"{len(calls)} texts of a dry pass")


def _lines(
    system: str,
    samples: Sequence[Sequence[ModelCall]],
    models_and_roles: Iterable[tuple[str, bool]],
    count: int,
    batch: bool,
    source: str,
) -> list[Line]:
    """Return a line for each model that is asked, and for each that judges."""
    lines = []
    for name, judge in models_and_roles:
        calls = [_calls_of_role(sample, judge, name) for sample in samples]
        if not any(calls):
            continue
        amounts = _amounts(calls, name, count, batch)
        line = Line(
            system,
            name,
            judge,
            calls=amounts["calls"],
            input_tokens=amounts["input_tokens"],
            output_tokens=amounts["output_tokens"],
            dollars=amounts["dollars"] if known_price(name) else None,
            source=source,
        )
        lines.append(line)
    return lines


def check_budget(lines: Sequence[Line], most: float) -> None:
    """Raise if an estimate exceeds the spending limit.

    Raises:
        InputError: The estimate exceeds the limit, or the price of a model is unknown.
    """
    summed = total(lines)
    if summed is None:
        model = next(line.model for line in lines if line.dollars is None)
        raise InputError(
            f"{model} has no known price, so --max-dollars cannot be enforced; set its price with "
            "-- --model-cost-config FILE"
        )
    if summed.mean > most:
        raise InputError(
            f"the run would cost about ${summed.mean:,.2f}, more than --max-dollars {most:g}; "
            "nothing was spent: take fewer samples with --limit, or raise it"
        )


def total(lines: Sequence[Line]) -> Amount | None:
    """Return the dollars of all lines; None if a price is unknown.

    Errors are correlated across systems, so the interval ends are added.
    """
    dollars = Amount(0.0, 0.0, 0.0)
    for line in lines:
        if line.dollars is None:
            return None
        dollars = Amount(*map(sum, zip(dollars, line.dollars, strict=True)))
    return dollars


def max_call_costs(lines: Sequence[Line]) -> dict[str, float]:
    """Return the maximum cost of a call in dollars, by model."""
    max_costs: dict[str, float] = {}
    for line in lines:
        if line.dollars is not None:
            cost = line.dollars.high / max(line.calls.high, 1)
            max_costs[line.model] = max(max_costs.get(line.model, 0.0), cost)
    return max_costs


def _read_earlier(paths: Sequence[str]) -> dict[str, list[list[ModelCall]]]:
    """Return the calls of samples of earlier logs, by solver."""
    calls_by_system: dict[str, list[list[ModelCall]]] = {}
    for path in paths:
        try:
            for location, _ in find_logs(path):
                header = read_log(location, header_only=True)
                system = str(header.eval.task_args.get("system") or solver_of(header))
                ids = header.eval.dataset.sample_ids or []
                calls = _read_calls(location, ids[:_EARLIER_SAMPLES])
                calls_by_system.setdefault(system, []).extend(calls)
        except Exception as error:  # a file that is not a log can raise any error
            raise InputError(f"earlier log {path} cannot be read: {unreadable(error)}") from None
    return calls_by_system


def _read_calls(location: str, ids: Sequence[str | int]) -> Iterator[list[ModelCall]]:
    """Yield the calls of those samples of a log that did not fail."""
    with checked_log(location) as file:
        for sample_id in ids:
            sample = read_eval_log_sample(file, id=sample_id, epoch=1)
            if sample.error is None:
                yield list(calls_of(sample, dry=False))


def _calls_of_role(sample: Sequence[ModelCall], judge: bool, model: str) -> list[ModelCall]:
    """Return the calls of the system, or of judge `model`, else of the first judge."""
    calls = [call for call in sample if call.judge == judge]
    if not judge or not calls:
        return calls
    names = {call.model for call in calls}
    judge_model = model if model in names else calls[0].model
    return [call for call in calls if call.model == judge_model]


def _amounts(
    samples: Sequence[Sequence[ModelCall]], model: str, count: int, batch: bool
) -> dict[str, Amount]:
    """Extrapolate calls, tokens and dollars of some samples to all, by figure."""
    all_calls = [*chain.from_iterable(samples)]
    has_usage = all(call.usage is not None for call in all_calls)
    repeated = [[call for call in calls if not call.once] for calls in samples]
    asked_once = [call for call in all_calls if call.once]
    ends = {}
    for end, case in _CASES.items():
        assumed = _MEAN if has_usage else case
        by_sample = pd.DataFrame([_totals(calls, model, assumed, batch) for calls in repeated])
        once_totals = pd.Series(_totals(asked_once, model, assumed, batch))
        ends[end] = _extrapolate(by_sample, count, end) + once_totals
    by_figure = pd.DataFrame(ends).to_dict("index")
    return {str(figure): Amount(**amount) for figure, amount in by_figure.items()}


def _extrapolate(by_sample: pd.DataFrame, count: int, end: str) -> "pd.Series[float]":
    """Return the totals of `count` samples: their mean, or an end of the 95 % prediction interval.

    With the mean m and the standard deviation s of n samples, the interval of the sum is
    count * (m ± t(0.975, n - 1) * s * sqrt(1/n + 1/count)). Its lower end is at least half the sum
    that `count` samples as small as the smallest would have.
    """
    n = len(by_sample)
    expected = by_sample.mean() * count
    if end == "mean":
        return expected
    margin = 0.0 * expected
    if 1 < n < count:
        quantile = float(stdtrit(n - 1, 0.975))
        margin = by_sample.std() * quantile * count * math.sqrt(1 / n + 1 / count)
    if end == "high":
        return expected + margin
    return np.maximum(expected - margin, by_sample.min() * count * 0.5)


def _totals(calls: Sequence[ModelCall], model: str, case: _Case, batch: bool) -> dict[str, float]:
    """Return the number, tokens and dollars of some calls, by figure."""
    if case.turns != 1:
        calls = list(_scale_turns(calls, case.turns))
    scale = CHARACTERS / case.characters
    price = known_price(model)
    before = 0.0
    totals = {"calls": float(len(calls)), "input_tokens": 0.0, "output_tokens": 0.0, "dollars": 0.0}
    for call in calls:
        sent = call.input_tokens * scale
        received = call.output_tokens * scale * case.reply
        prefix = before if call.agent else None
        usage = call.usage or _estimate_usage(model, sent, received, prefix)
        if price:
            at_list = usage.model_copy(update={"total_cost": compute_model_cost(price, usage)})
            totals["dollars"] += dollars(model, at_list, batch=batch) or 0.0
        before = sent + received
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
    model: str, input_tokens: float, output_tokens: float, before: float | None
) -> ModelUsage:
    """Return the billed usage of a call; agent turns use Anthropic's cache.

    Args:
        model: Name, with the provider.
        input_tokens: Tokens of the prompt.
        output_tokens: Tokens of the reply.
        before: Tokens of the previous turn, with which the prompt begins; None for other calls.
    """
    min_cacheable_tokens = next(
        (size for part, size in _SMALLEST.items() if part in model), math.inf
    )
    if before is None or not model.startswith("anthropic/") or input_tokens < min_cacheable_tokens:
        return ModelUsage(input_tokens=round(input_tokens), output_tokens=round(output_tokens))
    cached = before if before >= min_cacheable_tokens else 0.0
    return ModelUsage(
        output_tokens=round(output_tokens),
        input_tokens_cache_read=round(cached),
        input_tokens_cache_write=round(max(0.0, input_tokens - cached)),
    )


def cost_text(lines: Sequence[Line], systems: Sequence[str] = ()) -> str:
    """Format an estimate for a terminal of 80 columns, each model below the system that asks it.

    Args:
        lines: The estimate.
        systems: Systems of the run; the text names those whose own model calls are unknown.
    """
    answering = {line.system for line in lines if not line.judge}
    missing = "calls no model of this run; its own cost is not estimated"
    unknown = [f"{system}: {missing}" for system in systems if system not in answering]
    if not lines:
        return "\n".join(unknown)
    rows: list[tuple[str | int | Usd | None, ...]] = []
    for system in dict.fromkeys(line.system for line in lines):
        if system in systems and system not in answering:
            rows.append((system, *(None,) * 6))
        of_system = [line for line in lines if line.system == system]
        for line in of_system:
            name = "  its judge" if line.judge and system in {*answering, *systems} else system
            indent = "    " if name.startswith(" ") else "  "
            name = f"{name}\n{indent}{line.model.split('/')[-1]}"
            amounts = (line.calls, line.input_tokens, line.output_tokens)
            counts = [round(amount.mean) for amount in amounts]
            rows.append((name, *counts, *_usd(line.dollars)))
    rows.append(("all", "", "", "", *_usd(total(lines))))
    columns = ("", "calls", "tokens in", "out", "USD", "from", "to")
    sources = dict.fromkeys(f"{line.system}: {line.source}" for line in lines)
    table = Table("cost", "", "", columns, tuple(rows)).as_text()
    return "\n".join([table, *sources, *unknown])


def _usd(amount: Amount | None) -> tuple[Usd | None, ...]:
    return (None,) * 3 if amount is None else (Usd(amount.mean), Usd(amount.low), Usd(amount.high))
