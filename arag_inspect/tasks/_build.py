"""Builds a task from its parts."""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from importlib.metadata import version
from inspect import Parameter, signature
from typing import Any, TypeVar, cast

from inspect_ai import Task
from inspect_ai.dataset import Dataset
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver

from .._util.errors import check_parameters
from ..models.pricing import warn_of_run
from ..prompts import prompts_digest
from ._dataset import corpus_metadata
from ._viewer import task_viewer

SystemArgs = dict[str, Any] | None
"""Parameters of the system under test, by name."""

TaskFunction = TypeVar("TaskFunction", bound=Callable[..., Task])


def known_parameters(make: TaskFunction) -> TaskFunction:
    """Raise on unknown parameters of a task; Inspect only warns of them.

    Raises:
        InputError: The task is created with an unknown parameter.
    """
    declared = signature(make)

    @wraps(make)
    def checked(**values: Any) -> Task:
        check_parameters(f"task {make.__name__}", declared.parameters, values)
        return make(**values)

    # Inspect drops parameters missing from the signature, so it has to take everything
    everything = [*declared.parameters.values(), Parameter("unknown", Parameter.VAR_KEYWORD)]
    checked.__signature__ = declared.replace(parameters=everything)  # type: ignore[attr-defined]
    return cast(TaskFunction, checked)


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
    warn_of_run()
    return Task(
        name=name,
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
        version=1,
    )
