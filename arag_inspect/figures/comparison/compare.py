"""Check whether one figure supports another."""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from .. import lexicon
from ..figure_wording import Wording
from ..periods import may_be_same_span
from ..quantity import POWERS, Base, Quantity, Status
from ..wording.verbs import verbs
from .distinctions import Property, distinction

_T = TypeVar("_T")
Outcome = Literal["supported", "contradicted", "unrelated"]

_HEDGE = 0.05
"""Largest relative error of a figure given as approximate."""

_LARGE = ("million", "billion", "trillion")
_MOST_ROUNDED = 0.2
"""Largest share of a large amount by which rounding changes it."""

_HALF = 0.5 - 1e-9
"""Share of a step from which an amount is rounded up."""

_BEYOND = 0.2
"""How far the exact amount may be beyond a bound ("over", "at most"), as a share of it."""

_UNLIKE = 1 / 3
"""Share of a claim's content words that a sentence of the same subject may lack."""

_UNSHARED = 1
"""Content words of a claim that the sentence with the same quantity may lack."""

_LOSS = re.compile(r"\b(?:loss(?:es)?|lost)\b")
"""Before a figure: a loss, whether or not its sentence makes it negative."""

_REVISED = re.compile(
    r"\b(?:boosted|cut|hiked|increased|lifted|lowered|raised|reduced|trimmed)\s[^,;]{0,60}?"
    r"\b(?:forecast|guidance|outlook|range|target)\b"
)
"""An outlook that a claim says was changed."""

_CHANGE_FOLLOWS = re.compile(
    r"\W*(?:up|down|an?\s(?:decline|decrease|drop|gain|improvement|increase|rise))\s"
)
"""After a level that is compared with an earlier one: 95.7%, up 30 basis points."""

_FRACTION = re.compile(r"[¼½¾⅓⅔⅛⅜⅝⅞]|\d/\d")
_WITHIN = re.compile(
    rf"\b(?:start|beginning|opening|outset|early)\b|\bin {lexicon.MONTH}(?! \d{{1,2}}\b)"
)
"""After a figure: a point in time within the year that it mentions, as at the start of 2022."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result of comparing two figures."""

    outcome: Outcome
    differs: tuple[Property, ...] = ()
    """Properties in which they differ, the most telling first."""


def compare(claim: Quantity, source: Quantity) -> Verdict:
    """Compare a claimed figure with a figure of a source.

    They are the same quantity when the source rounds to the claim: $1.2 billion matches
    $1,234 million, and 120 basis points match 1.2 percentage points. A claim that is more precise
    than its source is not supported.

    Sign, direction, period, base of comparison, basis and status count against a claim where both
    figures have one and the two differ. So does a negation in only one of them.

    Args:
        claim: Figure to check.
        source: Figure of the source.

    Returns:
        `supported`: the same quantity with nothing against it. `contradicted`:
        the same quantity with another property, or another quantity although
        metric and every other property are the same. `unrelated`: anything else.
    """
    conflicts = conflicting(claim, source)
    if same_quantity(claim, source):
        if conflicts:
            return Verdict("unrelated" if _is_bare(claim) else "contradicted", conflicts)
        differs = distinction(claim, source)
        return Verdict("unrelated", (differs,)) if differs else Verdict("supported")
    other_conflicts = [conflict for conflict in conflicts if conflict not in ("sign", "direction")]
    if other_conflicts or not comparable(claim, source):
        return Verdict("unrelated", conflicts)
    if same_quantity(source, claim):
        return Verdict("unrelated", ("precision",))
    differs = distinction(claim, source)
    if differs:
        return Verdict("unrelated", (differs,))
    return Verdict("contradicted", ("value", *conflicts))


def _is_bare(claim: Quantity) -> bool:
    """Return whether a figure has no words about it, as an answer may: "30.2%."."""
    return not claim.wording.content and claim.metric is None


def same_quantity(claim: Quantity, source: Quantity) -> bool:
    """Return whether the source rounds to the amount of the claim, ignoring signs."""
    if not _commensurable(claim, source):
        return False
    if claim.amount_high is None and source.middle is not None:
        source = replace(source, value=source.middle, value_high=None)
    if (claim.amount_high is None) != (source.amount_high is None):
        return False
    if {claim.bound, source.bound} == {"low", "high"} or _drops_fraction(claim, source):
        return False
    if not _rounds(claim, source, claim.amount, source.amount, claim.step):
        return False
    if claim.amount_high is None or source.amount_high is None:
        return True
    return _rounds(claim, source, claim.amount_high, source.amount_high, claim.step)


def tolerance(claim: Quantity, amount: float, step: float) -> float:
    """Return how far the exact amount may be from the claimed amount."""
    exact = step / 2
    if claim.bound and not claim.hedged:
        last_place = step if claim.decimals else _last_place(abs(amount), step)
        exact = max(exact, last_place, _BEYOND * abs(amount))
    elif claim.hedged and amount:
        exact = max(exact, min(_last_place(abs(amount), step) / 2, _HEDGE * abs(amount)))
    return exact * (1 + 1e-9) + 1e-12 * abs(amount)


def near_in_size(items: Sequence[_T], claim: Quantity, size: Callable[[_T], float]) -> Sequence[_T]:
    """Return the items that may round to a claim; they are in the order of their size."""
    amount = abs(claim.amount)
    margin = tolerance(claim, claim.amount, claim.step)
    low = bisect_left(items, amount - margin, key=size)
    high = bisect_right(items, amount + margin, key=size)
    return items[low:high]


def conflicting(claim: Quantity, source: Quantity) -> tuple[Property, ...]:
    """Return the properties that both figures state differently, the most telling first."""
    claim_base, source_base = claim.counterpart.base_period, source.counterpart.base_period
    has_year = claim.period.year or source.period.year
    are_two_ends = {claim.moved, source.moved} == {"from", "to"} and not has_year
    conflicts: dict[Property, bool | None] = {
        "denial": claim.denied != source.denied
        or _negates(claim.wording, source.wording)
        or _negates(source.wording, claim.wording),
        "sign": _signs_conflict(claim, source),
        "direction": _directions_conflict(claim, source) or _are_swapped(claim, source),
        "period": are_two_ends or _periods_conflict(claim, source),
        "change": {claim.level, source.level} == {True, False},
        "base": (claim_base and source_base and claim_base.conflict(source_base))
        or _differ(_known_base(claim), _known_base(source)),
        "basis": _differ(claim.basis, source.basis),
        "status": _differ(_settled_status(claim), _settled_status(source)),
    }
    return tuple(name for name, is_conflict in conflicts.items() if is_conflict)


def _differ(value: str | None, other: str | None) -> bool:
    """Return whether two values are known and differ."""
    return None not in (value, other) and value != other


def _negates(wording: Wording, other: Wording) -> bool:
    """Return whether one figure negates a verb that another affirms.

    "We did not sell 40 stores" negates what "we sold 40 stores" affirms.
    """
    if wording.negated.issubset(other.negated):
        return False
    affirmed = verbs(f"{other.before} {other.onward}") - other.negated
    return not wording.negated.isdisjoint(affirmed)


def _known_base(figure: Quantity) -> Base | None:
    """Return the base of a change; None for a year in digits, which may or may not be last year."""
    if figure.against in ("year", "quarter"):
        return figure.against
    base = figure.counterpart.base_period
    if base is None or base.year is None or figure.period.year is None:
        return None
    if base.span == figure.period.span and base.year == figure.period.year - 1:
        return "year"
    is_quarter = base.span is not None and re.fullmatch(r"Q[1-4]", base.span)
    return "quarter" if is_quarter and base.span != figure.period.span else None


def _settled_status(figure: Quantity) -> Status | None:
    """Return the status of a figure that others can contradict: not of what is only possible."""
    return None if figure.status in ("hypothetical", "authorized") else figure.status


def subject(figure: Quantity) -> Hashable:
    """Return what two figures have in common if they are `comparable`."""
    is_range = figure.amount_high is not None
    return figure.metric, figure.change, figure.against, figure.period, figure.basis, is_range


def comparable(claim: Quantity, source: Quantity) -> bool:
    """Return whether two figures have the same metric and qualifiers."""
    return (
        claim.metric is not None
        and subject(claim) == subject(source)
        and (not claim.period.prior or claim.period.year is not None)
        and claim.status != "estimate"
        and not (claim.denied or source.denied)
        and (_commensurable(claim, source) or claim.value == source.value)
        and claim.qualifiers <= source.wording.content | source.qualifiers
        and source.qualifiers <= claim.wording.content | claim.qualifiers
        and len(claim.wording.content - source.wording.content) <= _UNSHARED
    )


def _signs_conflict(claim: Quantity, source: Quantity) -> bool:
    """Return whether only one of two figures of a metric is negative, and nothing explains that.

    Opposite directions explain it, and count themselves; so does a fall in other words.
    """
    if claim.negative == source.negative:
        return False
    if _LOSS.search(claim.wording.before) and _LOSS.search(source.wording.before):
        return False
    may_be_same_metric = claim.metric == source.metric or None in (claim.metric, source.metric)
    are_opposite = {claim.direction, source.direction} == {"up", "down"}
    return may_be_same_metric and not are_opposite and not _is_negative_growth(claim, source)


def _is_negative_growth(claim: Quantity, source: Quantity) -> bool:
    """Return whether one figure is a fall and the other a negative change in per cent."""
    negative, other = (claim, source) if claim.negative else (source, claim)
    return (
        other.direction == "down"
        and other.change
        and negative.direction is None
        and (negative.dimension in ("percent", "points"))
    )


def _directions_conflict(claim: Quantity, source: Quantity) -> bool:
    """Return whether one figure is said to rise and the other to fall or stay.

    For levels, only of the same metric or in nearly the same words; an outlook that stays may
    be above last year.
    """
    directions = {claim.direction, source.direction}
    if len(directions) == 1 or None in directions:
        return False
    if "flat" in directions and "guidance" in (claim.status, source.status):
        return _REVISED.search(claim.wording.about) is not None and source.direction == "flat"
    if claim.change and source.change:
        return True
    if claim.metric != source.metric:
        return False
    return claim.metric is not None or _are_alike(claim.wording, source.wording)


def _are_alike(claim: Wording, source: Wording) -> bool:
    """Return whether two wordings share nearly all words, perhaps except the word of direction."""
    lacking = len(claim.content - source.content)
    share_words = not claim.content.isdisjoint(source.content)
    return share_words and lacking <= max(1, _UNLIKE * len(claim.content))


def _are_swapped(claim: Quantity, source: Quantity) -> bool:
    """Return whether two figures are of one comparison, one its level and the other its base."""
    other_of_claim, other_of_source = (figure.counterpart.other_end for figure in (claim, source))
    if other_of_claim is None or other_of_source is None or claim.metric != source.metric:
        return False
    has_base = claim.period.prior or claim.moved == "from"
    is_base = source.period.prior or source.moved == "from"
    distance = abs(other_of_claim - other_of_source)
    return has_base != is_base and distance <= max(claim.step, source.step) / 2


def _periods_conflict(claim: Quantity, source: Quantity) -> bool:
    """Return whether two figures are of different periods.

    That only one is of an earlier period counts where the sentence of the other compares nothing.
    """
    current = source if claim.period.prior else claim
    is_newest = current.moved == "to" or _CHANGE_FOLLOWS.match(current.wording.onward)
    is_open = current.wording.compares and not is_newest
    if claim.status == source.status == "guidance" and claim.period.prior != source.period.prior:
        return True
    if _is_only_compared(claim) and not (source.period.prior or source.moved == "to"):
        return False
    if _is_compared_with(claim, source) or _is_compared_with(source, claim):
        return True
    same = replace(claim.period, prior=source.period.prior) if is_open else claim.period
    return same.conflict(source.period)


def _is_only_compared(claim: Quantity) -> bool:
    """Return whether another figure is compared with a claim, and no word says that it is earlier.

    It may be on another basis, or of something else: short of the 3% gain elsewhere.
    """
    is_dated = claim.period.year or claim.period.span or claim.against or claim.moved
    return claim.period.prior and not is_dated


def _is_compared_with(figure: Quantity, earlier: Quantity) -> bool:
    """Return whether a figure is of the period with which an earlier figure is compared."""
    period = figure.period
    later = earlier.counterpart.later
    if later is None or period.prior or period.year != later.year:
        return False
    if _WITHIN.search(figure.wording.after):
        return False
    return may_be_same_span(period.span or "FY", later.span or "FY")


def _commensurable(claim: Quantity, source: Quantity) -> bool:
    """Return whether two amounts can be compared as numbers."""
    if claim.dimension == source.dimension:
        return True
    if not {claim.scale, source.scale} <= POWERS.keys():
        return False
    if claim.unit == source.unit == "count":  # one of the units is not stated
        return None in (claim.measure, source.measure) and claim.size == source.size
    if "money" in (claim.dimension, source.dimension):
        return {"currency", "per_share"} >= {claim.unit, source.unit}
    return False


def _rounds(claim: Quantity, source: Quantity, amount: float, exact: float, step: float) -> bool:
    """Return whether an exact amount of the source rounds to an amount of the claim."""
    beyond = abs(exact) - abs(amount)
    if not (claim.bound or claim.hedged) and beyond > step * _HALF:
        return False  # 1.5 is not rounded to 1
    if claim.scale in _LARGE and abs(beyond) > _MOST_ROUNDED * abs(amount):
        return False  # $640 million is not rounded to $1 billion
    if claim.bound:
        excess = -beyond if claim.bound == "low" else beyond
        error = min(step, source.step) / 2  # 391.4 is not "under 391", but 0.4 billion may be
        if excess > error:
            return False
    return abs(beyond) <= tolerance(claim, amount, step)


def _drops_fraction(claim: Quantity, source: Quantity) -> bool:
    """Return whether a claim leaves out a fraction that its source spells out: 2 for 2¼."""
    is_whole = not claim.decimals and not (claim.bound or claim.hedged)
    return is_whole and claim.value != source.value and _FRACTION.search(source.text) is not None


def _last_place(amount: float, step: float) -> float:
    """Return the place value of the last nonzero digit: 100 for 200, 0.1 for 0.5."""
    units = round(amount / step)
    if units == 0:
        return step
    zeros = len(str(units)) - len(str(units).rstrip("0"))
    return step * math.pow(10, zeros)
