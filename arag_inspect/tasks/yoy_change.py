"""Two annual filings of a company, compared."""

from collections.abc import Sequence

from inspect_ai import Task, task

from arag_inspect.datasets.financebench.samples import YOY
from arag_inspect.solvers import System, system_solver
from arag_inspect.tasks._build import SystemArgs, build_task, known_parameters
from arag_inspect.tasks._dataset import prepared_dataset
from arag_inspect.tasks._scorer_sets import summary_scorers


@task
@known_parameters
def yoy_change(
    *,
    system: System = "arag",
    corpus: str | None = None,
    target_length: int = 250,
    system_args: SystemArgs = None,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """What changed materially between two annual filings of a company, of consecutive years.

    Prepare the corpus first: `arag-inspect prepare financebench`.

    There is no reference: overlap and coverage are unscored. Gold for
    retrieval are both discussions by management. By default only the two
    filings are searched, for ten results, and naive RAG searches each of them.

    Common parameters and model roles: see `arag_inspect.tasks`.
    """
    dataset = prepared_dataset(
        "financebench",
        corpus,
        target_length=target_length,
        samples=YOY,
        if_empty="no company has annual filings of two consecutive years in it; prepare others",
    )
    return build_task(
        dataset,
        system_solver(system, system_args, top_k=10, scope="document"),
        summary_scorers(scorers, comparison=True),
    )
