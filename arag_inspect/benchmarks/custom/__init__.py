"""A user's questions or requests about the user's documents."""

from typing import Any, Literal, get_args

from inspect_ai import Task, task
from inspect_ai.dataset import Dataset as Samples

from arag_inspect._util.errors import check_choice
from arag_inspect.benchmark import Benchmark, Dataset, ScorerArgs, ScorerNames, SystemArgs, TaskArgs
from arag_inspect.benchmark.samples import prepared_samples
from arag_inspect.benchmark.usual_scorers import (
    ANSWER_SCORERS,
    SCORERS_WITHOUT_GOLD,
    SUMMARY_SCORERS,
)
from arag_inspect.measures.answer_match import answer_match
from arag_inspect.measures.fact_coverage import fact_coverage
from arag_inspect.measures.geval import geval_coverage

from .reader import read_custom

__all__ = ["ANSWERS", "SUMMARIES", "custom"]

TaskType = Literal["qa", "summary"]

DATASET = Dataset(
    name="custom",
    title="Your own",
    summary="Your own documents and questions, or chunks and questions in A-RAG's format.",
    read=read_custom,
    corpus="{split}",
    evaluate="custom -T corpus={corpus}",
    prepare_options="--documents DIR --questions FILE --name NAME",
    licence="yours",
    citation="your own documents",
)

_SUMMARY = "Your own questions about your own documents."


def _answer_samples(*, corpus: str | None, **_: Any) -> Samples:
    """Return the samples without a length, which only summaries need."""
    return prepared_samples(DATASET, corpus)


ANSWERS = Benchmark(
    name="custom",
    dataset=DATASET,
    summary=_SUMMARY,
    samples=_answer_samples,
    scorers=(answer_match, *ANSWER_SCORERS, geval_coverage, fact_coverage),
    output="answer",
    default_scorers=(answer_match, *SCORERS_WITHOUT_GOLD),
    summary_scorers=(geval_coverage, fact_coverage),
)

SUMMARIES = Benchmark(
    name="custom",
    dataset=DATASET,
    summary=_SUMMARY,
    scorers=SUMMARY_SCORERS,
    output="summary",
    style="query_focused",
)


@task
def custom(
    *,
    task_type: TaskType = "qa",
    system: str = "arag",
    corpus: str | None = None,
    target_length: int = 150,
    system_args: SystemArgs = None,
    scorers: ScorerNames = "default",
    scorer_args: ScorerArgs = None,
    **unknown: Any,
) -> Task:
    """Your own questions about your own documents.

    Prepare the corpus first: `arag-inspect prepare custom --documents DIR --questions FILE`.

    Common parameters and model roles: see `arag_inspect.tasks`.

    Args:
        task_type: qa for answers, summary for summaries that answer the question.
    """
    check_choice("task_type", task_type, get_args(TaskType))
    args = TaskArgs(scorers, scorer_args, unknown, system, system_args)
    benchmark = ANSWERS if task_type == "qa" else SUMMARIES
    return benchmark.task(args, task_type=task_type, corpus=corpus, target_length=target_length)
