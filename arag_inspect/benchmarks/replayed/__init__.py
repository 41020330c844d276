"""Answers that other tools exported, scored without running anything."""

from typing import Any

from inspect_ai import Task, task

from arag_inspect.benchmark import Benchmark, Dataset, ScorerArgs, ScorerNames, TaskArgs
from arag_inspect.benchmark.samples import corpus_metadata
from arag_inspect.benchmark.usual_scorers import ANSWER_SCORERS, SCORERS_WITHOUT_GOLD
from arag_inspect.corpus import Corpus
from arag_inspect.measures.answer_match import answer_match
from arag_inspect.systems.replay import replay_recorded

from .origin_scores import add_recorded_outcomes
from .samples import read_answers

__all__ = ["REPLAYED", "replayed"]

REPLAYED = Benchmark(
    name="replayed",
    dataset=Dataset(
        name="replayed",
        title="Results of other tools",
        summary=(
            "Answers that other tools exported: ragas, deepeval, promptfoo, Langfuse, Phoenix, "
            "OpenTelemetry."
        ),
        licence="yours",
        citation="your own results",
    ),
    summary="Answers that other tools exported, scored without running anything.",
    samples=read_answers,
    solver=lambda **_: replay_recorded(),
    scorers=(answer_match, *ANSWER_SCORERS),
    output="answer",
    default_scorers=(answer_match, *SCORERS_WITHOUT_GOLD),
)


@task
def replayed(
    *,
    file: str | None = None,
    columns: str = "",
    split: str = "",
    answered_by: str = "",
    label: str = "",
    corpus: str | None = None,
    scorers: ScorerNames = "default",
    scorer_args: ScorerArgs = None,
    **unknown: Any,
) -> Task:
    """Answers that other tools exported, scored without running anything.

    `arag-inspect replay FILE` runs it for each system of a file.

    Args:
        file: Required. CSV, TSV, Parquet, JSON or JSON Lines with questions and answers, or traces.
        columns: Columns with unrecognised names, e.g. `question=Frage,reference=Soll`.
        split: Only questions with this value in the column `split`.
        answered_by: System or session whose answers to replay, if the file holds several.
        label: Name of the system in reports. Default: `answered_by`, or the file's.
        corpus: Prepared corpus in which passages are located by their text.
    """
    args = TaskArgs(scorers, scorer_args, unknown)
    source = {"file": file, "columns": columns, "split": split, "corpus": corpus}
    task = REPLAYED.task(args, **source, answered_by=answered_by, label=label)
    return add_recorded_outcomes(_name_corpus(task, corpus))


def _name_corpus(task: Task, corpus: str | None) -> Task:
    """Name the corpus in which passages are located in the log's metadata."""
    if corpus is not None:
        task.metadata = {**(task.metadata or {}), **corpus_metadata(Corpus.locate(corpus))}
    return task
