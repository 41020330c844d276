"""Read what a statement says of a figure that it may compute."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import get_args

from ..comparison.compare import same_quantity
from ..lexicon import words
from ..quantity import Quantity
from ..tables.column_heads import years_of
from .net_counts import is_net_count, mentions_net_count
from .operands import Operand, operand_names
from .results import Computation, RangeEnd, Result

_SAID: dict[Computation, re.Pattern[str]] = {
    kind: re.compile(rf"\b(?:{words(f'computed {kind}')})") for kind in get_args(Computation)
}
"""Words by which a statement says how its figure is computed."""

_MORE = words("more")
_LESS = words("less")
_DISTANCE = re.compile(rf"(?:\s[\w-]+){{0,3}}?\s(?:(?P<more>{_MORE})|{_LESS})\b")
"""After the size of a difference, its direction: 20 tons more than."""

_BY = re.compile(rf"\b(?:(?P<more>{_MORE})|{_LESS})\b.*\bby\s(?:[a-z]+\s)?\S?$")
"""Before the size of a difference, its direction: exceeded its budget by."""

_CHANGED_BY = re.compile(r"\bby\s(?:[a-z]+\s)?\S?$")
_EITHER_WAY = re.compile(r"\b(?:chang|differ|gap|mov|spread|sw[iu]ng)")
_LOSS_MOVED = re.compile(r"\b(?:(?P<less>narrow|shrank|shrunk)|deepen|grew|widen)")
"""Words for a loss that is less than before, or greater."""

_TO = re.compile(r"\bto\s(?:[a-z]+\s)?\S?$")
_COMPARES = re.compile(rf"\b(?:than|{_MORE}|{_LESS})\b")
"""Between what is compared and what it is compared with."""

_CLAUSE = re.compile(r";\s|,\s(?:although|but|whereas|while)\s")
_WHOLE = re.compile(
    r"\bof\s(?P<name>(?:"
    r"(?!(?:are|as|at|but|by|came|can|comes?|falls?|fell|for|from|goes|had|has|have|in|is|outside"
    r"|should|that|to|was|went|were|will|with)\b)[\w&'’-]+\s?)+)"
)
"""Whole of a share."""

_LEFT_OUT = re.compile(
    rf"\b(?:{words('computed without')})\s(?P<name>(?:"
    r"(?!(?:amount|are|came|had|has|is|stood|total|was|were)(?:ed|s)?\b)[\w&'’-]+\s?)+)"
)
"""What a figure does not include."""

_ENDS: dict[RangeEnd, re.Pattern[str]] = {
    "low": re.compile(r"\b(?:both|bottom|low|lower) ends?\b|\bbottom of\b"),
    "high": re.compile(r"\b(?:both|high|higher|top|upper) ends?\b|\btop of\b"),
}
"""Words for an end of a range."""

_QUARTERS = {"H1": frozenset({"Q1", "Q2"}), "H2": frozenset({"Q3", "Q4"})}


class ComputingStatement:
    """Attributes of a figure that a statement may compute."""

    def __init__(self, claim: Quantity, sentence: str, figures: Sequence[Quantity]) -> None:
        self.claim = claim
        self.sentence = sentence
        lower = sentence.lower()
        start = claim.span.start - claim.sentence.start
        end = claim.span.end - claim.sentence.start
        edges = list(_CLAUSE.finditer(lower))
        left = max([0, *(edge.end() for edge in edges if edge.end() <= start)])
        right = min([len(lower), *(edge.start() for edge in edges if edge.start() >= end)])
        self.before, self.after = lower[left:start], lower[end:right]
        self.clause = lower[left:right]
        self.names = operand_names(f"{self.before} . {self.after}")
        self.years = years_of(self.clause)
        self.times = _QUARTERS.get(claim.period.span or "", frozenset(map(str, self.years)))
        whole = _WHOLE.search(self.after) or _WHOLE.search(self.clause)
        self.whole = operand_names(whole["name"]) if whole else frozenset()
        others = (other for other in figures if other.sentence == claim.sentence)
        self.others = [other for other in others if other.span != claim.span]
        self._stated: dict[Operand, bool] = {}
        self.distance = _DISTANCE.match(self.after) or _BY.search(self.before)

    @cached_property
    def kinds(self) -> set[Computation]:
        """Possible ways to compute the figure."""
        kinds = {kind for kind, pattern in _SAID.items() if pattern.search(self.clause)}
        claim = self.claim
        if claim.change or self.distance or _CHANGED_BY.search(self.before):
            kinds.add("difference")
        if claim.unit != "percent" or claim.change:
            kinds.discard("share")
        if is_net_count(claim, self.clause):
            kinds.add("growth")
        if claim.period.span in _QUARTERS:
            kinds.add("sum")
        if claim.unit != "percent" and not claim.change and self.whole:
            kinds.add("product")
        if claim.unit == "percent":
            kinds -= {"growth", "without"}
        return kinds if claim.change else kinds | {"remainder"}

    @property
    def left_out(self) -> frozenset[str]:
        """Names of what the figure does not include."""
        left_out = _LEFT_OUT.search(self.clause)
        return operand_names(left_out["name"]) if left_out else frozenset()

    @property
    def says_remainder(self) -> bool:
        """Whether the statement says that something remains."""
        return _SAID["remainder"].search(self.clause) is not None

    @property
    def says_difference(self) -> bool:
        """Whether the statement says that something differs, in either direction."""
        return _EITHER_WAY.search(self.clause) is not None

    @property
    def range_ends(self) -> Sequence[RangeEnd | None]:
        """Ends of the ranges that the figure may be computed from; None without ranges."""
        if "midpoint" in self.kinds:
            return ("middle",)
        ends = [end for end, pattern in _ENDS.items() if pattern.search(self.clause)]
        return ends or (None,)

    @cached_property
    def turn(self) -> int:
        """Whether the figure is how far something is above (1) or below (-1) something else."""
        if self.distance:
            return 1 if self.distance["more"] else -1
        loss_moved = _LOSS_MOVED.search(self.before) if self.claim.negative else None
        if self.claim.change and loss_moved:
            return 1 if loss_moved["less"] else -1
        is_either = _EITHER_WAY.search(self.before)
        return 0 if is_either else {"up": 1, "down": -1}.get(self.claim.direction or "", 0)

    @property
    def change_before(self) -> Quantity | None:
        """The change to which a figure is the level reached: rose by 3 points to 12%."""
        is_reached = not self.claim.change and _TO.search(self.before)
        before = [other for other in self.others if other.span.end <= self.claim.span.start]
        return before[-1] if is_reached and before and before[-1].change else None

    def equals(self, result: Result) -> bool:
        """Return whether a result rounds to the figure."""
        unit = "points" if result.unit == "basis_points" else result.unit
        exact = replace(
            result.parts[0].figure,
            text="",
            value=abs(result.value),
            value_high=None,
            decimals=9,
            unit=unit,
            scale="one",
            size=1.0,
            bound=None,
            hedged=False,
            middle=None,
        )
        return same_quantity(self.claim, exact)

    def states(self, part: Operand) -> bool:
        """Return whether another figure of the statement is in its source."""
        if part not in self._stated:
            is_stated = any(same_quantity(other, part.figure) for other in self.others)
            self._stated[part] = is_stated
        return self._stated[part]

    def names_or_states(self, part: Operand) -> bool:
        """Return whether the statement has a name of a figure, or the figure."""
        return not part.names.isdisjoint(self.names) or self.states(part)

    def score(self, result: Result) -> tuple[int, int, int]:
        """Return how well the statement matches the figures of a result."""
        shared_names = result.names & (self.names | self.times)
        return (
            sum(map(self.states, result.parts)),
            len(shared_names),
            len(shared_names) - len(result.names),
        )

    def side(self, names: frozenset[str]) -> int:
        """Return whether names are after the words that compare (1), or before them (-1)."""
        start = len(self.before)
        edges = [match.start() for match in _COMPARES.finditer(self.clause)]
        edge = min(edges, key=lambda place: abs(place - start), default=0)
        if not names.isdisjoint(operand_names(self.clause[:edge])):
            return -1
        return 0 if names.isdisjoint(operand_names(self.clause[edge:])) else 1


def is_computed(text: str) -> bool:
    """Return whether a text says that a figure is a sum or a difference."""
    lower = text.lower()
    are_said = (_SAID[kind].search(lower) for kind in ("sum", "growth", "difference"))
    return any(are_said) or mentions_net_count(text)
