"""DocFinQA: numeric questions about a whole filing."""

from collections.abc import Sequence
from typing import get_args

from inspect_ai import Task, task

from arag_inspect.datasets.sources.docfinqa import Split
from arag_inspect.solvers import System, system_solver
from arag_inspect.tasks._build import SystemArgs, build_task, known_parameters
from arag_inspect.tasks._dataset import prepared_dataset
from arag_inspect.tasks._scorer_sets import answer_scorers


@task
@known_parameters
def docfinqa(
    *,
    split: str = "test",
    system: System = "arag",
    corpus: str | None = None,
    system_args: SystemArgs = None,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Numeric questions about a whole filing (DocFinQA, Reddy et al., ACL 2024).

    Prepare the corpus first: `arag-inspect prepare docfinqa --split test`.
    By default only the sample's filing is searched, because questions do not name it.

    Common parameters and model roles: see `arag_inspect.tasks`.

    Args:
        split: test (922 questions), dev (780) or train (5,735).
    """
    return build_task(
        prepared_dataset("docfinqa", corpus, split=split, splits=get_args(Split)),
        system_solver(system, system_args, scope="sample_documents"),
        answer_scorers(scorers, numeric=True),
    )
