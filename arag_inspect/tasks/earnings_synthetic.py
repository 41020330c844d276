"""Synthetic earnings calls: summaries of calls of fictional companies."""

from collections.abc import Sequence

from inspect_ai import Task, task

from arag_inspect.solvers import System, system_solver
from arag_inspect.tasks._build import SystemArgs, build_task, known_parameters
from arag_inspect.tasks._dataset import prepared_dataset
from arag_inspect.tasks._scorer_sets import summary_scorers


@task
@known_parameters
def earnings_synthetic(
    *,
    system: System = "arag",
    corpus: str | None = None,
    target_length: int = 75,
    system_args: SystemArgs = None,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Summaries of synthetic earnings calls, whose every fact is known.

    Prepare the corpus first: `arag-inspect prepare synthetic`.

    Common parameters and model roles: see `arag_inspect.tasks`.
    """
    return build_task(
        prepared_dataset("synthetic", corpus, target_length=target_length),
        system_solver(system, system_args),
        summary_scorers(scorers),
    )
