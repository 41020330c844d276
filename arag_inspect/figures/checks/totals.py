"""Figures that a statement computes itself: sums and differences of figures of its source."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations, islice
from typing import Literal, NamedTuple

from ..comparison.compare import conflicting, tolerance
from ..quantity import Quantity

_Kind = Literal["sum", "growth", "difference"]

_COMPUTED: dict[_Kind, re.Pattern[str]] = {
    "sum": re.compile(
        r"\b(?:altogether|combined(?! ratio)|together(?! with)|in (?:aggregate|all)\b|summed"
        r"|adds? up to|(?:across|at|for|from|in|of) both|sum of)\b"
    ),
    "growth": re.compile(r"\bnet (?:\S+ )?(?:addition|gain|increase|more|new|opening)"),
    "difference": re.compile(r"\b(?:difference|gap) (?:between|of|in)\b"),
}
"""Words that a figure is the sum of two, what came less what went, or the distance of two."""

_COUNT = r"\d{1,3}(?:,?\d{3}){0,2}\b(?!\.\d|\s?(?:%|percent|thousand|million|billion))"
"""A number of things in digits."""

_LEAVING = re.compile(
    r"\b(?:cancell?ed|clos(?:e[sd]?|ing|ures?)|cut|depart\w*|dispos\w+|divest\w*|exit\w*|fewer|laid off"
    r"|left|los(?:es?|ing|t)|reduc\w+|remov\w+|resign\w*|retire\w*|shed|shut\w*|sold|terminat\w+)\b"
)
"""Words that what is counted went."""

_MOST_FIGURES = 12
"""Figures of a sentence or row of which pairs are tried."""

_MOST_PAIRS = 100
"""Pairs that a claim is compared with."""


class ComputedPair(NamedTuple):
    """Two figures of one sentence or row."""

    result: float
    """Their sum or distance."""

    is_sum: bool
    source: str
    first: Quantity
    second: Quantity


def is_computed(text: str) -> bool:
    """Return whether a text says that a figure is a sum or a difference."""
    return bool(_kinds(text)) or _says_net(text, _COUNT)


def is_net_count(figure: Quantity, sentence: str) -> bool:
    """Return whether a sentence says that a count is net: a net 15 stores, 15 stores, net."""
    return figure.unit == "count" and _says_net(sentence, re.escape(figure.text.lower()))


def mentions_net(text: str) -> bool:
    """Return whether a text says "net" of anything."""
    return re.search(r"\bnet\b", text.lower()) is not None


class Totals:
    """Sums and differences of the figures of each sentence and row."""

    def __init__(self) -> None:
        self._groups: dict[str, Sequence[Quantity]] = {}

    def add(self, source: str, figures: Sequence[Quantity]) -> None:
        """Add the figures of a sentence or row."""
        if 1 < len(figures) <= _MOST_FIGURES:
            self._groups[source] = figures

    def pairs(self, claim: Quantity, sentence: str) -> Iterator[ComputedPair]:
        """Yield the pairs from which a statement may compute a figure."""
        kinds = _kinds(sentence)
        if is_net_count(claim, sentence):
            kinds.add("growth")
        margin = tolerance(claim, claim.amount, claim.step)
        start = bisect_left(self._pairs, abs(claim.amount) - margin, key=_result)
        for pair in islice(self._pairs, start, start + _MOST_PAIRS):
            if pair.result > abs(claim.amount) + margin:
                return
            is_growth = "growth" in kinds and _is_growth(pair) != _is_fall(claim)
            may_be_meant = "sum" in kinds if pair.is_sum else "difference" in kinds or is_growth
            if may_be_meant and all(_may_be_part(part, claim, sentence) for part in pair[-2:]):
                yield pair

    @cached_property
    def _pairs(self) -> list[ComputedPair]:
        """All pairs, by what they amount to."""
        pairs = []
        for source, figures in self._groups.items():
            for first, second in combinations(figures, 2):
                is_of_nothing = not (first.amount and second.amount)
                if is_of_nothing or first.dimension != second.dimension:
                    continue
                difference = abs(first.amount - second.amount)
                pairs.append(
                    ComputedPair(first.amount + second.amount, True, source, first, second)
                )
                pairs.append(ComputedPair(difference, False, source, first, second))
        return sorted(pairs, key=_result)


def _kinds(text: str) -> set[_Kind]:
    """Return how a text says that a figure is computed."""
    lower = text.lower()
    return {kind for kind, pattern in _COMPUTED.items() if pattern.search(lower)}


def _says_net(text: str, number: str) -> bool:
    """Return whether a text says "net" of a number that a pattern matches."""
    net_number = rf"\bnet (?:of )?{number}\b|\b{number}[^,;.\d]{{1,40}}, net\b"
    return re.search(net_number, text.lower()) is not None


def _is_growth(pair: ComputedPair) -> bool:
    """Return whether more came than went; the second went unless only the first did."""
    came, went = pair.first, pair.second
    if _is_leaving(came) and not _is_leaving(went):
        came, went = went, came
    return came.amount > went.amount


def _is_leaving(figure: Quantity) -> bool:
    return _LEAVING.search(f"{figure.before} {figure.after}") is not None


def _is_fall(claim: Quantity) -> bool:
    """Return whether the words right beside a net figure say that more went than came."""
    words_after = claim.after.split()[:2]
    return _LEAVING.search(f"{claim.before} {' '.join(words_after)}") is not None


def _result(pair: ComputedPair) -> float:
    return pair.result


def _may_be_part(figure: Quantity, claim: Quantity, sentence: str) -> bool:
    """Return whether a figure may be a part of a claim: of its kind, period, basis and status."""
    differs = {*conflicting(claim, figure)}
    if str(figure.period.year) in sentence:  # one of the years that the statement adds up
        differs.discard("period")
    are_points = (claim.dimension, figure.dimension) == ("points", "percent")
    is_of_kind = figure.dimension == claim.dimension or are_points
    is_single = figure.value_high is None and claim.value_high is None
    return is_of_kind and is_single and not differs & {"period", "basis", "status", "denial"}
