"""Court opinions: summaries of judgments with concurrences and dissents."""

from collections.abc import Sequence

from inspect_ai import Task, task

from arag_inspect.solvers import System, system_solver
from arag_inspect.tasks._build import SystemArgs, build_task, known_parameters
from arag_inspect.tasks._dataset import prepared_dataset
from arag_inspect.tasks._scorer_sets import legal_scorers


@task
@known_parameters
def legal_cases(
    *,
    system: System = "stuffing",
    corpus: str | None = None,
    target_length: int = 250,
    coverage_threshold: float = 0.5,
    system_args: SystemArgs = None,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Summaries of court opinions, and how faithful they are.

    Prepare the corpus first: `arag-inspect prepare legal`.

    Common parameters and model roles: see `arag_inspect.tasks`.

    Args:
        coverage_threshold: Least cosine at which `embedding_coverage` counts a sentence of the
            reference as covered. At 0.66 it notices most omitted holdings and separate opinions,
            but also misses more that is paraphrased (docs/legal.md).
    """
    return build_task(
        prepared_dataset("legal", corpus, target_length=target_length),
        system_solver(system, system_args),
        legal_scorers(scorers, coverage_threshold=coverage_threshold),
        taxonomy="legal",
    )
