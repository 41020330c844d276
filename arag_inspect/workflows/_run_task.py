"""Run a task of a workflow, which Inspect logs, retries and prices like any other."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import GenerateConfig, Model
from inspect_ai.solver import Solver

from .._util.errors import InputError
from ..models.provider_faults import bare

T = TypeVar("T")

FAILED = "reason"
"""Key of a sample's store with the reason why it has no result."""


def run_task(task: Task, model: str | Model, what: str, **options: Any) -> EvalLog:
    """Run a task with one model.

    Args:
        task: The task.
        model: The model.
        what: What the run does, for errors.
        options: Further arguments of `inspect_ai.eval`.

    Raises:
        InputError: It failed as a whole.
    """
    (log,) = eval(task, model=model, **options)
    if log.status != "success" or not log.samples:
        reason = bare(log.error.message) if log.error else log.status
        raise InputError(f"{what} ended with {reason}; see {log.location}")
    return log


def write_samples(
    name: str,
    samples: Sequence[Sample],
    solver: Solver,
    model: str | Model,
    what: str,
    config: GenerateConfig | None = None,
    **options: Any,
) -> EvalLog:
    """Let a model write something for each sample; one that fails leaves the others.

    Args:
        name: Name of the task and its data set.
        samples: The samples.
        solver: Asks the model.
        model: The model.
        what: What the run does, for errors.
        config: Settings of the model.
        options: Further arguments of `inspect_ai.eval`.

    Raises:
        InputError: The run failed as a whole.
    """
    task = Task(
        name=name,
        dataset=MemoryDataset(list(samples), name=name),
        solver=solver,
        config=config or GenerateConfig(),
        fail_on_error=False,
    )
    return run_task(task, model, what, **options)


def results_of(
    log: EvalLog, read: Callable[[EvalSample], T | None]
) -> tuple[dict[str, T], dict[str, str]]:
    """Return what was written for each sample, and why others have nothing.

    Args:
        log: Log of `write_samples`.
        read: Returns the result of a sample; None if it has none.
    """
    results: dict[str, T] = {}
    failed: dict[str, str] = {}
    for sample in log.samples or []:
        result = None if sample.error is not None else read(sample)
        if result is not None:
            results[str(sample.id)] = result
            continue
        reason = sample.error.message if sample.error else sample.store.get(FAILED)
        failed[str(sample.id)] = " ".join(str(reason or "it was not asked").split())
    return results, failed
