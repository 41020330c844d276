"""Read logs made before scorers and keys were renamed under the new names."""

import re
from typing import Any

from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score

_SCORERS = {
    "direction_of_change": "trend_consistency",
    "document_use": "citation_recall",
    "documents_read": "document_recall",
}
_KEYS = {
    "citation_check": {"verbatim": "exact", "found": "fuzzy"},
    "estimate_flags": {"vague": "sensitivity", "exact": "specificity"},
    "fact_coverage": {"fact_coverage": "facts", "figure_coverage": "quantities"},
    "factual_consistency": {"verified": "supported"},
    "retrieval_pr": {"found_recall": "search_recall"},
    "trend_consistency": {"borne_out": "supported"},
}
"""New key by scorer and old key. No scorer has a key that was once the name of another of its keys.
"""

_NUMBERED = re.compile(r"(?P<scorer>.+?)(?P<number>-?\d+)?")
"""A scorer's name, as `inspect score --action append` numbers repetitions."""


def with_new_names(log: EvalLog) -> EvalLog:
    """Rename scorers and keys of a log in place, and return it."""
    for scorer in log.eval.scorers or []:
        name = _new_scorer(scorer.name)
        if isinstance(scorer.metrics, dict):
            scorer.metrics = _new_keys(name, scorer.metrics)
        scorer.name = name
    for sample in log.samples or []:
        sample.scores = {
            name: _new_score(name, score)
            for old, score in (sample.scores or {}).items()
            for name in [_new_scorer(old)]
        }
    return log


def _new_scorer(name: str) -> str:
    match = _NUMBERED.fullmatch(name)
    if match is None or match["scorer"] not in _SCORERS:
        return name
    return _SCORERS[match["scorer"]] + (match["number"] or "")


def _new_score(name: str, score: Score) -> Score:
    if isinstance(score.value, dict):
        score.value = _new_keys(name, score.value)
    signature = (score.metadata or {}).get("signature")
    if score.metadata and isinstance(signature, str):
        scorer, *parameters = signature.split("|")
        parameters = [
            re.sub(r"^against:read\b", "against:context", parameter) for parameter in parameters
        ]
        score.metadata["signature"] = "|".join((_new_scorer(scorer), *parameters))
    return score


def _new_keys(name: str, values: dict[str, Any]) -> dict[str, Any]:
    match = _NUMBERED.fullmatch(name)
    keys = _KEYS.get(match["scorer"] if match else name, {})
    return {keys.get(key, key): value for key, value in values.items()}
