"""FinQA: numbers from a page of an annual report."""

from typing import Any

from inspect_ai import Task, task

from arag_inspect.benchmark import Benchmark, Dataset, ScorerArgs, ScorerNames, SystemArgs, TaskArgs
from arag_inspect.benchmark.usual_scorers import ANSWER_SCORERS
from arag_inspect.measures.correctness import numeric_match

from .reader import REPOSITORY, read_finqa

__all__ = ["FINQA", "finqa"]

FINQA = Benchmark(
    name="finqa",
    dataset=Dataset(
        name="finqa",
        title="FinQA",
        summary=(
            "Numeric questions about a page of an annual report (MIT, downloaded from its authors)."
        ),
        read=read_finqa,
        licence="MIT",
        citation="Chen et al., EMNLP 2021",
        url=REPOSITORY,
    ),
    summary="Numeric questions about a page of an annual report (FinQA, Chen et al., EMNLP 2021).",
    scorers=ANSWER_SCORERS,
    output="answer",
    default_scorers=(numeric_match,),
)


@task
def finqa(
    *,
    split: str = "test",
    system: str = "arag",
    corpus: str | None = None,
    system_args: SystemArgs = None,
    scorers: ScorerNames = "default",
    scorer_args: ScorerArgs = None,
    **unknown: Any,
) -> Task:
    """Numeric questions about a page of an annual report (FinQA, Chen et al., EMNLP 2021).

    Prepare the corpus first: `arag-inspect prepare finqa --split test`.

    Common parameters and model roles: see `arag_inspect.tasks`.

    Args:
        split: test (1,147 questions), dev (883) or train (6,251).
    """
    args = TaskArgs(scorers, scorer_args, unknown, system, system_args)
    return FINQA.task(args, split=split, corpus=corpus)
