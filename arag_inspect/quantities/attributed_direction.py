"""Whether a number of a sentence is a change, which way, and against what."""

import re

from ..types.fact import Direction
from . import lexicon as words
from .mentions import Mention
from .quantity import Base, Unit
from .surroundings import Surroundings

_NEXT_VERB = re.compile(
    r"\b(?:and|but) (?:aims?|plans?|expects?|anticipates?|intends?|targets?|projects?|forecasts?|sees|foresees)\b"
)
"""Where an outlook begins; directions before it belong to something else."""


def is_change(around: Surroundings, unit: Unit, metric: str | None) -> bool:
    """Return whether a number is the size of a change, not a level."""
    if re.search(
        r"\b(?:to|at|reached|from|was|were|were at)\s(?:a |an |about |approximately |\$)?$",
        around.before,
    ):
        return False
    if unit == "basis_points":
        return True
    if around.is_compared:
        return False
    if words.CHANGE_AFTER.match(around.after):
        return True
    near = [d for d in around.sentence.directions if around.left <= d[0] < around.quantity.start]
    if near and near[-1][1] != "flat":
        gap = around.sentence.text[near[-1][0] : around.quantity.start]
        if len(gap.split()) <= 3 and not re.search(r"\b(?:to|from|at)\b|,", gap):
            return True
    rate = metric is not None and words.FAMILIES.get(metric) == "rate"
    return unit in ("percent", "points") and bool(near) and not rate and metric is not None


def direction_of(around: Surroundings, mention: Mention | None, change: bool) -> Direction | None:
    """Return the direction that the clause of a number says of it."""
    start, end = around.quantity.start, around.quantity.end
    if change:
        left, right = max(around.left, around.clause.start), min(around.right, around.clause.end)
        before = [d for d in around.sentence.directions if left <= d[0] < start]
        after = [d for d in around.sentence.directions if end <= d[0] < min(right, end + 30)]
        if (
            after
            and words.CHANGE_AFTER.match(around.after)
            and (not before or start - before[-1][0] > 12)
        ):
            return after[0][1]
        if before:
            return before[-1][1]
        if after:
            return after[0][1]
    if mention is None and around.quantity.spelled and around.quantity.unit == "count":
        return None  # "the sale of three ships reduced debt"
    left = min(mention[0], start) if mention else 0
    nexts = [
        m[0] for m in around.sentence.metrics if m[0] > end and (not mention or m[2] != mention[2])
    ]
    stop = min([*nexts, around.clause.end])
    left = max(
        around.clause.start,
        left - 40,
        *(m.end() for m in _NEXT_VERB.finditer(around.sentence.text, 0, start)),
    )
    within = {
        d
        for position, d in around.sentence.directions
        if left <= position < stop and not _is_judgement(around, position, mention)
    }
    return within.pop() if len(within) == 1 else None


def _is_judgement(around: Surroundings, position: int, mention: Mention | None) -> bool:
    """Return whether a change is called better without saying whether it is up or down."""
    better_up = mention is not None and mention[2] not in words.BETTER_LOW
    return not better_up and around.sentence.text.startswith("improv", position)


def base_of(around: Surroundings, change: bool) -> Base | None:
    """Return the base of a change that its clause names; words after the figure take precedence."""
    if not change:
        return None
    text, clause = around.sentence.text, around.clause
    after = text[around.quantity.end : min(around.right, clause.end)]
    before = text[max(around.left, clause.start) : around.quantity.start]
    for part in (after, before):
        bases = [base for base, pattern in words.BASES.items() if pattern.search(part)]
        if bases:
            return bases[0] if len(bases) == 1 else None
    return None
