"""DocFinQA: numbers from a whole filing."""

from typing import Any

from inspect_ai import Task, task

from arag_inspect.benchmark import Benchmark, Dataset, ScorerArgs, ScorerNames, SystemArgs, TaskArgs
from arag_inspect.benchmark.usual_scorers import ANSWER_SCORERS
from arag_inspect.measures.correctness import numeric_match

from .reader import REPOSITORY, read_docfinqa

__all__ = ["DOCFINQA", "docfinqa"]

DOCFINQA = Benchmark(
    name="docfinqa",
    dataset=Dataset(
        name="docfinqa",
        title="DocFinQA",
        summary="Numeric questions about whole filings (MIT, 0.6 GB from the Hugging Face hub).",
        read=read_docfinqa,
        licence="MIT",
        citation="Reddy et al., ACL 2024",
        url=f"https://huggingface.co/datasets/{REPOSITORY}",
    ),
    summary="Numeric questions about a whole filing (DocFinQA, Reddy et al., ACL 2024).",
    scorers=ANSWER_SCORERS,
    output="answer",
    default_scorers=(numeric_match,),
    system_defaults={"scope": "sample_documents"},
)


@task
def docfinqa(
    *,
    split: str = "test",
    system: str = "arag",
    corpus: str | None = None,
    system_args: SystemArgs = None,
    scorers: ScorerNames = "default",
    scorer_args: ScorerArgs = None,
    **unknown: Any,
) -> Task:
    """Numeric questions about a whole filing (DocFinQA, Reddy et al., ACL 2024).

    Prepare the corpus first: `arag-inspect prepare docfinqa --split test`. By default only the
    sample's filing is searched, because questions do not name it.

    Common parameters and model roles: see `arag_inspect.tasks`.

    Args:
        split: test (922 questions), dev (780) or train (5,735).
    """
    args = TaskArgs(scorers, scorer_args, unknown, system, system_args)
    return DOCFINQA.task(args, split=split, corpus=corpus)
