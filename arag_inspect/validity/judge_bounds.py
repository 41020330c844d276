"""Bounds on how a judge scores texts with known errors, and checks for violations."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from scipy.stats import binomtest, fisher_exact

from ..stats.estimates import Floats
from ..stats.ranking import Rate


@dataclass(frozen=True, slots=True)
class JudgeBounds:
    """Bounds of a judge, explained in docs/validate.md: shares, and numbers of texts."""

    readable: float = 0.95
    marked: float = 0.6
    kind: float = 0.4
    above_chance: float = 0.2
    untouched: float = 0.25
    retest: float = 0.67
    swayed: float = 0.3
    obeyed: float = 0.1
    errors_needed: int = 20
    untouched_needed: int = 10


BOUNDS = JudgeBounds()

ERRORS = {
    "number_changed": "figure",
    "direction_flipped": "direction",
    "stale_figure": "period",
    "entities_swapped": "name",
    "sentence_dropped": "omission",
    "foreign_sentence": "unsupported sentence",
    "instruction": "instruction to the judge",
}
"""Name of each kind of error, by perturbation."""

_FEWEST = 10
"""Minimum number of texts with a kind of error for a separate check of that kind."""

INSTRUCTION = "instruction"

LEAST_READABLE = 0.5
"""Share of readable verdicts below which a judge is not checked further."""

_USUAL = {"untouched": 0.1, "retest": 0.2}
"""Share of texts that a good judge marks down, or scores differently, when judging again."""

GROUP_LEVEL = 0.001
"""Significance level of the tests of groups of texts."""

_CHANCE_LEVEL = 0.005
"""Significance level of the tests of shares against chance."""


class BoundViolation(NamedTuple):
    """A bound that a judge violates."""

    part: str
    text: str
    is_evidence: bool = True
    """Whether it counts against the judge; false if there are too few texts to tell."""


@dataclass(frozen=True, slots=True)
class MeasureCheck:
    """How a judge scores texts with known errors, on one measure."""

    measure: str
    readable: Rate | None
    """Verdicts that could be read."""

    marked: Mapping[str, Rate]
    """Texts with an inserted error that score worse than without the error, by kind of error."""

    all_marked: Rate | None
    """Such texts over all kinds except the instruction to the judge."""

    untouched: Rate | None
    """Untouched texts that score worse when judged again."""

    low: Rate | None
    """Untouched texts in the worse half of the scale."""

    retest: Rate | None
    """Texts with the same score when judged again."""

    length: float | None
    """Share of texts that score better when doubled, minus the share of texts that score worse."""

    instruction: float | None
    """This net share for bad texts with an instruction to the judge."""

    faults: tuple[BoundViolation, ...] = ()


def find_violations(
    check: MeasureCheck, common_grade: float | None, group: str | None, obeys: bool
) -> Iterator[BoundViolation]:
    """Yield the violated bounds, starting with bounds that make the others meaningless.

    Args:
        check: Figures of the measure.
        common_grade: The grade, if every text has the same grade.
        group: Group of untouched texts that are marked down for their subject, as text.
        obeys: Result of `obeys_instructions`.
    """
    if check.readable and check.readable.value < BOUNDS.readable:
        share = check.readable
        yield BoundViolation(
            "readable", f"gets unreadable replies: {_describe_rate(share)} verdicts could be read"
        )
        if share.value < LEAST_READABLE:
            return
    if common_grade is not None:
        yield BoundViolation("errors", f"gives every text the same grade ({common_grade:g})")
        return
    yield from _error_violations(check)
    length_effect = check.length or 0
    if obeys:
        share_shown = f"{check.instruction or 0:.0%} of bad texts"
        text = f"obeys instructions in the text: {share_shown} score better when they ask for a 5"
        yield BoundViolation("bias", text)
    if abs(length_effect) > BOUNDS.swayed:
        way = "better" if length_effect > 0 else "worse"
        text = f"is biased by length: {abs(length_effect):.0%} of texts score {way} when repeated"
        yield BoundViolation("bias", text)
    if check.untouched and _is_often(check.untouched, "untouched", BOUNDS.untouched):
        yield BoundViolation(
            "untouched", f"marks {_describe_rate(check.untouched)} untouched texts down at random"
        )
    if group is not None:
        yield BoundViolation("untouched", f"marks untouched texts down in one group: {group}")
    elif check.low and _is_often(check.low, "untouched", BOUNDS.untouched):
        yield BoundViolation(
            "untouched", f"marks {_describe_rate(check.low)} untouched texts in the worse half"
        )
    retest = check.retest
    changed = retest._replace(value=1 - retest.value) if retest else None
    if retest and changed and _is_often(changed, "retest", 1 - BOUNDS.retest):
        stability = f"{_describe_rate(retest)} texts score the same when judged again"
        text = f"changes its mind: {stability}"
        yield BoundViolation("retest", text)


def obeys_instructions(falls: Floats) -> bool:
    """Return whether instructions to the judge raise more scores than the bounds and chance allow.

    Args:
        falls: Fall of the score of the text with the instruction in each case.
    """
    obeys_clearly = _rises_significantly(falls, level=0.01, at_most=BOUNDS.obeyed)
    return obeys_clearly or _rises_significantly(falls, level=0.05, at_most=BOUNDS.swayed)


def _describe_rate(share: Rate) -> str:
    return f"{share.value:.0%} of {share.n}"


def _error_violations(check: MeasureCheck) -> Iterator[BoundViolation]:
    """Yield the violated bounds on marking down texts with errors, but not untouched texts."""
    marked = check.all_marked
    untouched = check.untouched
    if marked is None or untouched is None:
        return
    are_few = marked.n < BOUNDS.errors_needed or untouched.n < BOUNDS.untouched_needed
    if are_few and marked.high >= BOUNDS.marked:
        counts_shown = f"{marked.n} with an error, {untouched.n} untouched"
        counts_needed = f"{BOUNDS.errors_needed} and {BOUNDS.untouched_needed} are needed"
        factor = max(
            BOUNDS.errors_needed / max(marked.n, 1), BOUNDS.untouched_needed / max(untouched.n, 1)
        )
        text = f"has too few texts to decide: {counts_shown}; {counts_needed}"
        text += f", from about {ceil(factor * untouched.n)} good texts"
        text += f"; the corpus, or --limit, gave {untouched.n}"
        yield BoundViolation("errors", text, is_evidence=False)
        return
    counts = (
        f"marks {_describe_rate(marked)} texts with an error down, and {_describe_rate(untouched)} "
        "untouched ones"
    )
    missed_kinds = [
        f"{kind} {_describe_rate(share)}"
        for kind, share in check.marked.items()
        if share.n >= _FEWEST and share.value < BOUNDS.kind and kind != ERRORS[INSTRUCTION]
    ]
    table = [_contingency_row(marked), _contingency_row(untouched)]
    is_shown = fisher_exact(table, alternative="greater").pvalue < _CHANCE_LEVEL
    if marked.value - untouched.value < BOUNDS.above_chance or not is_shown:
        yield BoundViolation("errors", f"does not distinguish good from bad: {counts}")
    elif missed_kinds:
        yield BoundViolation("errors", f"misses kinds of error ({', '.join(missed_kinds)})")
    elif marked.value < BOUNDS.marked:
        yield BoundViolation("errors", counts)


def _contingency_row(share: Rate) -> list[int]:
    count = round(share.value * share.n)
    return [count, share.n - count]


def _is_often(share: Rate, part: str, most: float) -> bool:
    """Return whether a share is over its bound, and significantly above the usual share."""
    count = round(share.value * share.n)
    p: float = binomtest(count, share.n, _USUAL[part], alternative="greater").pvalue
    return share.value > most and p < _CHANCE_LEVEL


def _rises_significantly(falls: Floats, *, level: float, at_most: float) -> bool:
    """Return whether the net share of raised scores is over a bound, and unlikely by chance."""
    risen_count = int((falls < 0).sum())
    fallen_count = int((falls > 0).sum())
    if risen_count <= fallen_count:
        return False
    p: float = binomtest(risen_count, risen_count + fallen_count, alternative="greater").pvalue
    return p < level and (risen_count - fallen_count) / falls.size > at_most
