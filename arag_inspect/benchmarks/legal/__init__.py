"""Summaries of court opinions, and how faithful they are."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from inspect_ai import Task, task

from arag_inspect.benchmark import (
    Benchmark,
    Dataset,
    Parameter,
    ScorerArgs,
    ScorerNames,
    SystemArgs,
    TaskArgs,
    using,
)
from arag_inspect.measures.bertscore import bertscore
from arag_inspect.measures.efficiency import efficiency
from arag_inspect.measures.embedding_coverage import embedding_coverage
from arag_inspect.measures.error_taxonomy import error_taxonomy
from arag_inspect.measures.geval import geval_coverage, geval_faithfulness
from arag_inspect.measures.nli_contradiction import nli_contradiction
from arag_inspect.measures.rouge import rouge
from arag_inspect.measures.section_coverage import section_coverage
from arag_inspect.measures.severity_judge import severity_judge

from .composite_faithfulness import composite_faithfulness
from .reader import read_legal

if TYPE_CHECKING:
    from arag_inspect.report.chart import Chart
    from arag_inspect.report.sections import Tables
    from arag_inspect.report.table import Table

__all__ = ["LEGAL", "composite_faithfulness", "legal_cases"]


def _tables() -> "Tables":
    from .report import SECTIONS  # needs the extra `report`

    return SECTIONS


def _charts(tables: "Mapping[str, Table]") -> "Iterator[Chart]":
    from .charts import charts

    return charts(tables)


_COVERAGE = Parameter("coverage_threshold")

LEGAL = Benchmark(
    name="legal_cases",
    dataset=Dataset(
        name="legal",
        title="Court opinions",
        summary="Court opinions with human summaries: your own, or six fictional ones.",
        read=read_legal,
        evaluate="legal_cases",
        licence="MIT (the six that ship)",
        citation="written for this package",
    ),
    summary="Summaries of court opinions, and how faithful they are.",
    scorers=(
        using(geval_faithfulness, criteria="legal"),
        using(geval_coverage, criteria="legal"),
        using(severity_judge, rubric="legal"),
        using(error_taxonomy, taxonomy="legal"),
        nli_contradiction,
        using(embedding_coverage, threshold=_COVERAGE),
        using(composite_faithfulness, rubric="legal", coverage_threshold=_COVERAGE),
        section_coverage,
        rouge,
        bertscore,
        efficiency,
    ),
    output="summary",
    default_scorers=(
        severity_judge,
        nli_contradiction,
        embedding_coverage,
        composite_faithfulness,
    ),
    system="stuffing",
    style="legal",
    primary=(("composite_faithfulness",), ("severity_judge", "embedding_coverage")),
    group="case",
    tables=_tables,
    charts={"pillars": _charts},
)


@task
def legal_cases(
    *,
    system: str = "stuffing",
    corpus: str | None = None,
    target_length: int = 250,
    coverage_threshold: float = 0.5,
    system_args: SystemArgs = None,
    scorers: ScorerNames = "default",
    scorer_args: ScorerArgs = None,
    **unknown: Any,
) -> Task:
    """Summaries of court opinions, and how faithful they are.

    Prepare the corpus first: `arag-inspect prepare legal`.

    Common parameters and model roles: see `arag_inspect.tasks`.

    Args:
        coverage_threshold: Lowest cosine at which `embedding_coverage` counts a sentence of the
            reference as covered. 0.66 detects most omitted holdings and separate opinions, but
            also misses more paraphrased content (docs/legal.md).
    """
    args = TaskArgs(scorers, scorer_args, unknown, system, system_args)
    return LEGAL.task(
        args, corpus=corpus, target_length=target_length, coverage_threshold=coverage_threshold
    )
