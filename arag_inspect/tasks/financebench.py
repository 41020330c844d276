"""FinanceBench: questions on SEC filings."""

from collections.abc import Sequence

from inspect_ai import Task, task

from arag_inspect.solvers import System, system_solver
from arag_inspect.tasks._build import SystemArgs, build_task, known_parameters
from arag_inspect.tasks._dataset import prepared_dataset
from arag_inspect.tasks._scorer_sets import answer_scorers


@task
@known_parameters
def financebench(
    *,
    system: System = "arag",
    corpus: str | None = None,
    system_args: SystemArgs = None,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Questions on SEC filings (FinanceBench, Islam et al., 2023).

    Prepare the corpus first: `arag-inspect prepare financebench`.

    Common parameters and model roles: see `arag_inspect.tasks`.
    """
    return build_task(
        prepared_dataset(
            "financebench",
            corpus,
            if_empty="no question is about one of its documents; prepare others",
        ),
        system_solver(system, system_args),
        answer_scorers(scorers),
    )
