"""Resolve a judge's two passes over the same facts by rule."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

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


class Bounds(NamedTuple):
    """F1 for the worst and the best case of the missing verdicts."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Resolution:
    """Verdicts on all facts, and the resulting scores."""

    gold: dict[str, Resolved]
    predicted: dict[str, Resolved]
    at_risk: int
    """Gold facts that are TP only by a prediction without a verdict of its own."""

    def side(self, side: Literal["gold", "predicted"]) -> dict[str, Resolved]:
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
        every = {**self.gold, **self.predicted}
        return tuple(one for one, resolved in every.items() if resolved.verdict is None)

    @property
    def bounds(self) -> Bounds:
        """Lowest and highest F1 for any values of the missing verdicts."""
        found, golds = _true(self.gold), len(self.gold)
        right, predictions = _true(self.predicted), len(self.predicted)
        unjudged = sum(one.verdict is None for one in self.predicted.values())
        open_golds = sum(one.verdict is None for one in self.gold.values())
        most_found = min(golds, found + open_golds + unjudged)  # each may still claim a missed fact
        low = _f1(_ratio(right, predictions), _ratio(found - self.at_risk, golds))
        high = _f1(_ratio(right + unjudged, predictions), _ratio(most_found, golds))
        return Bounds(low, high)


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
    settled: dict[str, Resolved] = {}
    for one in predicted_ids:
        settled[one] = _predicted(one, predicted, claims)
    golds = {one: _gold(one, gold, predicted, claims) for one in gold_ids}
    at_risk = sum(
        one.verdict == "TP" and one.match is not None and one.match not in predicted
        for one in golds.values()
    )
    return Resolution(golds, settled, at_risk)


def _predicted(one: str, predicted: Matches, claims: dict[str, str]) -> Resolved:
    if one not in predicted:
        return Resolved(None)
    match = predicted[one]
    if match is None:
        return Resolved("FP")
    if claims.setdefault(match, one) != one:
        return Resolved("FP", match, "repeated")
    return Resolved("TP", match)


def _gold(one: str, gold: Matches, predicted: Matches, claims: Mapping[str, str]) -> Resolved:
    if one in claims:
        return Resolved("TP", claims[one], None if gold.get(one) is not None else "claimed")
    if one not in gold:
        return Resolved(None)
    match = gold[one]
    if match is None:
        return Resolved("FN")
    if match in predicted and predicted[match] is None:
        return Resolved("FN", match, "disowned")
    return Resolved("TP", match)


def _true(resolved: Mapping[str, Resolved]) -> int:
    return sum(one.verdict == "TP" for one in resolved.values())


def _share(resolved: Mapping[str, Resolved]) -> float:
    return _ratio(_true(resolved), sum(one.verdict is not None for one in resolved.values()))


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
