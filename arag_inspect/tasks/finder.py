"""FinDER: terse questions of finance professionals."""

from collections.abc import Sequence

from inspect_ai import Task, task

from arag_inspect.solvers import System, system_solver
from arag_inspect.tasks._build import SystemArgs, build_task, known_parameters
from arag_inspect.tasks._dataset import prepared_dataset
from arag_inspect.tasks._scorer_sets import answer_scorers


@task
@known_parameters
def finder(
    *,
    system: System = "arag",
    corpus: str | None = None,
    system_args: SystemArgs = None,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Terse questions of finance professionals about 10-K filings (FinDER, Linq AI Research, 2025).

    Prepare the corpus first: `arag-inspect prepare finder`.

    Common parameters and model roles: see `arag_inspect.tasks`.
    """
    return build_task(
        prepared_dataset("finder", corpus),
        system_solver(system, system_args),
        answer_scorers(scorers),
    )
