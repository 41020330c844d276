"""Measures, one module each; each works in any Inspect suite."""

from ..types.measures import MeasureSpec, measures_of
from .abstention import abstention
from .bertscore import bertscore
from .citation_accuracy import citation_accuracy
from .citation_check import citation_check
from .citation_recall import citation_recall
from .composite_faithfulness import composite_faithfulness
from .contain_match import contain_match
from .context_relevance import context_relevance
from .document_recall import document_recall
from .efficiency import efficiency
from .embedding_coverage import embedding_coverage
from .error_taxonomy import error_taxonomy
from .estimate_flags import estimate_flags
from .evidence_support import evidence_support
from .fact_coverage import fact_coverage
from .fact_match import fact_match, fact_match_lenient
from .factual_consistency import factual_consistency
from .geval import geval, geval_coverage, geval_faithfulness
from .llm_accuracy import llm_accuracy
from .nli_contradiction import nli_contradiction
from .numeric_match import numeric_match
from .perspective_validity import perspective_validity
from .retrieval_pr import retrieval_pr
from .rouge import rouge
from .schema_validity import schema_validity
from .section_coverage import section_coverage
from .severity_judge import severity_judge
from .support import support
from .trend_consistency import trend_consistency
from .value_history import value_history

__all__ = [
    "abstention",
    "bertscore",
    "citation_accuracy",
    "citation_check",
    "citation_recall",
    "composite_faithfulness",
    "contain_match",
    "context_relevance",
    "document_recall",
    "efficiency",
    "embedding_coverage",
    "error_taxonomy",
    "estimate_flags",
    "evidence_support",
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
    "perspective_validity",
    "retrieval_pr",
    "rouge",
    "schema_validity",
    "section_coverage",
    "severity_judge",
    "support",
    "trend_consistency",
    "value_history",
]

MEASURES: dict[str, MeasureSpec] = {
    spec.key: spec for name in __all__ for spec in measures_of(globals()[name])
}
"""Every declared measure of this package, by key."""
