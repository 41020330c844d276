"""Several systems and models on one task, as a set that can be taken up again."""

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any, NamedTuple

from inspect_ai import Task, eval_set
from inspect_ai.log import EvalLog
from inspect_ai.util import DisplayType

from . import tasks
from .errors import InputError, check_choice
from .models.prices import register_prices


class Ran(NamedTuple):
    """What became of a set."""

    logs: list[EvalLog]
    """Without samples."""

    complete: bool
    """Whether every run ended well; if not, the same call takes up the rest."""


def run_systems(
    task: str,
    systems: Sequence[str],
    models: Sequence[str],
    *,
    log_dir: str,
    graders: Sequence[str] = (),
    limit: int | None = None,
    epochs: int | None = None,
    parameters: Mapping[str, Any] | None = None,
    display: DisplayType | None = None,
) -> Ran:
    """Run every system with every model, with Inspect's `eval_set`.

    What is done already in the log folder is not done again, and a run that
    failed is retried.

    Args:
        task: Name of a task of this package, e.g. `ectsum`.
        systems: Values of its parameter `system`.
        models: Names as Inspect has them.
        log_dir: Folder of this set alone.
        graders: Models to judge with; the scorers' default where none is named.
        limit: Samples of each run.
        epochs: Times that each sample is answered.
        parameters: More parameters of the task.
        display: Inspect's display, e.g. `none`.

    Raises:
        InputError: The task is unknown, or a parameter is none of its.
    """
    register_prices()
    make = _task(task)
    if "system" not in signature(make).parameters:
        raise InputError(
            f"task {task} has one solver and no systems to compare; run: inspect eval "
            f"arag_inspect/{task.removeprefix('arag_inspect/')} --model MODEL"
        )
    try:
        made = [make(system=system, **(parameters or {})) for system in systems]
    except TypeError as error:
        raise InputError(f"task {task}: {error}") from None
    complete, logs = eval_set(
        made,
        log_dir=log_dir,
        model=list(models),
        model_roles={"grader": list(graders)} if graders else None,
        limit=limit,
        epochs=epochs,
        display=display,
        log_dir_allow_dirty=True,  # logs judged again lie there too
    )
    return Ran(logs, complete)


_NO_SYSTEMS = ("financebench_references", "judge_agreement")
"""Tasks that other commands run."""


def _task(name: str) -> Callable[..., Task]:
    short = name.removeprefix("arag_inspect/")
    check_choice("task", short, [one for one in tasks.__all__ if one not in _NO_SYSTEMS])
    found: Callable[..., Task] = getattr(tasks, short)
    return found
