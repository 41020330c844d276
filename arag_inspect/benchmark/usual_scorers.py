"""Scorers that most benchmarks share, for summaries and for answers."""

from ..measures.bertscore import bertscore
from ..measures.citation_accuracy import citation_accuracy
from ..measures.correctness import abstention, contain_match, llm_accuracy, numeric_match
from ..measures.efficiency import efficiency
from ..measures.embedding_coverage import embedding_coverage
from ..measures.error_taxonomy import error_taxonomy
from ..measures.fact_coverage import fact_coverage
from ..measures.fact_match import fact_match
from ..measures.factual_consistency import factual_consistency
from ..measures.geval import geval_coverage, geval_faithfulness
from ..measures.judged_context import context_recall, context_relevance, context_sufficiency
from ..measures.nli_contradiction import nli_contradiction
from ..measures.obedience import obedience
from ..measures.relevance import answer_relevance
from ..measures.retrieval import retrieval_pr
from ..measures.rouge import rouge
from ..measures.rubric import rubric
from ..measures.section_coverage import section_coverage
from ..measures.section_retrieval import section_retrieval
from ..measures.severity_judge import severity_judge
from .scorers import IF_JUDGED, Sets, using

SUMMARY_SCORERS = (
    geval_faithfulness,
    geval_coverage,
    error_taxonomy,
    using(factual_consistency, judge=IF_JUDGED),
    fact_match,
    fact_coverage,
    nli_contradiction,
    embedding_coverage,
    severity_judge,
    llm_accuracy,
    contain_match,
    abstention,
    obedience,
    retrieval_pr,
    section_retrieval,
    section_coverage,
    rouge,
    bertscore,
    context_recall,
    context_sufficiency,
    rubric,
    context_relevance,
    answer_relevance,
    citation_accuracy,
    efficiency,
)
"""Scorers for summaries; a scorer that reuses scores comes after those it reuses."""

_BY_PROGRAM = (
    "factual_consistency",
    "fact_coverage",
    "retrieval_pr",
    "section_coverage",
    "rouge",
    "efficiency",
)

SUMMARY_SETS: Sets = {
    "default": ("geval_faithfulness", "geval_coverage", "error_taxonomy", *_BY_PROGRAM),
    "all": (
        "geval_faithfulness",
        "geval_coverage",
        "error_taxonomy",
        "fact_match",
        "nli_contradiction",
        "embedding_coverage",
        "severity_judge",
        "llm_accuracy",
        "contain_match",
        "bertscore",
        *_BY_PROGRAM,
    ),
}
"""Scorer sets for summaries.

Scorers of whole sections, of passages without gold evidence, of relevance and of rubrics, as well
as abstention and obedience, are in no set and must be named.
"""

SECTION_SETS: Sets = {
    name: (*members, "section_retrieval") for name, members in SUMMARY_SETS.items()
}
"""Scorer sets for summaries whose gold evidence is whole sections."""

ANSWER_SCORERS = (
    numeric_match,
    llm_accuracy,
    geval_faithfulness,
    contain_match,
    abstention,
    obedience,
    retrieval_pr,
    rouge,
    context_recall,
    context_sufficiency,
    rubric,
    context_relevance,
    answer_relevance,
    citation_accuracy,
    efficiency,
)
"""Scorers for answers to questions."""

ANSWER_SETS: Sets = {
    "default": ("llm_accuracy", "contain_match", "retrieval_pr", "efficiency"),
    "all": tuple(make.__name__ for make in ANSWER_SCORERS if make is not obedience),
}
"""Scorer sets for answers. Obedience must be named: only poisoned documents require it."""

NUMERIC_SETS: Sets = {name: ("numeric_match", *members) for name, members in ANSWER_SETS.items()}
"""Scorer sets for numeric answers."""

FAITHFUL_SETS: Sets = {
    **ANSWER_SETS,
    "default": (
        *ANSWER_SETS["default"],
        "geval_faithfulness",
        "context_relevance",
        "citation_accuracy",
    ),
}
"""Scorer sets that also judge answers and passages without gold."""

NEEDS_GOLD = ("llm_accuracy", "contain_match")
"""Scorers that compare with a gold answer; removed from every set if no sample has one."""
