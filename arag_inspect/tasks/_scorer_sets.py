"""The scorers of a task, by name."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import click
from inspect_ai import Task
from inspect_ai.scorer import Scorer
from inspect_ai.util import registry_info

from .. import scorers as measures
from .._util.errors import InputError
from ..judge.judge import graders

Makers = Mapping[str, Callable[[], Scorer]]
Sets = Mapping[str, Sequence[str]]

_SUMMARY: Makers = {
    "geval_faithfulness": measures.geval_faithfulness,
    "geval_coverage": measures.geval_coverage,
    "error_taxonomy": measures.error_taxonomy,
    "factual_consistency": measures.factual_consistency,
    "fact_match": measures.fact_match,
    "fact_coverage": measures.fact_coverage,
    "nli_contradiction": measures.nli_contradiction,
    "embedding_coverage": measures.embedding_coverage,
    "severity_judge": measures.severity_judge,
    "composite_faithfulness": measures.composite_faithfulness,
    "llm_accuracy": measures.llm_accuracy,
    "contain_match": measures.contain_match,
    "retrieval_pr": measures.retrieval_pr,
    "rouge": measures.rouge,
    "bertscore": measures.bertscore,
    "trend_consistency": measures.trend_consistency,
    "document_recall": measures.document_recall,
    "efficiency": measures.efficiency,
}
"""Scorers of a summary; one that builds on the scores of others comes after them."""

_JUDGED = frozenset(
    (
        "geval_faithfulness",
        "geval_coverage",
        "error_taxonomy",
        "fact_match",
        "severity_judge",
        "composite_faithfulness",
        "llm_accuracy",
    )
)
"""Those that cannot do without a grader."""

_COMPARISON = ("trend_consistency", "document_recall")
"""Those that only a comparison of documents has a use for."""

_PROGRAM = ("factual_consistency", "fact_coverage", "retrieval_pr", "rouge", "efficiency")
_SUMMARY_SETS: Sets = {
    "program": _PROGRAM,
    "default": ("geval_faithfulness", "geval_coverage", "error_taxonomy", *_PROGRAM),
    "all": tuple(name for name in _SUMMARY if name not in _COMPARISON),
}

_ANSWER: Makers = {
    "numeric_match": measures.numeric_match,
    "llm_accuracy": measures.llm_accuracy,
    "contain_match": measures.contain_match,
    "retrieval_pr": measures.retrieval_pr,
    "rouge": measures.rouge,
    "efficiency": measures.efficiency,
}
"""Scorers of an answer to a question."""


def summary_scorers(names: str | Sequence[str], *, comparison: bool = False) -> list[Scorer]:
    """The scorers of a summarisation task.

    Factual consistency asks the grader only where another of them does: it can do without.

    Args:
        names: Scorers and sets of scorers, separated by commas. Sets: `default`, `program` (no grader is asked), `all`.
        comparison: Whether documents are compared, so that `trend_consistency` and `document_recall` are in every set.

    Raises:
        InputError: A name is unknown, or there is none.
    """
    more = _COMPARISON if comparison else ()
    sets = {name: (*chosen, *more) for name, chosen in _SUMMARY_SETS.items()}
    judged = not _JUDGED.isdisjoint(chosen_names(names, _SUMMARY, sets))
    figures: Makers = {"factual_consistency": partial(measures.factual_consistency, judge=judged)}
    makers = {**_SUMMARY, **figures}
    return named_scorers(names, makers, sets)


LEGAL_COVERAGE = 0.66
"""Threshold of `embedding_coverage` for summaries of judgments: between what leaves a sentence out and what tells it in other words (docs/legal.md)."""

_LEGAL: Makers = {
    "geval_faithfulness": measures.geval_faithfulness,
    "geval_coverage": measures.geval_coverage,
    "error_taxonomy": partial(measures.error_taxonomy, taxonomy="legal"),
    "nli_contradiction": measures.nli_contradiction,
    "severity_judge": partial(measures.severity_judge, rubric="legal"),
    "embedding_coverage": partial(measures.embedding_coverage, threshold=LEGAL_COVERAGE),
    "composite_faithfulness": partial(
        measures.composite_faithfulness, rubric="legal", coverage_threshold=LEGAL_COVERAGE
    ),
    "rouge": measures.rouge,
    "bertscore": measures.bertscore,
    "efficiency": measures.efficiency,
}
"""Scorers of a summary of a court opinion."""

_LEGAL_SETS: Sets = {
    "program": ("nli_contradiction", "embedding_coverage", "rouge", "efficiency"),
    "default": tuple(name for name in _LEGAL if name != "bertscore"),
    "all": tuple(_LEGAL),
}


def legal_scorers(names: str | Sequence[str]) -> list[Scorer]:
    """The scorers of summaries of court opinions, with the rubric and taxonomy of lawyers.

    Args:
        names: Scorers and sets of scorers, separated by commas. Sets: `default`, `program` (no grader is asked), `all`.

    Raises:
        InputError: A name is unknown, or there is none.
    """
    return named_scorers(names, _LEGAL, _LEGAL_SETS)


def answer_scorers(names: str | Sequence[str], *, numeric: bool = False) -> list[Scorer]:
    """The scorers of a question-answering task.

    Args:
        names: Scorers and sets of scorers, separated by commas. Sets: `default`, `program` (no grader is asked), `all`.
        numeric: Whether the answers are numbers, so that `numeric_match` is in every set.

    Raises:
        InputError: A name is unknown, or there is none.
    """
    program = (
        *(("numeric_match",) if numeric else ()),
        "contain_match",
        "retrieval_pr",
        "efficiency",
    )
    sets: Sets = {"program": program, "default": ("llm_accuracy", *program), "all": tuple(_ANSWER)}
    return named_scorers(names, _ANSWER, sets)


def named_scorers(names: str | Sequence[str], makers: Makers, sets: Sets) -> list[Scorer]:
    """Make scorers by name, each once, in the order of the makers.

    Args:
        names: Scorers and sets of scorers, separated by commas.
        makers: What can be made.
        sets: Names that stand for several.

    Raises:
        InputError: A name is unknown, or there is none; or a command of Inspect asks for one that needs a grader, which lacks its key.
    """
    chosen = chosen_names(names, makers, sets)
    if not _JUDGED.isdisjoint(chosen) and _scored_by_inspect():
        graders()
    return [make() for name, make in makers.items() if name in chosen]


def asks_grader(task: Task) -> bool:
    """Whether a scorer of a task cannot do without a grader."""
    names = {registry_info(scorer).name.split("/")[-1] for scorer in task.scorer or []}
    return not _JUDGED.isdisjoint(names)


def _scored_by_inspect() -> bool:
    """Whether a command of Inspect makes the task, which has bound its models by then, and scores it."""
    context = click.get_current_context(silent=True)
    return context is not None and context.params.get("no_score", True) is not True


def chosen_names(names: str | Sequence[str], makers: Makers, sets: Sets) -> set[str]:
    """Which scorers the names stand for; see `named_scorers`."""
    if not isinstance(names, str | list | tuple):
        raise InputError(f"scorers must be names, separated by commas, got {names!r}")
    listed = names.split(",") if isinstance(names, str) else [str(name) for name in names]
    wanted = [name.strip().removeprefix("arag_inspect/") for name in listed if name.strip()]
    if not wanted or any(name not in makers and name not in sets for name in wanted):
        known = ", ".join([*sets, *makers])
        raise InputError(f"scorers {names!r} are unknown; choose from {known}")
    return {one for name in wanted for one in sets.get(name, (name,))}
