"""Tasks that ask questions, one sample each."""

from collections.abc import Sequence
from typing import Any, Literal, get_args

from inspect_ai import Task, task

from ..._util.errors import check_choice
from ...solvers import system_solver
from .. import get_dataset
from .scorer_sets import answer_scorers, summary_scorers
from .task import SystemArgs, build_task, known_parameters, prepared_dataset

TaskType = Literal["qa", "summary"]


@task
@known_parameters
def finqa(
    *,
    split: str = "test",
    system: str = "arag",
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
    return _questions("finqa", corpus, system, system_args, scorers, split)


@task
@known_parameters
def docfinqa(
    *,
    split: str = "test",
    system: str = "arag",
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
    scope = "sample_documents"
    return _questions("docfinqa", corpus, system, system_args, scorers, split, scope=scope)


@task
@known_parameters
def finder(
    *,
    system: str = "arag",
    corpus: str | None = None,
    system_args: SystemArgs = None,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Terse questions of finance professionals about 10-K filings (FinDER, Linq AI Research, 2025).

    Prepare the corpus first: `arag-inspect prepare finder`.

    Common parameters and model roles: see `arag_inspect.tasks`.
    """
    return _questions("finder", corpus, system, system_args, scorers)


@task
@known_parameters
def financebench(
    *,
    system: str = "arag",
    corpus: str | None = None,
    system_args: SystemArgs = None,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Questions on SEC filings (FinanceBench, Islam et al., 2023).

    Prepare the corpus first: `arag-inspect prepare financebench`.

    Common parameters and model roles: see `arag_inspect.tasks`.
    """
    return _questions("financebench", corpus, system, system_args, scorers)


@task
@known_parameters
def custom(
    *,
    task_type: TaskType = "qa",
    system: str = "arag",
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
    if task_type == "qa":
        return _questions("custom", corpus, system, system_args, scorers, faithful=True)
    dataset = prepared_dataset("custom", corpus, target_length=target_length, style="query_focused")
    return build_task(dataset, system_solver(system, system_args), summary_scorers(scorers))


def _questions(
    dataset: str,
    corpus: str | None,
    system: str,
    system_args: SystemArgs,
    scorers: str | Sequence[str],
    split: str | None = None,
    faithful: bool = False,
    **defaults: Any,
) -> Task:
    """Build the task of a question set, as it is declared; `defaults` are those of the system."""
    spec = get_dataset(dataset)
    samples = prepared_dataset(dataset, corpus, split=split, if_empty=spec.if_empty)
    gold = any("".join(sample.target).strip() for sample in samples)
    return build_task(
        samples,
        system_solver(system, system_args, **defaults),
        answer_scorers(scorers, numeric=spec.numeric, faithful=faithful, gold=gold),
    )
