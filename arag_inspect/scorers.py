"""Scorers, each usable in any Inspect evaluation."""

from collections.abc import Iterator
from typing import Any

from .benchmarks import exports
from .measure import MeasureSpec, measures_of
from .measures import shared_scorers
from .measures.answer_match import answer_match as answer_match
from .measures.bertscore import bertscore as bertscore
from .measures.citation_accuracy import citation_accuracy as citation_accuracy
from .measures.correctness import abstention as abstention
from .measures.correctness import contain_match as contain_match
from .measures.correctness import llm_accuracy as llm_accuracy
from .measures.correctness import numeric_match as numeric_match
from .measures.efficiency import efficiency as efficiency
from .measures.embedding_coverage import embedding_coverage as embedding_coverage
from .measures.error_taxonomy import error_taxonomy as error_taxonomy
from .measures.fact_coverage import fact_coverage as fact_coverage
from .measures.fact_match import fact_match as fact_match
from .measures.factual_consistency import factual_consistency as factual_consistency
from .measures.factual_consistency import support as support
from .measures.geval import geval as geval
from .measures.geval import geval_coverage as geval_coverage
from .measures.geval import geval_faithfulness as geval_faithfulness
from .measures.judged_context import context_recall as context_recall
from .measures.judged_context import context_relevance as context_relevance
from .measures.judged_context import context_sufficiency as context_sufficiency
from .measures.nli_contradiction import nli_contradiction as nli_contradiction
from .measures.obedience import obedience as obedience
from .measures.relevance import answer_relevance as answer_relevance
from .measures.retrieval import retrieval_pr as retrieval_pr
from .measures.rouge import rouge as rouge
from .measures.rubric import rubric as rubric
from .measures.section_coverage import section_coverage as section_coverage
from .measures.section_retrieval import section_retrieval as section_retrieval
from .measures.severity_judge import severity_judge as severity_judge

_SHARED = shared_scorers()
_SCORERS = {**{name: _SHARED[name] for name in sorted(_SHARED)}, **exports("scorer")}
__all__ = [*_SCORERS]


def __getattr__(name: str) -> Any:
    """Return a scorer that is not named in this file."""
    if name in _SCORERS:
        return _SCORERS[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _declared_measures() -> Iterator[MeasureSpec]:
    """Yield the measures of each scorer, in order."""
    for make in _SCORERS.values():
        yield from measures_of(make)


MEASURES: dict[str, MeasureSpec] = {spec.key: spec for spec in _declared_measures()}
"""Every declared measure of this package, by key."""
