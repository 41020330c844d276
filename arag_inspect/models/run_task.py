"""Run internal tasks, logged, retried and priced by Inspect, and list their calls."""

import json
from collections.abc import Callable, Iterator, Sequence
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeVar

import numpy as np
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog, EvalSample, resolve_sample_attachments
from inspect_ai.model import GenerateConfig, Model, ModelUsage
from inspect_ai.solver import Solver
from inspect_ai.tool import ToolInfo

from .._util.errors import InputError
from .._util.progress import SampleProgress
from ..prompts import load_prompt
from .call_monitor import watching
from .dry import dry_grader
from .pricing import total_input_tokens
from .provider_faults import bare
from .request_key import RequestKey, key_of

T = TypeVar("T")

FAILED = "reason"
"""Store key of the reason why a sample has no result."""

_WRITER = "offline/extractive"
_SAMPLES = 3
"""Number of samples in a dry run."""

_LONGEST_REASON = 1_700
"""Maximum characters shown of the error that ended a run."""

CHARACTERS = 4.0
"""Characters per token in the dry run; other models have 3.5 to 4.6 in English prose."""

_REPLY = 100
"""Minimum tokens of a reply in prose; fixed replies give fewer reasons than models."""

_CRITERIA = load_prompt("judge/geval_criteria").partition("{{")[0]


def run_task(
    task: Task,
    model: str | Model,
    subject: str,
    *,
    progress: SampleProgress | None = None,
    **options: Any,
) -> EvalLog:
    """Run a task with one model.

    Args:
        task: The task.
        model: The model.
        subject: Subject of messages, e.g. "the demo".
        progress: Shows how many samples have ended.
        options: Further arguments of `inspect_ai.eval`.

    Raises:
        InputError: The run failed as a whole.
    """
    with watching(stops=False, progress=progress):
        logs = eval(task, model=model, **options)
    if not logs:
        raise InputError(f"{subject} was interrupted")
    (log,) = logs
    if log.status != "success" or not log.samples:
        reason = bare(log.error.message, _LONGEST_REASON) if log.error else log.status
        raise InputError(f"{subject} failed: {reason}; see {log.location}")
    return log


def write_samples(
    name: str,
    samples: Sequence[Sample],
    solver: Solver,
    model: str | Model,
    subject: str,
    config: GenerateConfig | None = None,
    **options: Any,
) -> EvalLog:
    """Let a model write something for each sample; a failed sample does not affect the others.

    Args:
        name: Name of the task and its data set.
        samples: The samples.
        solver: Asks the model.
        model: The model.
        subject: Subject of messages, e.g. "the demo".
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
    return run_task(task, model, subject, **options)


def results_of(
    log: EvalLog, read: Callable[[EvalSample], T | None]
) -> tuple[dict[str, T], dict[str, str]]:
    """Return the result of each sample, and the reasons for missing ones.

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


class ModelCall(NamedTuple):
    """A call of a model in one sample."""

    judge: bool
    model: str
    input_tokens: float
    output_tokens: float
    agent: bool
    """Whether tools were offered, so that the number of such calls depends on the model."""

    usage: ModelUsage | None
    """Dollars charged; None in a dry run."""

    once: bool
    """Whether it writes criteria, which happens once per run."""


def dry_pass(task: Task, ids: Sequence[Any], samples: int = _SAMPLES) -> list[list[ModelCall]]:
    """Return the calls of a few samples, run without a language model."""
    positions = np.unique(np.linspace(0, len(ids) - 1, min(samples, len(ids))).round().astype(int))
    with TemporaryDirectory() as folder:
        log = run_task(
            task,
            _WRITER,
            "the dry run for the estimate",
            model_roles={"grader": dry_grader()},
            sample_id=[ids[position] for position in positions],
            epochs=1,
            log_dir=folder,
            display="none",
        )
        resolved = (resolve_sample_attachments(sample) for sample in log.samples or [])
        return [list(calls_of(sample, dry=True)) for sample in resolved]


def calls_of(sample: EvalSample, *, dry: bool) -> Iterator[ModelCall]:
    """Yield the calls of models in a sample, with estimates for a dry run.

    A question that a dry run repeats counts once: unlike a model's reply, a fixed reply cannot
    contain the right ids.
    """
    for event in sample.events:
        if isinstance(event, ModelEvent) and event.error is None and event.output.usage:
            if dry and event.role == "grader" and _is_repeated(event):
                continue
            usage = event.output.usage
            input_tokens: float = total_input_tokens(usage)
            if not 0 <= usage.input_tokens <= input_tokens or usage.output_tokens < 0:
                raise ValueError(f"sample {sample.id} has a call of fewer than 0 tokens")
            output_tokens = usage.output_tokens
            if dry:
                input_tokens = usage.input_tokens + _length(event.tools) / CHARACTERS
                if not event.output.message.tool_calls:
                    output_tokens = max(output_tokens, _REPLY)
            yield ModelCall(
                judge=event.role == "grader",
                model=event.model,
                input_tokens=input_tokens,
                output_tokens=output_tokens,
                agent=bool(event.tools),
                usage=None if dry else usage,
                once=any(message.text.startswith(_CRITERIA) for message in event.input[:1]),
            )


def _length(tools: Sequence[ToolInfo]) -> int:
    """Return the characters of tools in JSON."""
    return sum(len(json.dumps(tool.model_dump(exclude_none=True))) for tool in tools)


def _is_repeated(event: ModelEvent) -> bool:
    key = key_of(event.input, RequestKey())
    return key is not None and (key.number > 1 or key.turn > 1)
