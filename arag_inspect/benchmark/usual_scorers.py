"""Order and arguments of the scorers that most benchmarks share.

Scorers declare themselves whether they run by default: see `sets` of their decorator.
"""

from ..measure import Output
from ..measures import shared_scorers
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
from ..measures.scorer import membership_of
from ..measures.section_coverage import section_coverage
from ..measures.section_retrieval import section_retrieval
from ..measures.severity_judge import severity_judge
from .scorers import IF_JUDGED, BoundScorer, Factory, bind, using


def _usual_scorers(
    output: Output, *scorers: BoundScorer | Factory
) -> tuple[BoundScorer | Factory, ...]:
    """Return scorers, then shared scorers that declare a set for a kind of output as well."""
    names = {bind(scorer).name for scorer in scorers}
    others = (make for name, make in shared_scorers().items() if name not in names)
    return (*scorers, *(make for make in others if output in membership_of(make).sets))


SUMMARY_SCORERS = _usual_scorers(
    "summary",
    geval_faithfulness,
    geval_coverage,
    error_taxonomy,
    using(factual_consistency, judge=IF_JUDGED),
    fact_match,
    fact_coverage,
    nli_contradiction,
    embedding_coverage,
    severity_judge,
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
"""Scorers for summaries; scorers that declare a set need not be here.

A scorer that reuses scores comes after their scorers.
"""

ANSWER_SCORERS = _usual_scorers(
    "answer",
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

SCORERS_WITHOUT_GOLD = (geval_faithfulness, context_relevance, citation_accuracy)
"""Scorers of answers and passages that need neither gold answers nor gold evidence."""
