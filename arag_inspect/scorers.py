"""Scorers, each usable in any Inspect evaluation."""

from collections.abc import Iterator
from typing import Any

from .benchmarks import exports
from .measure import MeasureSpec, measures_of
from .measures import shared_scorers
from .measures.answer_match import answer_match
from .measures.bertscore import bertscore
from .measures.citation_accuracy import citation_accuracy
from .measures.correctness import abstention, contain_match, llm_accuracy, numeric_match
from .measures.efficiency import efficiency
from .measures.embedding_coverage import embedding_coverage
from .measures.error_taxonomy import error_taxonomy
from .measures.fact_coverage import fact_coverage
from .measures.fact_match import fact_match
from .measures.factual_consistency import factual_consistency, support
from .measures.geval import geval, geval_coverage, geval_faithfulness
from .measures.judged_context import context_recall, context_relevance, context_sufficiency
from .measures.nli_contradiction import nli_contradiction
from .measures.obedience import obedience
from .measures.relevance import answer_relevance
from .measures.retrieval import retrieval_pr
from .measures.rouge import rouge
from .measures.rubric import rubric
from .measures.section_coverage import section_coverage
from .measures.section_retrieval import section_retrieval
from .measures.severity_judge import severity_judge

_FOUND = {**shared_scorers(), **exports("scorer")}
_ADDED = {name: make for name, make in _FOUND.items() if name not in globals()}
"""Scorers of benchmarks, and of modules of `measures` that are not named above."""

__all__ = [
    "abstention",
    "answer_match",
    "answer_relevance",
    "bertscore",
    "citation_accuracy",
    "contain_match",
    "context_recall",
    "context_relevance",
    "context_sufficiency",
    "efficiency",
    "embedding_coverage",
    "error_taxonomy",
    "fact_coverage",
    "fact_match",
    "factual_consistency",
    "geval",
    "geval_coverage",
    "geval_faithfulness",
    "llm_accuracy",
    "nli_contradiction",
    "numeric_match",
    "obedience",
    "retrieval_pr",
    "rouge",
    "rubric",
    "section_coverage",
    "section_retrieval",
    "severity_judge",
    "support",
    *_ADDED,
]


def __getattr__(name: str) -> Any:
    """Return a scorer that is not named in this file."""
    if name in _ADDED:
        return _ADDED[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _declared_measures() -> Iterator[MeasureSpec]:
    """Yield the measures of each scorer, in order."""
    for name in __all__:
        scorer = _ADDED[name] if name in _ADDED else globals()[name]
        yield from measures_of(scorer)


MEASURES: dict[str, MeasureSpec] = {spec.key: spec for spec in _declared_measures()}
"""Every declared measure of this package, by key."""
