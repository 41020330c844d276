"""ECTSum: summaries of earnings calls."""

from collections.abc import Sequence
from typing import get_args

from inspect_ai import Task, task

from arag_inspect.datasets.sources.ectsum import Split
from arag_inspect.solvers import System, system_solver
from arag_inspect.tasks._build import SystemArgs, build_task, known_parameters
from arag_inspect.tasks._dataset import prepared_dataset
from arag_inspect.tasks._scorer_sets import summary_scorers


@task
@known_parameters
def ectsum(
    *,
    split: str = "test",
    system: System = "arag",
    corpus: str | None = None,
    target_length: int = 75,
    system_args: SystemArgs = None,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Summaries of earnings calls (ECTSum, Mukherjee et al., EMNLP 2022).

    Prepare the corpus first: `arag-inspect prepare ectsum --split test`.

    Common parameters and model roles: see `arag_inspect.tasks`.

    Args:
        split: test (495 calls), val (249) or train (1,681).
    """
    return build_task(
        prepared_dataset(
            "ectsum", corpus, split=split, splits=get_args(Split), target_length=target_length
        ),
        system_solver(system, system_args),
        summary_scorers(scorers),
    )
