"""FinQA: numeric questions about a page of an annual report."""

from collections.abc import Sequence
from typing import get_args

from inspect_ai import Task, task

from arag_inspect.datasets.sources.finqa import Split
from arag_inspect.solvers import System, system_solver
from arag_inspect.tasks._build import SystemArgs, build_task, known_parameters
from arag_inspect.tasks._dataset import prepared_dataset
from arag_inspect.tasks._scorer_sets import answer_scorers


@task
@known_parameters
def finqa(
    *,
    split: str = "test",
    system: System = "arag",
    corpus: str | None = None,
    system_args: SystemArgs = None,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Numeric questions about a page of an annual report (FinQA, Chen et al., EMNLP 2021).

    Prepare the corpus first: `arag-inspect prepare finqa --split test`.

    Common parameters and model roles: see `arag_inspect.tasks`.

    Args:
        split: test (1,147 questions), dev (883) or train (6,251).
    """
    return build_task(
        prepared_dataset("finqa", corpus, split=split, splits=get_args(Split)),
        system_solver(system, system_args),
        answer_scorers(scorers, numeric=True),
    )
