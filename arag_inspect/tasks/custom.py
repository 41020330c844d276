"""A user's own documents and questions."""

from collections.abc import Sequence
from typing import Literal, get_args

from inspect_ai import Task, task

from arag_inspect._util.errors import check_choice
from arag_inspect.solvers import System, system_solver
from arag_inspect.tasks._build import SystemArgs, build_task, known_parameters
from arag_inspect.tasks._dataset import prepared_dataset
from arag_inspect.tasks._scorer_sets import answer_scorers, summary_scorers

TaskType = Literal["qa", "summary"]


@task
@known_parameters
def custom(
    *,
    task_type: TaskType = "qa",
    system: System = "arag",
    corpus: str | None = None,
    target_length: int = 150,
    system_args: SystemArgs = None,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Your own questions about your own documents.

    Prepare the corpus first: `arag-inspect prepare custom --documents DIR --questions FILE`.

    Common parameters and model roles: see `arag_inspect.tasks`.

    Args:
        task_type: qa for answers, summary for summaries that answer the question.
    """
    check_choice("task_type", task_type, get_args(TaskType))
    solver = system_solver(system, system_args)
    if task_type == "qa":
        return build_task(prepared_dataset("custom", corpus), solver, answer_scorers(scorers))
    dataset = prepared_dataset("custom", corpus, target_length=target_length, style="query_focused")
    return build_task(dataset, solver, summary_scorers(scorers))
