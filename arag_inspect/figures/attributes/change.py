"""Whether a number is the size of a change or a level, in which direction, and from what base."""

import re

from ...types.sample import Direction
from .. import lexicon as words
from ..mentions import Mention
from ..quantity import Base, Unit
from .surroundings import Surroundings

_BETTER_LOW = frozenset(["debt", "effective tax rate", "leverage", "operating expenses"])
"""Metrics that improve by falling."""

_CHANGE_AFTER = re.compile(
    r"\s?(?:[a-z-]+\s){0,3}?(?:increase|decrease|decline|growth|rise|drop|reduction|improvement|gain|contraction|expansion|higher|lower|(?:more|less) than a year)\b"
)
_CHANGE_BESIDE = re.compile(
    r"\s(?:growth|increase|decrease|decline|improvement)\b"
    r"|\s(?:above|ahead\sof|behind|below|(?:higher|lower|more|less)\sthan)\s(?:in\s|the\s|comparable\s)*(?:(?:(?:first|second|third|fourth)\squarter|q[1-4])\b|(?:19|20)\d\d\b|last\b|prior\b|previous\b|same\b|a\syear\b|year\b)"
)
"""Words right after a change, whatever stands before it: was 12% above 2019."""

_BASE_YEAR = re.compile(
    r"\b(?:above|ahead of|against|behind|below|compared (?:to|with)|from|on|over|than|versus|vs\.?)\s(?:in\s|fiscal\s|fy\s?|the\s)*((?:19|20)\d\d)\b"
)
_MOVED_BY = re.compile(rf"(?:{words.UP.pattern}|{words.DOWN.pattern})\s(?:by\s)?\S?$")
_LIMIT = re.compile(r"(?:exceed\w*|above|below|beneath|higher)\b")
"""A word of change that is a bound right before a figure."""

_COMPARES = re.compile(
    r"(?:ahead of|above|below|beneath|better than|short of|worse than)\s(?:its|our|the)\b"
)
"""A word of change before a figure that another is compared with: below the $5 million it had projected."""

_LIST_GLUE = re.compile(r"(?:^|,|\b(?:and|or))\s(?:of\s|by\s)?$")
"""Between two numbers of a list, such as the comma and "and" of "1%, 2% and 3%"."""

_BASES: dict[Base, re.Pattern[str]] = {
    "year": re.compile(
        r"\byear[\s-](?:over|on)[\s-]year|\by(?:/|o)y\b|annual basis|(?:last|prior|previous) year|year[\s-]ago|year[\s-]earlier|a year|year prior|same (?:quarter|period)"
    ),
    "quarter": re.compile(
        r"\bsequential|(?:last|prior|previous) quarter|quarter[\s-](?:over|on|to)[\s-]quarter|\bq(?:/|o)q\b|(?:from|versus|to|than(?: in)?|over|against|compared with) (?:q[1-4]|the (?:first|second|third|fourth) quarter)\b(?!,? ?(?:of )?(?:20|'\d|fy|fiscal|last|a year))|linked[\s-]quarter"
    ),
}
_OF_SPREAD = re.compile(r"\b(?:at|from|to)\s(?:about |approximately )?$")
"""Before basis points that are the level of a spread: narrowed to 112 basis points from 140."""

_PART = re.compile(r"\b(?:exclud|includ)(?:ed|es|ing)\b[^,;]*$")
"""Before a figure that is part of the one before it."""

_LEVEL_BEFORE = re.compile(
    r"\b(?:to|at|reached|from|was|were|were at|(?:made|makes?) up|account(?:s|ed)? for)\s(?:a |an |about |approximately |\$)?$"
)


def is_change(around: Surroundings, unit: Unit, metric: str | None) -> bool:
    """Return whether a number is the size of a change, not a level."""
    if unit == "basis_points":
        return _OF_SPREAD.search(around.before) is None
    is_rate = unit in words.RATES
    if is_rate and around.before.endswith("+"):
        return True
    if is_rate and not around.is_compared and _CHANGE_BESIDE.match(around.after):
        return True
    if is_rate and _MOVED_BY.search(around.before):  # "up $5 million, or 3%"
        return True
    if around.is_compared or _LEVEL_BEFORE.search(around.before):
        return False
    if _CHANGE_AFTER.match(around.after):
        return True
    left, start = _first_of_list(around)
    near = [move for move, _ in around.sentence.directions if left <= move < start]
    if not near or (around.quantity.bound and _LIMIT.match(around.text, near[-1])):
        return False
    if _COMPARES.match(around.text, near[-1]):
        return False
    gap = around.text[near[-1] : start]
    beside = len(gap.split()) <= 3 and not re.search(r"\b(?:to|from|at)\b|,", gap)
    is_of_rate = metric is None or words.FAMILIES[metric] == "rate"
    return beside or (unit in ("percent", "points") and not is_of_rate)


def _first_of_list(around: Surroundings) -> tuple[int, int]:
    """Return the end of the number before the list "1%, 2% and 3%", and the start of its first."""
    amounts = around.amounts
    first = around.index
    while (
        first
        and around.sentence.scopes[first].link == "item"
        and amounts[first].unit == amounts[first - 1].unit
        and _LIST_GLUE.search(around.text, amounts[first - 1].end, amounts[first].start)
    ):
        first -= 1
    return (amounts[first - 1].end if first else 0), amounts[first].start


def is_level(around: Surroundings, change: bool) -> bool | None:
    """Return whether words right before a number make it a level, or a change; else None."""
    directions = around.sentence.directions
    moves = [start for start, _ in directions if around.near <= start < around.start]
    if change:
        beside = moves and _is_beside(around, moves[-1])
        return False if around.quantity.turn or beside else None
    verb = _LEVEL_BEFORE.search(around.before)
    if verb is None:
        return None
    return True if verb[0].startswith("to") or not moves else None


def _is_beside(around: Surroundings, move: int) -> bool:
    """Return whether at most one word stands between a word of change and a number."""
    return len(around.lead[move:].split()) <= 2


def direction(around: Surroundings, mention: Mention | None, change: bool) -> Direction | None:
    """Return the direction that the clause of a number says of it.

    A part of a figure does not move with it: rose to $1.39, including a benefit of $0.28.
    """
    if change and around.before.endswith("+"):
        return "up"
    directions = around.sentence.directions
    near = [(start, move) for start, move in directions if around.near <= start < around.start]
    if change and near and _is_beside(around, near[-1][0]):
        return near[-1][1]
    if change and (noun := _CHANGE_AFTER.match(around.after)):
        named = [move for start, move in directions if 0 <= start - around.end < noun.end()]
        if named:  # growth, offset by a 10% decrease
            return named[0]
    if change:
        right = min(around.right, around.clause.end, around.end + 30)
        left = max(around.near, around.scope.before.start)
        before = [move for start, move in directions if left <= start < around.start]
        after = [move for start, move in directions if around.end <= start < right]
        if before or after:
            return before[-1] if before else after[0]
    if _PART.search(around.before):
        return None
    name = mention and mention[2]
    left = max(around.clause.start, (min(mention[0], around.start) if mention else 0) - 40)
    later = [m[0] for m in around.sentence.metrics if m[0] > around.end and m[2] != name]
    stop = min([*later, around.clause.end])
    ambiguous = name is None or name in _BETTER_LOW  # better: up or down?
    within = {
        move
        for start, move in directions
        if left <= start < stop and not (ambiguous and around.text.startswith("improv", start))
    }
    return within.pop() if len(within) == 1 else None


def base(around: Surroundings) -> Base | None:
    """Return the base of a change that its clause names; words after the figure come first."""
    right = min(around.right, around.clause.end, around.scope.after.end)
    left = max(around.near, around.scope.before.start)
    for part in (around.text[around.end : right], around.lead[left:]):
        for name, pattern in _BASES.items():
            if pattern.search(part):
                return name
        if year := _BASE_YEAR.search(part):
            return year[1]
    return None
