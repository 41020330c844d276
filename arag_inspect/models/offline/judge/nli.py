"""Inference by rule: whether a sentence contradicts or entails another.

This is no NLI model.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from ....quantities import Statement, compare, read_statement, verify_claims
from ....quantities.verify import same_subject
from ....text.sentences import sentences
from .grades import word_set

Label = Literal["contradiction", "entailment", "neutral"]

_ENTAILED = 0.8
"""Share of the hypothesis's words that one sentence of the premise must contain."""


class Inferred(NamedTuple):
    """Relation of a premise to a hypothesis."""

    label: Label
    why: str = ""
    """Reason of the decision."""


def infer(premise: str, hypothesis: str) -> Inferred:
    """Decide from quantities whether a premise contradicts or entails a hypothesis.

    1. Contradicted: the same known metric has another quantity, sign, direction, period or basis in
       a sentence of the premise, and none of them has the hypothesis's own (`quantities.compare`).
    2. Entailed: one sentence of the premise holds 80 % of its words and supports all its
       quantities.
    3. Neutral: everything else. Negations and opposites are not detected.

    Args:
        premise: One or more sentences taken as true.
        hypothesis: One sentence.
    """
    statement = _statement(hypothesis)
    labels = [_infer(sentence, hypothesis, statement) for sentence in sentences(premise)]
    for label in ("entailment", "contradiction"):
        if match := next((inferred for inferred in labels if inferred.label == label), None):
            return match
    return Inferred("neutral")


@lru_cache(maxsize=4096)
def _statement(text: str) -> Statement:
    return read_statement(text)


def _infer(premise: str, hypothesis: str, statement: Statement) -> Inferred:
    if why := next(_conflicts(_statement(premise), statement), None):
        return Inferred("contradiction", why)
    words = word_set(hypothesis)
    if words and len(words & word_set(premise)) / len(words) >= _ENTAILED:
        claims = verify_claims(hypothesis, [premise])
        if all(claim.verdict in ("supported", "unsettled") for claim in claims):
            return Inferred("entailment", "words and quantities occur in it")
    return Inferred("neutral")


def _conflicts(premise: Statement, hypothesis: Statement) -> Iterator[str]:
    """Yield quantities on which the two sentences disagree for the same metric."""
    for quantity in premise.figures:
        akin = [other for other in hypothesis.figures if same_subject(quantity, other)]
        comparisons = [compare(quantity, other) for other in akin]
        if any(comparison.outcome == "supported" for comparison in comparisons):
            continue
        for other, comparison in zip(akin, comparisons, strict=True):
            same_metric = quantity.metric == other.metric is not None
            if comparison.outcome == "contradicted" and same_metric:
                what = f"differs in {', '.join(comparison.differs)}"
                yield f"{quantity.text} and {other.text}: {what}"
