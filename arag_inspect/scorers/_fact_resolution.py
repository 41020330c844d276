"""Resolve a judge's two passes over the same facts by rule."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

Side = Literal["gold", "predicted"]

Matches = Mapping[str, str | None]
"""Match of each fact by id; None without a match. A fact without a verdict is absent."""

Rule = Literal["claimed", "disowned", "repeated"]
"""Why a verdict is not the judge's own, see `resolve`."""


class Resolved(NamedTuple):
    """The verdict on one fact."""

    verdict: Literal["TP", "FN", "FP"] | None
    """None without a match."""

    match: str | None = None
    rule: Rule | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """Verdicts on all facts, and the resulting scores."""

    gold: dict[str, Resolved]
    predicted: dict[str, Resolved]
    at_risk: int
    """Gold facts that are TP only by a prediction without a verdict of its own."""

    def side(self, side: Side) -> dict[str, Resolved]:
        """Return the verdicts of one side, in the order of its facts."""
        return self.gold if side == "gold" else self.predicted

    @property
    def recall(self) -> float:
        """Share of TP among the gold facts with a verdict; 0 if none has one."""
        return _share(self.gold)

    @property
    def precision(self) -> float:
        """Share of TP among the predicted facts with a verdict; 0 if none has one."""
        return _share(self.predicted)

    @property
    def f1(self) -> float:
        """Harmonic mean of both."""
        return _f1(self.precision, self.recall)

    @property
    def missing(self) -> tuple[str, ...]:
        """Ids of the facts without a verdict."""
        facts = {**self.gold, **self.predicted}
        return tuple(fact for fact, resolved in facts.items() if resolved.verdict is None)

    @property
    def bounds(self) -> tuple[float, float]:
        """Lowest and highest F1 for any values of the missing verdicts."""
        true_golds, golds = _count_true(self.gold), len(self.gold)
        true_predictions, predictions = _count_true(self.predicted), len(self.predicted)
        unjudged = sum(resolved.verdict is None for resolved in self.predicted.values())
        open_golds = sum(resolved.verdict is None for resolved in self.gold.values())
        # each unjudged prediction may still claim a missed fact
        most_true_golds = min(golds, true_golds + open_golds + unjudged)
        low = _f1(_ratio(true_predictions, predictions), _ratio(true_golds - self.at_risk, golds))
        high = _f1(_ratio(true_predictions + unjudged, predictions), _ratio(most_true_golds, golds))
        return low, high


def resolve(
    gold_ids: tuple[str, ...], predicted_ids: tuple[str, ...], gold: Matches, predicted: Matches
) -> Resolution:
    """Reconcile the two passes.

    1. Several predictions claim one gold fact: the first in the order of `predicted_ids` stays TP,
       the others become FP (`repeated`).
    2. A gold fact that a prediction claims is TP, matched with that prediction, although the judge
       found no match for it (`claimed`). This also holds if its own verdict is missing, since no
       verdict could change it.
    3. A gold fact that no prediction claims, matched with a prediction that is FP, becomes FN
       (`disowned`).
    4. Every other verdict is the judge's own.

    Afterwards each TP prediction matches a different gold fact, and that fact is TP.

    Args:
        gold_ids: All gold facts.
        predicted_ids: All predicted facts, in their order.
        gold: The prediction that each gold fact was matched with.
        predicted: The gold fact that each prediction was matched with.
    """
    claims: dict[str, str] = {}
    predictions = {fact: _predicted(fact, predicted, claims) for fact in predicted_ids}
    golds = {fact: _gold(fact, gold, predicted, claims) for fact in gold_ids}
    at_risk = sum(
        resolved.verdict == "TP" and resolved.match is not None and resolved.match not in predicted
        for resolved in golds.values()
    )
    return Resolution(golds, predictions, at_risk)


def _predicted(fact: str, predicted: Matches, claims: dict[str, str]) -> Resolved:
    if fact not in predicted:
        return Resolved(None)
    match = predicted[fact]
    if match is None:
        return Resolved("FP")
    if claims.setdefault(match, fact) != fact:
        return Resolved("FP", match, "repeated")
    return Resolved("TP", match)


def _gold(fact: str, gold: Matches, predicted: Matches, claims: Mapping[str, str]) -> Resolved:
    if fact in claims:
        return Resolved("TP", claims[fact], None if gold.get(fact) is not None else "claimed")
    if fact not in gold:
        return Resolved(None)
    match = gold[fact]
    if match is None:
        return Resolved("FN")
    if match in predicted and predicted[match] is None:
        return Resolved("FN", match, "disowned")
    return Resolved("TP", match)


def _count_true(facts: Mapping[str, Resolved]) -> int:
    return sum(resolved.verdict == "TP" for resolved in facts.values())


def _share(facts: Mapping[str, Resolved]) -> float:
    return _ratio(
        _count_true(facts), sum(resolved.verdict is not None for resolved in facts.values())
    )


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
