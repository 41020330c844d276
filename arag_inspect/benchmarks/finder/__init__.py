"""FinDER: terse questions on 10-K filings."""

from typing import Any

from inspect_ai import Task, task

from arag_inspect.benchmark import Benchmark, Dataset, ScorerArgs, ScorerNames, SystemArgs, TaskArgs
from arag_inspect.benchmark.usual_scorers import ANSWER_SCORERS

from .reader import read_finder

__all__ = ["FINDER", "finder"]

FINDER = Benchmark(
    name="finder",
    dataset=Dataset(
        name="finder",
        title="FinDER",
        summary="Terse questions about 10-K filings (CC BY-NC 4.0, from the Hugging Face hub).",
        read=read_finder,
        licence="CC BY-NC 4.0",
        citation="Linq AI Research, 2025",
        url="https://huggingface.co/datasets/Linq-AI-Research/FinDER",
    ),
    summary=(
        "Terse questions of finance professionals about 10-K filings (FinDER, Linq AI "
        "Research, 2025)."
    ),
    scorers=ANSWER_SCORERS,
    output="answer",
)


@task
def finder(
    *,
    system: str = "arag",
    corpus: str | None = None,
    system_args: SystemArgs = None,
    scorers: ScorerNames = "default",
    scorer_args: ScorerArgs = None,
    **unknown: Any,
) -> Task:
    """Terse questions of finance professionals about 10-K filings (FinDER, Linq AI Research, 2025).

    Prepare the corpus first: `arag-inspect prepare finder`.

    Common parameters and model roles: see `arag_inspect.tasks`.
    """
    args = TaskArgs(scorers, scorer_args, unknown, system, system_args)
    return FINDER.task(args, corpus=corpus)
