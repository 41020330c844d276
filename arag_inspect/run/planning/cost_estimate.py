"""Estimate the cost of a run from earlier logs, or from a dry run without a language model."""

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from random import Random
from typing import NamedTuple

from inspect_ai import Task
from inspect_ai.log import EvalLog

from ..._util.errors import InputError, unreadable
from ..._util.log_files import find_logs, read_log
from ...judge.panel import default_grader_name
from ...models.pricing import known_price, set_prices
from ...models.run_task import ModelCall, calls_of, dry_pass
from ...report.load.systems import solver_of
from ..experiment import Experiment
from .extrapolation import Amount, extrapolate

_REPLAYED = 24
"""Number of texts in a dry run that only judges."""

_EARLIER_SAMPLES = 30
"""Samples read per earlier log."""


class CostLine(NamedTuple):
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


class _SampledCalls(NamedTuple):
    """Calls of some samples of a system, from which the cost of a run is extrapolated."""

    system: str
    samples: Sequence[Sequence[ModelCall]]
    source: str
    """Origin of the samples."""

    size: int
    """Number of samples of the run, each epoch counted."""

    batch: bool

    def lines(self, model: str, *, judge: bool) -> Iterator[CostLine]:
        """Yield the total for a model that answers or judges, if it is called at all."""
        calls = [_calls_of_role(sample, judge, model) for sample in self.samples]
        if any(calls):
            totals = extrapolate(calls, model, self.size, batch=self.batch)
            yield CostLine(
                self.system,
                model,
                judge,
                calls=totals.calls,
                input_tokens=totals.input_tokens,
                output_tokens=totals.output_tokens,
                dollars=totals.dollars if known_price(model) else None,
                source=self.source,
            )


def estimate_experiment(
    experiment: Experiment, earlier: Sequence[str] = (), *, samples: int | None = None
) -> list[CostLine]:
    """Estimate the cost of an experiment without calling a paid model.

    A system with earlier logs is estimated from their calls, the others from a dry run: three
    samples, answered by `offline/extractive` and judged with fixed replies, through the real
    prompts.

    Args:
        experiment: Planned experiment; its options `batch` and `model_cost_config` decide prices.
        earlier: Logs or folders of logs with the same systems.
        samples: Number of samples to count, if it differs from the prepared number.

    Raises:
        InputError: The task is unknown, the file of prices or an earlier log is unreadable, or
            a dry run fails.
    """
    set_prices(experiment.eval_options.get("model_cost_config"))
    batch = bool(experiment.eval_options.get("batch"))
    earlier_calls = _read_earlier(earlier)
    lines: list[CostLine] = []
    for system, _, system_task in experiment.system_tasks():
        ids = experiment.draw(system_task)
        size = (samples or len(ids)) * (experiment.epochs or system_task.epochs or 1)
        calls = earlier_calls.get(system) or dry_pass(system_task, ids)
        origin = "earlier logs" if system in earlier_calls else "a dry run"
        basis = _SampledCalls(system, calls, f"{len(calls)} samples of {origin}", size, batch)
        for model in experiment.models:
            lines += basis.lines(model, judge=False)
            for grader in experiment.graders or filter(None, [default_grader_name(model)]):
                lines += basis.lines(grader, judge=True)
    return lines


def estimate_judging(name: str, task: Task, graders: Sequence[str]) -> list[CostLine]:
    """Estimate the cost of judging a task's replayed answers, from a dry run."""
    ids = [sample.id for sample in task.dataset]
    shuffled = Random(0).sample(ids, len(ids))  # so that the first texts are of all kinds
    calls = dry_pass(task, shuffled, _REPLAYED)
    basis = _SampledCalls(name, calls, f"{len(calls)} texts of a dry run", len(ids), batch=False)
    return [*chain.from_iterable(basis.lines(grader, judge=True) for grader in graders)]


def check_budget(lines: Sequence[CostLine], most: float) -> None:
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
            "nothing was spent; lower --limit or raise --max-dollars"
        )


def total(lines: Sequence[CostLine]) -> Amount | None:
    """Return the dollars of all lines; None if a price is unknown.

    Errors are correlated across systems, so the interval ends are added.
    """
    dollars = Amount(0.0, 0.0, 0.0)
    for line in lines:
        if line.dollars is None:
            return None
        dollars = Amount(*map(sum, zip(dollars, line.dollars, strict=True)))
    return dollars


def max_call_costs(lines: Sequence[CostLine]) -> dict[str, float]:
    """Return the maximum cost of a call in dollars, by model."""
    max_costs: dict[str, float] = {}
    for line in lines:
        if line.dollars is not None:
            cost = line.dollars.high / max(line.calls.high, 1)
            max_costs[line.model] = max(max_costs.get(line.model, 0.0), cost)
    return max_costs


def _read_earlier(paths: Sequence[str]) -> dict[str, list[list[ModelCall]]]:
    """Return the calls in samples of earlier logs, by solver."""
    calls_by_system: dict[str, list[list[ModelCall]]] = {}
    for path in paths:
        try:
            for location, _ in find_logs(path):
                log = read_log(location)
                system = str(log.eval.task_args.get("system") or solver_of(log))
                calls = calls_by_system.setdefault(system, [])
                calls += _calls_of_samples(log)
        except Exception as error:  # a file that is not a log can raise any error
            raise InputError(f"earlier log {path} cannot be read: {unreadable(error)}") from None
    return calls_by_system


def _calls_of_samples(log: EvalLog) -> Iterator[list[ModelCall]]:
    """Yield the calls of the first samples of a log that did not fail."""
    answered = (s for s in log.samples or [] if s.error is None and s.epoch == 1)
    for sample in islice(answered, _EARLIER_SAMPLES):
        yield list(calls_of(sample, dry=False))


def _calls_of_role(sample: Sequence[ModelCall], judge: bool, model: str) -> list[ModelCall]:
    """Return the calls of the system, or of judge `model`, else of the first judge."""
    calls = [call for call in sample if call.judge == judge]
    if not judge or not calls:
        return calls
    names = {call.model for call in calls}
    judge_model = model if model in names else calls[0].model
    return [call for call in calls if call.model == judge_model]
