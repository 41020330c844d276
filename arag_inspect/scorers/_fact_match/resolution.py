"""Resolving what two passes of a judge say of the same facts, by program."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

Matches = Mapping[str, str | None]
"""What each fact was matched with, by its id, None where with nothing. A fact without a verdict is absent."""

Rule = Literal["claimed", "disowned", "repeated"]
"""Why a verdict is not the judge's own, see `resolve`."""


class Resolved(NamedTuple):
    """The verdict on one fact."""

    verdict: Literal["TP", "FN", "FP"] | None
    """None where there is none."""

    match: str | None = None
    rule: Rule | None = None


class Bounds(NamedTuple):
    """F1 in the worst and in the best case of the verdicts that are missing."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Resolution:
    """Verdicts on all facts, and what follows from them."""

    gold: dict[str, Resolved]
    predicted: dict[str, Resolved]
    at_risk: int
    """Gold facts that are TP only by a prediction that has no verdict itself."""

    def side(self, side: Literal["gold", "predicted"]) -> dict[str, Resolved]:
        """The verdicts of one side, in the order of its facts."""
        return self.gold if side == "gold" else self.predicted

    @property
    def recall(self) -> float:
        """Share of TP among the gold facts with a verdict; 0 where none has one."""
        return _share(self.gold)

    @property
    def precision(self) -> float:
        """Share of TP among the predicted facts with a verdict; 0 where none has one."""
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
        """What F1 can be, whatever the missing verdicts would be."""
        found, golds = _true(self.gold), len(self.gold)
        right, predictions = _true(self.predicted), len(self.predicted)
        unjudged = sum(one.verdict is None for one in self.predicted.values())
        open_golds = sum(one.verdict is None for one in self.gold.values())
        most_found = min(golds, found + open_golds + unjudged)  # each may yet claim a missed fact
        low = _f1(_ratio(right, predictions), _ratio(found - self.at_risk, golds))
        high = _f1(_ratio(right + unjudged, predictions), _ratio(most_found, golds))
        return Bounds(low, high)


def resolve(
    gold_ids: tuple[str, ...], predicted_ids: tuple[str, ...], gold: Matches, predicted: Matches
) -> Resolution:
    """Bring the two passes into agreement.

    1. Many predictions that claim one gold fact: the first in the order of `predicted_ids` stays TP, the others become FP (`repeated`).
    2. A gold fact that a prediction claims is TP, matched with that prediction, although the judge found nothing for it (`claimed`). This holds also where its own verdict is missing, since none could change it.
    3. A gold fact that nothing claims, TP by a prediction that itself is FP, becomes FN (`disowned`).
    4. Every other verdict is the judge's own.

    So afterwards each TP prediction stands for another gold fact, and that fact is TP.

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
