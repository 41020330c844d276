"""ECTSum: bullet summaries of earnings calls."""

from typing import Any

from inspect_ai import Task, task

from arag_inspect.benchmark import Benchmark, Dataset, ScorerArgs, ScorerNames, SystemArgs, TaskArgs
from arag_inspect.benchmark.usual_scorers import SUMMARY_SCORERS

from .reader import REPOSITORY, read_ectsum

__all__ = ["ECTSUM", "ectsum"]

ECTSUM = Benchmark(
    name="ectsum",
    dataset=Dataset(
        name="ectsum",
        title="ECTSum",
        summary=(
            "Earnings calls with Reuters-style summaries (GPL-3.0, downloaded from its authors)."
        ),
        read=read_ectsum,
        licence="GPL-3.0",
        citation="Mukherjee et al., EMNLP 2022",
        url=REPOSITORY,
    ),
    summary="Summaries of earnings calls (ECTSum, Mukherjee et al., EMNLP 2022).",
    scorers=SUMMARY_SCORERS,
    output="summary",
)


@task
def ectsum(
    *,
    split: str = "test",
    system: str = "arag",
    corpus: str | None = None,
    target_length: int = 75,
    system_args: SystemArgs = None,
    scorers: ScorerNames = "default",
    scorer_args: ScorerArgs = None,
    **unknown: Any,
) -> Task:
    """Summaries of earnings calls (ECTSum, Mukherjee et al., EMNLP 2022).

    Prepare the corpus first: `arag-inspect prepare ectsum --split test`.

    Common parameters and model roles: see `arag_inspect.tasks`.

    Args:
        split: test (495 calls), val (249) or train (1,681).
    """
    args = TaskArgs(scorers, scorer_args, unknown, system, system_args)
    return ECTSUM.task(args, split=split, corpus=corpus, target_length=target_length)
