"""FinanceBench: questions about SEC filings, and three kinds of summaries of them."""

from typing import Any

from inspect_ai import Task, task

from arag_inspect.benchmark import Benchmark, ScorerArgs, ScorerNames, SystemArgs, TaskArgs
from arag_inspect.benchmark.usual_scorers import ANSWER_SCORERS, SUMMARY_SCORERS
from arag_inspect.measures.section_retrieval import section_retrieval

from .reader import DATASET
from .summary_samples import Subset, query_focused_samples, section_samples, yoy_samples

__all__ = [
    "QUERY_FOCUSED",
    "QUESTIONS",
    "SECTION_SUMMARIES",
    "YOY_CHANGE",
    "financebench",
    "financebench_qfs",
    "section_summary",
    "yoy_change",
]

QUESTIONS = Benchmark(
    name="financebench",
    dataset=DATASET,
    summary="Questions on SEC filings (FinanceBench, Islam et al., 2023).",
    scorers=ANSWER_SCORERS,
    output="answer",
)

QUERY_FOCUSED = Benchmark(
    name="financebench_qfs",
    dataset=DATASET,
    summary="Query-focused summaries of filings: key risk factors, operational highlights.",
    samples=query_focused_samples,
    scorers=SUMMARY_SCORERS,
    output="summary",
    default_scorers=(section_retrieval,),
)

SECTION_SUMMARIES = Benchmark(
    name="section_summary",
    dataset=DATASET,
    summary="Summaries of one named section of a filing, in 200 to 400 words.",
    samples=section_samples,
    scorers=SUMMARY_SCORERS,
    output="summary",
    default_scorers=(section_retrieval,),
)

YOY_CHANGE = Benchmark(
    name="yoy_change",
    dataset=DATASET,
    summary=(
        "What changed materially between two annual filings of a company, of consecutive years."
    ),
    samples=yoy_samples,
    scorers=SUMMARY_SCORERS,
    output="summary",
    default_scorers=(section_retrieval,),
    system_defaults={"top_k": 10, "scope": "sample_documents"},
)


@task
def financebench(
    *,
    system: str = "arag",
    corpus: str | None = None,
    system_args: SystemArgs = None,
    scorers: ScorerNames = "default",
    scorer_args: ScorerArgs = None,
    **unknown: Any,
) -> Task:
    """Questions on SEC filings (FinanceBench, Islam et al., 2023).

    Prepare the corpus first: `arag-inspect prepare financebench`.

    Common parameters and model roles: see `arag_inspect.tasks`.
    """
    args = TaskArgs(scorers, scorer_args, unknown, system, system_args)
    return QUESTIONS.task(args, corpus=corpus)


@task
def financebench_qfs(
    *,
    system: str = "arag",
    corpus: str | None = None,
    subset: Subset = "seed",
    references: str | None = None,
    target_length: int = 200,
    system_args: SystemArgs = None,
    scorers: ScorerNames = "default",
    scorer_args: ScorerArgs = None,
    **unknown: Any,
) -> Task:
    """Query-focused summaries of filings: key risk factors, operational highlights.

    Prepare the corpus first: `arag-inspect prepare financebench`.

    References are silver, written by a model that was given the whole sections: `arag-inspect
    prepare references financebench_qfs --model M`. Without them, and where an annotator rejected
    one, overlap and coverage are unscored. The gold chunks are all chunks of the sections from
    which a reference is written; compare precision and the share of reference facts read, not
    recall.

    Common parameters and model roles: see `arag_inspect.tasks`.

    Args:
        subset: seed for one fiscal year of each company, the latest with both questions (about 80
            samples of the 360 filings), or all for every fiscal year.
        references: Folder with `references.jsonl` and `spot_check.csv`. Default
            `<corpus>-references/financebench_qfs` beside the corpus.
    """
    args = TaskArgs(scorers, scorer_args, unknown, system, system_args)
    return QUERY_FOCUSED.task(
        args, corpus=corpus, subset=subset, references=references, target_length=target_length
    )


@task
def section_summary(
    *,
    system: str = "arag",
    corpus: str | None = None,
    section: str | None = None,
    references: str | None = None,
    target_length: int = 300,
    system_args: SystemArgs = None,
    scorers: ScorerNames = "default",
    scorer_args: ScorerArgs = None,
    **unknown: Any,
) -> Task:
    """Summaries of one named section of a filing, in 200 to 400 words.

    Prepare the corpus first: `arag-inspect prepare financebench`.

    References are silver, written by a model that was given the whole sections: `arag-inspect
    prepare references section_summary --model M`. Without them, and where an annotator rejected
    one, overlap and coverage are unscored. The gold chunks are all chunks of the section.

    Common parameters and model roles: see `arag_inspect.tasks`.

    Args:
        section: Only this section, e.g. `Risk Factors`; None takes each that is long enough.
        references: Folder with `references.jsonl` and `spot_check.csv`. Default
            `<corpus>-references/section_summary` beside the corpus.
    """
    args = TaskArgs(scorers, scorer_args, unknown, system, system_args)
    return SECTION_SUMMARIES.task(
        args, corpus=corpus, section=section, references=references, target_length=target_length
    )


@task
def yoy_change(
    *,
    system: str = "arag",
    corpus: str | None = None,
    references: str | None = None,
    target_length: int = 250,
    system_args: SystemArgs = None,
    scorers: ScorerNames = "default",
    scorer_args: ScorerArgs = None,
    **unknown: Any,
) -> Task:
    """What changed materially between two annual filings of a company, of consecutive years.

    Prepare the corpus first: `arag-inspect prepare financebench`.

    References are silver, written by a model that was given the whole sections: `arag-inspect
    prepare references yoy_change --model M`. Without them, and where an annotator rejected one,
    overlap and coverage are unscored. The gold chunks are those of both management discussions,
    unknown if one was not found. By default only the two filings are searched, for ten results,
    and naive RAG searches each of them.

    Common parameters and model roles: see `arag_inspect.tasks`.

    Args:
        references: Folder with `references.jsonl` and `spot_check.csv`. Default
            `<corpus>-references/yoy_change` beside the corpus.
    """
    args = TaskArgs(scorers, scorer_args, unknown, system, system_args)
    return YOY_CHANGE.task(args, corpus=corpus, references=references, target_length=target_length)
