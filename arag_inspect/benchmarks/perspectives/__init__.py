"""Two-sided summaries of contested questions, with evidence."""

from typing import Any, Literal

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import Solver

from arag_inspect.benchmark import (
    Benchmark,
    Dataset,
    Parameter,
    ScorerArgs,
    ScorerNames,
    TaskArgs,
    using,
)
from arag_inspect.measures.efficiency import efficiency

from .evidence_support import evidence_support
from .form_checks import citation_recall, perspective_validity
from .multi_perspective import multi_perspective
from .questions import perspectives_dataset, two_sided_outputs

__all__ = [
    "PERSPECTIVES",
    "citation_recall",
    "evidence_support",
    "multi_perspective",
    "perspective_validity",
    "perspectives",
]


def _make_solver(*, max_attempts: int, max_parse_errors: int, **_: Any) -> Solver:
    return multi_perspective(max_attempts=max_attempts, max_parse_errors=max_parse_errors)


PERSPECTIVES = Benchmark(
    name="perspectives",
    dataset=Dataset(
        name="perspectives",
        title="Contested questions",
        summary="Contested questions with documents on both sides; ships with the package.",
        licence="MIT",
        citation="written for this package",
    ),
    summary=(
        "Two-sided summaries of contested questions, each point with its supporting documents."
    ),
    samples=lambda path, **_: perspectives_dataset(path),
    solver=_make_solver,
    config=GenerateConfig(temperature=0.1, top_p=0.8, max_tokens=1500),
    scorers=(
        perspective_validity,
        using(evidence_support, method=Parameter("evidence")),
        citation_recall,
        efficiency,
    ),
    sets={"no_grader": ("perspective_validity", "citation_recall", "efficiency")},
    style="qa",
    primary=(("evidence_support", "perspective_validity.all"),),
    exports={"perspectives.jsonl": two_sided_outputs},
)


@task
def perspectives(
    *,
    path: str | None = None,
    max_attempts: int = 10,
    max_parse_errors: int = 5,
    evidence: Literal["grader", "nli"] = "grader",
    scorers: ScorerNames = "default",
    scorer_args: ScorerArgs = None,
    **unknown: Any,
) -> Task:
    """Two-sided summaries of contested questions, each point with its supporting documents.

    Answers are sampled at temperature 0.1 and top-p 0.8, with at most 1,500 tokens; Inspect's
    `--temperature`, `--top-p` and `--max-tokens` override these.

    Common parameters and model roles: see `arag_inspect.tasks`.

    Args:
        path: JSON Lines with `query`, `documents` and optionally `web`. Default: the twenty
            questions of the package.
        max_attempts: Maximum number of model calls per question.
        max_parse_errors: Unreadable answers before the lowest-scored documents are dropped.
        evidence: Checks whether a perspective follows from its documents: the grader, or a model
            of natural language inference.
    """
    args = TaskArgs(scorers, scorer_args, unknown)
    attempts = {"max_attempts": max_attempts, "max_parse_errors": max_parse_errors}
    return PERSPECTIVES.task(args, path=path, evidence=evidence, **attempts)
