"""Tasks that summarise earnings calls."""

from collections.abc import Sequence

from inspect_ai import Task, task

from ..solvers import System, system_solver
from ._build import SystemArgs, build_task, known_parameters
from ._dataset import prepared_dataset
from ._scorer_sets import summary_scorers


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
    dataset = prepared_dataset("ectsum", corpus, split=split, target_length=target_length)
    return build_task(dataset, system_solver(system, system_args), summary_scorers(scorers))


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
    dataset = prepared_dataset("synthetic", corpus, target_length=target_length)
    return build_task(dataset, system_solver(system, system_args), summary_scorers(scorers))
