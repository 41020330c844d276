"""Measures, one module each; each works in any Inspect suite."""

from collections.abc import Callable
from typing import Any

from inspect_ai.scorer import Scorer

from .._util.registry import of_benchmark
from ..types.measures import MeasureSpec, measures_of
from .abstention import abstention
from .bertscore import bertscore
from .citation_accuracy import citation_accuracy
from .contain_match import contain_match
from .context_recall import context_recall
from .context_relevance import context_relevance
from .context_sufficiency import context_sufficiency
from .efficiency import efficiency
from .embedding_coverage import embedding_coverage
from .error_taxonomy import error_taxonomy
from .fact_coverage import fact_coverage
from .fact_match import fact_match, fact_match_lenient
from .factual_consistency import factual_consistency
from .geval import geval, geval_coverage, geval_faithfulness
from .llm_accuracy import llm_accuracy
from .nli_contradiction import nli_contradiction
from .numeric_match import numeric_match
from .retrieval_pr import document_recall, retrieval_pr
from .rouge import rouge
from .rubric import rubric
from .section_coverage import section_coverage
from .severity_judge import severity_judge
from .support import support
from .trend_consistency import trend_consistency

__all__ = [
    "abstention",
    "bertscore",
    "citation_accuracy",
    "contain_match",
    "context_recall",
    "context_relevance",
    "context_sufficiency",
    "document_recall",
    "efficiency",
    "embedding_coverage",
    "error_taxonomy",
    "fact_coverage",
    "fact_match",
    "fact_match_lenient",
    "factual_consistency",
    "geval",
    "geval_coverage",
    "geval_faithfulness",
    "llm_accuracy",
    "nli_contradiction",
    "numeric_match",
    "retrieval_pr",
    "rouge",
    "rubric",
    "section_coverage",
    "severity_judge",
    "support",
    "trend_consistency",
]

MEASURES: dict[str, MeasureSpec] = {
    spec.key: spec for name in __all__ for spec in measures_of(globals()[name])
}
"""Every declared measure of this package, by key."""


def add_scorers(*scorers: Callable[..., Scorer]) -> None:
    """Add the scorers of a benchmark to those that are listed, with their measures."""
    for scorer in scorers:
        __all__.append(scorer.__name__)
        MEASURES.update({spec.key: spec for spec in measures_of(scorer)})


def __getattr__(name: str) -> Any:
    """Return a scorer of a benchmark in `arag_inspect.sisters`."""
    return of_benchmark(__name__, name)
