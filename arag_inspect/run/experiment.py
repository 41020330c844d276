"""Experiments: systems and models compared on the same samples of a task."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from glob import escape
from hashlib import sha256
from inspect import signature
from itertools import chain
from typing import Any, NamedTuple

from inspect_ai import Task
from inspect_ai.util import registry_info

from .. import tasks
from .._util.errors import InputError, check_choice
from .._util.names import short_name, strip_package
from ..benchmarks import foreign_tasks
from ..solvers import system_parameters
from ..types.sample import group_of

SEED = 42


class SystemTask(NamedTuple):
    """The task of one system, with the parameters that it was made with."""

    system: str
    """Name of the system; of the task, if its solver is fixed."""

    parameters: Mapping[str, Any]
    task: Task


@dataclass(frozen=True)
class Experiment:
    """Systems and models that are compared on the same samples of a task."""

    task: str
    """Name of a task of this package, e.g. `ectsum`, or of a benchmark from another package."""

    systems: Sequence[str]
    """Values of the task's parameter `system`; ignored if its solver is fixed."""

    models: Sequence[str]
    """Inspect's model names."""

    _: KW_ONLY
    graders: Sequence[str] = ()
    """Models to judge with; default: the scorers' own."""

    limit: int | None = None
    """Samples per run, spread over the companies, the same for all systems; None for all."""

    sample_seed: int = SEED
    """Random seed for `limit`."""

    epochs: int | None = None
    """Answers per sample."""

    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Other parameters of the task. Each system gets the `system_args` that it accepts."""

    eval_options: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of `eval_set`, e.g. `max_connections`, which take precedence."""

    def system_tasks(self) -> list[SystemTask]:
        """Make the task of each system; a task with a fixed solver is made once.

        Raises:
            InputError: The task, a system or a parameter is unknown.
        """
        make = find_task(self.task)
        if has_one_solver(self.task):
            name = short_name(self.task)
            return [SystemTask(name, self.parameters, make(**self.parameters))]
        return [
            SystemTask(system, values, make(system=system, **values))
            for system, values in parameters_by_system(self.systems, self.parameters).items()
        ]

    def draw(self, task: Task) -> list[str | int]:
        """Return the ids of the samples of a task that every run has."""
        return draw_samples(task, self.limit, self.sample_seed)


def draw_samples(task: Task, limit: int | None, seed: int = SEED) -> list[str | int]:
    """Draw samples spread over the companies (else documents), in the order of the data.

    Each company contributes one sample before any contributes a second. The draw depends only on
    the seed and the ids, and a larger draw contains every smaller one with the same seed.

    Args:
        task: Task whose data set is sampled.
        limit: Number of samples; None for all.
        seed: Seed of the draw.
    """
    ids = [sample.id for sample in task.dataset if sample.id is not None]
    if limit is None or limit >= len(ids):
        return ids
    groups: dict[str, list[str | int]] = {}
    for sample in task.dataset:
        if sample.id is not None:
            group = group_of(sample.metadata or {}) or f"sample {sample.id}"
            groups.setdefault(group, []).append(sample.id)

    def shuffle_key(name: object) -> str:
        return sha256(f"{seed} {name}".encode()).hexdigest()

    turns: dict[str | int, tuple[int, str]] = {}
    for group, members in groups.items():
        for turn, sample_id in enumerate(sorted(members, key=shuffle_key)):
            turns[sample_id] = (turn, shuffle_key(group))
    drawn_ids = set(sorted(turns, key=turns.__getitem__)[:limit])
    return [sample_id for sample_id in ids if sample_id in drawn_ids]


def as_patterns(ids: Sequence[str | int]) -> list[str | int]:
    """Return ids as Inspect's `sample_id` matches them: as patterns of file names."""
    return [escape(sample_id) if isinstance(sample_id, str) else sample_id for sample_id in ids]


def has_one_solver(task: str) -> bool:
    """Return whether a task has a fixed solver, so that only models can be compared."""
    return "system" not in signature(find_task(task)).parameters


def check_has_systems(task: str) -> None:
    """Raise if a task has no systems to choose from.

    Raises:
        InputError: The task has a fixed solver.
    """
    if has_one_solver(task):
        raise InputError(f"task {task} has a fixed solver, so there are no systems to compare")


def parameters_by_system(
    systems: Sequence[str], parameters: Mapping[str, Any]
) -> dict[str, Mapping[str, Any]]:
    """Give each system the `system_args` that it accepts.

    Raises:
        InputError: A system is unknown, or no system accepts one of `system_args`.
    """
    accepted_names = {system: system_parameters(system) for system in systems}
    args = parameters.get("system_args")
    if not isinstance(args, dict):  # the task rejects other types
        return dict.fromkeys(systems, parameters)
    all_names = list(dict.fromkeys(chain.from_iterable(accepted_names.values())))
    for name in args:
        check_choice("parameter of the systems", name, all_names)
    given_parameters: dict[str, Mapping[str, Any]] = {}
    for system, names in accepted_names.items():
        accepted_args = {name: value for name, value in args.items() if name in names}
        given_parameters[system] = {**parameters, "system_args": accepted_args}
    return given_parameters


def is_task(name: str) -> bool:
    """Return whether a task has a name, with or without its package."""
    return name in _tasks() or name in _tasks_with_package()


def find_task(name: str) -> Callable[..., Task]:
    """Return the function that makes a task of this package, or of a benchmark of another package.

    Args:
        name: Name of the task, with or without its package.

    Raises:
        InputError: The task is unknown.
    """
    tasks_by_name = _tasks()
    full_names = _tasks_with_package()
    if name in full_names:
        return full_names[name]
    check_choice("task", strip_package(name), [*tasks_by_name])
    return tasks_by_name[strip_package(name)]


def _tasks() -> dict[str, Callable[..., Task]]:
    """Return all tasks by name; a task of this package overrides others of the same name."""
    tasks_by_name: dict[str, Callable[..., Task]] = {**foreign_tasks()}
    for name in tasks.__all__:
        tasks_by_name[name] = getattr(tasks, name)
    return tasks_by_name


def _tasks_with_package() -> dict[str, Callable[..., Task]]:
    """Return all tasks by their registered names."""
    return {registry_info(make_task).name: make_task for make_task in _tasks().values()}
