"""Estimate calls, tokens and dollars of a run, from a dry pass or earlier logs."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from inspect_ai import Task, eval
from inspect_ai.event import ModelEvent
from inspect_ai.log import (
    EvalLog,
    EvalSample,
    list_eval_logs,
    read_eval_log_sample,
    resolve_sample_attachments,
)
from inspect_ai.model import ModelCost, ModelUsage, compute_model_cost
from scipy.special import stdtrit

from .._util.errors import InputError, unreadable
from .._util.log_files import checked_log, read_log
from ..models.pricing import dollars, known_price, set_prices
from ..report.load.systems import solver_of
from .draw_samples import SEED, draw_samples
from .run_systems import make_tasks

DRY = "offline/extractive"
_SAMPLES = 3
"""Samples of a dry pass."""

_EARLIER_SAMPLES = 30
"""Samples read per earlier log."""

_CHARACTERS = 4.0
"""Characters per token in the dry pass; other models have 3.5 to 4.6 in English prose."""

_SMALLEST = {"haiku": 4096, "claude": 2048}
"""Fewest tokens that Anthropic caches, by a part of the model's name."""


class Amount(NamedTuple):
    """An estimate with its interval."""

    low: float
    mean: float
    high: float


class Line(NamedTuple):
    """Total for one system, or for one judge of it."""

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


@dataclass(frozen=True)
class _Case:
    """A model that differs from the dry pass."""

    characters: float = _CHARACTERS
    reply: float = 1.0
    turns: float = 1.0


_LOW, _MEAN, _HIGH = _Case(4.6, 0.5, 0.5), _Case(), _Case(3.5, 2.0, 2.0)


class _Call(NamedTuple):
    """A call of a model in one sample."""

    judge: bool
    model: str
    input_tokens: float
    output_tokens: float
    agent: bool
    """Whether tools were offered, so that the number of such calls depends on the model."""

    usage: ModelUsage | None
    """Dollars charged; None in a dry pass."""


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

    A system with earlier logs is estimated from their calls, the others
    from a dry pass: three samples, answered and judged by `offline/extractive`
    through the real prompts.

    Args:
        task: Name of a task of this package.
        systems: Values of its parameter `system`.
        models: Models that answer.
        graders: Models that judge; the answering model if none is named.
        limit: Samples of each run, drawn by `draw_samples`.
        sample_seed: Seed of the draw.
        samples: Number of samples to count, if it differs from the prepared number.
        epochs: Times that each sample is answered.
        parameters: More parameters of the task.
        batch: Whether calls are made in batch mode.
        earlier: Logs or folders of logs with the same systems.
        prices: Value of Inspect's `--model-cost-config`, which wins over the package's prices.

    Raises:
        InputError: The task is unknown, the file of prices or an earlier log cannot be read, or
            a dry pass fails.
    """
    set_prices(prices)
    earlier_calls = _read_earlier(earlier)
    lines: list[Line] = []
    for system, system_task in zip(
        systems, make_tasks(task, systems, parameters or {}), strict=True
    ):
        ids = draw_samples(system_task, limit, sample_seed)
        count = (samples or len(ids)) * (epochs or system_task.epochs or 1)
        sample_calls = earlier_calls.get(system) or _dry_pass(system_task, ids)
        basis = "earlier logs" if system in earlier_calls else "a dry pass"
        source = f"{len(sample_calls)} samples of {basis}"
        for model in models:
            for name, judge in ((model, False), *((grader, True) for grader in graders or [model])):
                calls = [_calls_of(sample, judge, name) for sample in sample_calls]
                if any(calls):
                    lines.append(_line(system, name, judge, calls, count, batch, source))
    return lines


def total(lines: Sequence[Line]) -> Amount | None:
    """Return the dollars of all lines; None if a price is unknown."""
    amounts = [line.dollars for line in lines if line.dollars is not None]
    if len(amounts) < len(lines):
        return None
    mean = sum(amount.mean for amount in amounts)
    # errors of systems are correlated, so the ends are added up
    return Amount(
        sum(amount.low for amount in amounts), mean, sum(amount.high for amount in amounts)
    )


def _dry_pass(task: Task, ids: Sequence[Any]) -> list[list[_Call]]:
    """Return the calls of a few samples, run without a language model."""
    positions = np.unique(np.linspace(0, len(ids) - 1, min(_SAMPLES, len(ids))).round().astype(int))
    with TemporaryDirectory() as folder:
        (log,) = eval(
            task,
            model=DRY,
            model_roles={"grader": DRY},
            sample_id=[ids[position] for position in positions],
            epochs=1,
            log_dir=folder,
            display="none",
        )
        if log.status != "success":
            reason = unreadable(ValueError(log.error.message if log.error else log.status))
            raise InputError(f"the dry pass for the estimate failed: {reason}")
        samples = (resolve_sample_attachments(sample) for sample in log.samples or [])
        return [list(_calls(sample, dry=True)) for sample in samples]


def _read_earlier(paths: Sequence[str]) -> dict[str, list[list[_Call]]]:
    """Return the calls of samples of earlier logs, by solver."""
    calls_by_system: dict[str, list[list[_Call]]] = {}
    for path in paths:
        try:
            logs = [log.name for log in list_eval_logs(path)] or [path]
            for location in logs:
                header = read_log(location, header_only=True)
                system = str(header.eval.task_args.get("system") or solver_of(header))
                calls = [list(_calls(sample, dry=False)) for sample in _some_samples(header)]
                calls_by_system.setdefault(system, []).extend(calls)
        except Exception as error:  # a file that is not a log can raise any error
            raise InputError(f"earlier log {path} cannot be read: {unreadable(error)}") from None
    return calls_by_system


def _some_samples(header: EvalLog) -> Iterator[EvalSample]:
    with checked_log(header.location) as path:
        for sample_id in (header.eval.dataset.sample_ids or [])[:_EARLIER_SAMPLES]:
            sample = read_eval_log_sample(path, id=sample_id, epoch=1)
            if sample.error is None:
                yield sample


def _calls(sample: EvalSample, *, dry: bool) -> Iterator[_Call]:
    for event in sample.events:
        if isinstance(event, ModelEvent) and event.error is None and event.output.usage:
            usage = event.output.usage
            cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
            if min(usage.input_tokens, usage.output_tokens, cached) < 0:
                raise ValueError(f"sample {sample.id} has a call of fewer than 0 tokens")
            tools = sum(len(json.dumps(tool.model_dump(exclude_none=True))) for tool in event.tools)
            yield _Call(
                event.role == "grader",
                event.model,
                usage.input_tokens + (tools / _CHARACTERS if dry else cached),
                usage.output_tokens,
                bool(event.tools),
                None if dry else usage,
            )


def _calls_of(sample: Sequence[_Call], judge: bool, model: str) -> list[_Call]:
    """Return the calls of the system, or of judge `model`, else of the first judge."""
    calls = [call for call in sample if call.judge == judge]
    if not judge or not calls:
        return calls
    names = {call.model for call in calls}
    judge_model = model if model in names else calls[0].model
    return [call for call in calls if call.model == judge_model]


def _line(
    system: str,
    model: str,
    judge: bool,
    samples: Sequence[Sequence[_Call]],
    count: int,
    batch: bool,
    source: str,
) -> Line:
    dry = any(call.usage is None for calls in samples for call in calls)
    cases = (_LOW, _MEAN, _HIGH) if dry else (_MEAN, _MEAN, _MEAN)
    totals = [[_sample_totals(calls, model, case, batch) for calls in samples] for case in cases]
    amounts = [
        _amount([[sample[index] for sample in case] for case in totals], count)
        for index in range(4)
    ]
    calls, input_tokens, output_tokens, cost = amounts
    priced = cost if known_price(model) else None
    return Line(system, model, judge, calls, input_tokens, output_tokens, priced, source)


def _amount(cases: Sequence[Sequence[float]], count: int) -> Amount:
    """Return the sum over all samples, extrapolated from the known ones.

    The ends are those of the 95 % prediction interval of the sum in the low and
    the high case.
    """
    low, mean, high = (np.array(values, dtype=float) for values in cases)
    n = len(mean)
    margins = [0.0, 0.0]
    if n > 1 and count > n:
        factor = float(stdtrit(n - 1, 0.975)) * count * math.sqrt(1 / n + 1 / count)
        margins = [float(bounds.std(ddof=1)) * factor for bounds in (low, high)]
    ends = low.mean() * count - margins[0], high.mean() * count + margins[1]
    least = float(low.min()) * count
    return Amount(max(float(ends[0]), least * 0.5), float(mean.mean()) * count, float(ends[1]))


def _sample_totals(
    calls: Sequence[_Call], model: str, case: _Case, batch: bool
) -> tuple[float, float, float, float]:
    """Return calls, tokens in and out, and dollars of one sample."""
    if case.turns != 1:
        calls = list(_with_turns(calls, case.turns))
    scale = _CHARACTERS / case.characters
    usages, before = [], 0.0
    for call in calls:
        input_tokens = call.input_tokens * scale
        output_tokens = call.output_tokens * scale * case.reply
        prefix = before if call.agent else None
        usages.append(call.usage or _charged(model, input_tokens, output_tokens, prefix))
        before = input_tokens + output_tokens
    cost = 0.0
    if price := known_price(model):
        for usage in usages:
            at_list = usage.model_copy(update={"total_cost": compute_model_cost(price, usage)})
            cost += dollars(model, at_list, batch=batch) or 0.0
    input_tokens = sum(call.input_tokens for call in calls) * scale
    output_tokens = sum(call.output_tokens for call in calls) * scale * case.reply
    return len(calls), input_tokens, output_tokens, cost


def _with_turns(calls: Sequence[_Call], factor: float) -> Iterator[_Call]:
    """Scale the number of the agent's turns, with its prompt growing as before."""
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


def _charged(
    model: str, input_tokens: float, output_tokens: float, before: float | None
) -> ModelUsage:
    """Return the charged usage of a call; agent turns use Anthropic's cache.

    Args:
        model: Name, with the provider.
        input_tokens: Tokens of the prompt.
        output_tokens: Tokens of the reply.
        before: Tokens of the turn before, which the prompt begins with; None for other calls.
    """
    least = next((size for part, size in _SMALLEST.items() if part in model), math.inf)
    if before is None or not model.startswith("anthropic/") or input_tokens < least:
        return ModelUsage(input_tokens=round(input_tokens), output_tokens=round(output_tokens))
    cached = before if before >= least else 0.0
    return ModelUsage(
        output_tokens=round(output_tokens),
        input_tokens_cache_read=round(cached),
        input_tokens_cache_write=round(max(0.0, input_tokens - cached)),
    )


def to_text(lines: Iterable[Line]) -> str:
    """Format the estimate as a table of at most 80 columns."""
    lines = list(lines)
    rows: list[tuple[str, ...]] = [("", "model", "calls", "tokens in", "out", "USD", "from", "to")]
    for line in lines:
        name = "  its judge" if line.judge else line.system
        rows.append((name, line.model.split("/")[-1], *_cells(line)))
    summed = total(lines)
    rows.append(("all", "", "", "", "", *(_usd(summed) if summed else ("?", "", ""))))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    widths[0] = min(widths[0], 18)
    widths[1] = min(widths[1], max(8, 80 - sum(widths) + widths[1] - 2 * (len(widths) - 1)))
    text = "\n".join(
        "  ".join(
            _cut(cell, width).ljust(width) if i < 2 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
    sources = "; ".join(dict.fromkeys(f"{line.system}: {line.source}" for line in lines))
    return f"{text}\n\n{sources}"


def _cells(line: Line) -> tuple[str, ...]:
    counts = (line.calls, line.input_tokens, line.output_tokens)
    money = ("?", "", "") if line.dollars is None else _usd(line.dollars)
    return (*(_thousands(amount.mean) for amount in counts), *money)


def _thousands(value: float) -> str:
    return f"{value:,.0f}" if value < 10_000 else f"{value / 1000:,.0f}k"


def _usd(amount: Amount) -> tuple[str, str, str]:
    return f"{amount.mean:,.2f}", f"{amount.low:,.2f}", f"{amount.high:,.2f}"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"
