"""Builds a task from its parts."""

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from functools import wraps
from importlib.metadata import version
from inspect import Parameter, signature
from typing import Any, TypeVar, cast

from inspect_ai import Task
from inspect_ai.dataset import Dataset
from inspect_ai.log import HeadlineMetric
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver
from inspect_ai.util import registry_info

from .._util.errors import check_parameters
from ..models.pricing import price_run, warn_of_unknown
from ..prompts import prompts_digest
from ..types.measures import by_role, measures_of
from ._dataset import corpus_metadata
from ._scorer_sets import ARGUMENTS, scorer_arguments
from ._viewer import task_viewer

SystemArgs = dict[str, Any] | None
"""Parameters of the system under test, by name."""

VERSION = 2
"""Of every task; docs/development/task-versions.md says what changed."""

_SHORT = 20
"""Most characters of an argument in a display name."""

_given: ContextVar[tuple[str, Mapping[str, Any]]] = ContextVar("arag_inspect_task")
"""Name and parameters of the task that is being made."""

TaskFunction = TypeVar("TaskFunction", bound=Callable[..., Task])


def known_parameters(make: TaskFunction) -> TaskFunction:
    """Raise on unknown parameters of a task, of which Inspect only warns, and describe the task.

    Its description is the first line of its docstring, its tags are the system that was asked for
    and the corpus, and its headline is the mean of its first scorer's main measure.

    Raises:
        InputError: The task is created with an unknown parameter.
    """
    declared = signature(make)

    @wraps(make)
    def checked(**values: Any) -> Task:
        check_parameters(f"task {make.__name__}", (*declared.parameters, *ARGUMENTS), values)
        own = {name: value for name, value in values.items() if name not in ARGUMENTS}
        token = _given.set((make.__name__, values))
        try:
            with scorer_arguments(values):
                made = make(**own)
        finally:
            _given.reset(token)
        made.description = (make.__doc__ or "").partition("\n")[0]
        names = (values.get("system"), made.dataset.name)
        made.tags = [str(name) for name in names if name]
        made.headline_metric = _headline(made)
        return made

    # Inspect drops parameters missing from the signature, so it has to take everything
    more = [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in ARGUMENTS]
    unknown = Parameter("unknown", Parameter.VAR_KEYWORD)
    everything = [*declared.parameters.values(), *more, unknown]
    checked.__signature__ = declared.replace(parameters=everything)  # type: ignore[attr-defined]
    return cast(TaskFunction, checked)


def _headline(made: Task) -> HeadlineMetric | None:
    for scorer in made.scorer or ():
        for spec in by_role(measures_of(scorer))[:1]:
            name = registry_info(scorer).name.split("/")[-1]
            key = name if spec.key == spec.scorer else spec.value_key
            return HeadlineMetric(scorer=name, score=key, metric="mean")
    return None


def _display_name() -> str | None:
    """Return the task's name with the system that was asked for, which distinguishes runs."""
    name, values = _given.get(("", {}))
    if "system" not in values:
        return None
    arguments = values.get("system_args")
    arguments = dict(arguments) if isinstance(arguments, dict) else {}
    system = arguments.pop("name", values["system"])
    short = [f"{key}={value}" for key, value in arguments.items() if len(str(value)) <= _SHORT]
    suffix = f" ({', '.join(short)})" if short else ""
    return f"{name} · {system}{suffix}"


def build_task(
    dataset: Dataset,
    solver: Solver,
    scorers: Sequence[Scorer],
    *,
    taxonomy: str = "financial",
    metadata: Mapping[str, Any] | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> Task:
    """Build a task on a prepared corpus, at temperature 0.

    Args:
        dataset: Samples made by `prepared_dataset`.
        solver: The system under test.
        scorers: Scorers of its answers.
        taxonomy: Error taxonomy whose labels get columns in the log browser.
        metadata: Metadata of the log besides the corpus.
        seed: Seed of the model under test, if its provider takes one.
        name: Name in the log; None for that of the function that is decorated as the task.
    """
    warn_of_unknown(price_run())
    return Task(
        name=name,
        display_name=_display_name(),
        dataset=dataset,
        solver=solver,
        scorer=list(scorers),
        config=GenerateConfig(temperature=0, seed=seed),
        viewer=task_viewer(scorers, taxonomy),
        metadata={
            "arag_inspect": version("arag_inspect"),
            **corpus_metadata(dataset),
            "prompts_sha256": prompts_digest(),
            **(metadata or {}),
        },
        version=VERSION,
    )
