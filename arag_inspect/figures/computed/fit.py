"""Check whether a statement may be about a result computed from figures."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import product

from ..comparison.compare import conflicting
from ..comparison.distinctions import has_other_facets
from ..lexicon import BETTER_LOW, QUALITY, words
from ..quantity import Quantity
from ..wording.labels import labels
from .net_counts import is_fall, is_growth
from .operands import Operand, operand_names
from .results import Computation, Result
from .statement import ComputingStatement

_SINCE = re.compile(
    r"\b(?:than|from|since|over|above|below|against|versus|compared (?:to|with))\s(?:\S+\s){0,5}$"
)
"""Before the year of the base of a change."""

_RESULT = re.compile(r"income|profit|ebit|eps|ffo|margin")
"""Metrics of what costs reduce."""

_ROOT = 4
"""Letters in which a name and its opposite with a prefix agree."""


@cache
def _opposites() -> Sequence[frozenset[str]]:
    """Return groups of names that are opposites of one another."""
    return [labels(names.replace("/", " ")) for names in words("opposites").split("|")]


def fits(kind: Computation, statement: ComputingStatement, result: Result) -> bool:
    """Return whether a statement may be about a result."""
    if not any(map(statement.names_or_states, result.parts)):
        return False
    if all(_differs(kind, statement.claim, part.figure) for part in result.parts):
        return False
    if kind == "difference":
        return _is_difference(statement, result)
    years = {part.figure.period.year for part in result.parts}
    if statement.years and not years <= {None, *statement.years}:
        return False
    if kind == "growth":
        return is_growth(*(part.figure for part in result.parts)) != is_fall(statement.claim)
    if kind == "share":
        return _is_share(statement, *result.parts)
    if kind == "remainder" and not _is_remainder(statement, result):
        return False
    if kind == "without" and not _is_without(statement, *result.parts):
        return False
    is_of_another_whole = statement.whole.isdisjoint(operand_names(result.parts[0].source))
    return not (result.unit == "percent" and statement.whole and is_of_another_whole)


def _differs(kind: Computation, claim: Quantity, figure: Quantity) -> bool:
    """Return whether a figure has another basis, period or facet than a claim computed from it."""
    conflicts = set(conflicting(claim, figure))
    if kind in ("sum", "total"):
        conflicts.discard("period")
    has_other = kind != "remainder" and has_other_facets(claim, figure)
    return has_other or not conflicts.isdisjoint({"basis", "period"})


def _is_share(statement: ComputingStatement, part: Operand, whole: Operand) -> bool:
    """Return whether a statement gives a figure's share of another figure."""
    mine, theirs = part.figure.period, whole.figure.period
    distinct = part.names - whole.names
    is_named = not distinct or not distinct.isdisjoint(statement.names) or statement.states(part)
    if not is_named or mine.prior != theirs.prior or mine.conflict(theirs):
        return False
    return statement.states(whole) or (bool(statement.whole) and statement.whole <= whole.names)


def _is_remainder(statement: ComputingStatement, result: Result) -> bool:
    """Return whether a statement mentions the remainder of a whole, and not the other part."""
    taken, *wholes = sorted(result.parts, key=lambda part: abs(part.figure.amount))
    others = frozenset[str]().union(*(whole.names for whole in wholes))
    if wholes and not statement.names.isdisjoint(taken.names - others):
        return False
    names = product(statement.names - taken.names, taken.names - statement.names)
    return statement.says_remainder or any(_are_opposite(name, other) for name, other in names)


def _is_without(statement: ComputingStatement, whole: Operand, taken: Operand) -> bool:
    """Return whether a statement leaves out a part; a result may include costs, that would add."""
    is_left_out = not statement.left_out.isdisjoint(taken.names - whole.names)
    return is_left_out and _RESULT.search(whole.figure.metric or "") is None


def _are_opposite(name: str, other: str) -> bool:
    """Return whether two names are opposites: fixed and floating, current and non-current."""
    if any({name, other} <= names for names in _opposites()):
        return True
    shorter, longer = sorted((name, other), key=len)
    return any(longer.startswith(prefix + shorter[:_ROOT]) for prefix in ("non-", "non", "un"))


def _is_difference(statement: ComputingStatement, result: Result) -> bool:
    """Return whether a statement compares two figures, in time or by their names."""
    level, base = result.parts
    turn = statement.turn
    if not turn and not statement.says_difference:
        return False
    distinct = (level.names - base.names, base.names - level.names)
    shared_names = [names & statement.names for names in distinct]
    if not any(shared_names):
        return _is_move(statement, result)
    are_two = sum(part.kind == level.kind for part in result.group) == 2
    is_left_open = any(
        names and not stated_names
        for names, stated_names in zip(distinct, shared_names, strict=True)
    )
    times = [replace(part.figure.period, prior=False) for part in result.parts]
    if times[0].conflict(times[1]) or (is_left_open and not are_two):
        return False
    is_base = statement.side(shared_names[1]) > statement.side(shared_names[0])
    return not turn or (is_base and turn * result.value > 0)


def _is_move(statement: ComputingStatement, result: Result) -> bool:
    """Return whether a statement says how a figure moved from one time to another."""
    level, base = result.parts
    are_same = level.alone <= base.names or base.alone <= level.names
    if not are_same or _is_named_elsewhere(statement, result):
        return False
    turn = statement.turn
    are_losses = level.figure.negative or base.figure.negative
    if QUALITY.search(statement.clause) and BETTER_LOW.search(statement.clause) and not are_losses:
        turn = -turn
    is_said = turn * result.value >= 0 and _is_later(level.figure, base.figure)
    return is_said and _are_its_times(statement, level.figure, base.figure, result.group)


def _is_named_elsewhere(statement: ComputingStatement, result: Result) -> bool:
    """Return whether a statement names something else than the figures of a result.

    Either they have other names, or a figure beside them has more names of the statement.
    """
    shared_names = result.parts[0].names & statement.names
    if statement.names and result.parts[0].names and not shared_names:
        return True
    others = (part for part in result.group if part.figure.unit == result.parts[0].figure.unit)
    return any(shared_names < part.names & statement.names for part in others)


def _is_later(level: Quantity, base: Quantity) -> bool:
    """Return whether a figure is later than another; in doubt, the first figure is."""
    mine, theirs = level.period, base.period
    if mine.year and theirs.year and mine.year != theirs.year:
        return mine.year > theirs.year
    are_earlier = (mine.prior or level.moved == "from", theirs.prior or base.moved == "from")
    if are_earlier[0] != are_earlier[1]:
        return are_earlier[1]
    if mine.span and theirs.span and mine.span != theirs.span:
        return mine.span > theirs.span
    return level.span < base.span


def _are_its_times(
    statement: ComputingStatement, level: Quantity, base: Quantity, parts: Sequence[Operand]
) -> bool:
    """Return whether a change from one figure to another is over the time of a statement."""
    claim_period, level_period = (
        replace(figure.period, year=None, prior=False) for figure in (statement.claim, level)
    )
    if claim_period.conflict(level_period):
        return False
    base_period = statement.claim.counterpart.base_period
    if base_period and base_period.span and base.period.span not in (None, base_period.span):
        return False
    are_of_one_part = level.period.span == base.period.span or not base.period.span
    if statement.claim.against == "year" and not are_of_one_part:
        return False
    if not (level.period.year and base.period.year):
        return True
    named_years = statement.years
    years = {level.period.year, base.period.year}
    if level.period == base.period or not named_years <= years:
        return False
    if base.period.year in named_years:
        lead = statement.clause[: statement.clause.find(str(base.period.year))]
        return named_years == years or _SINCE.search(lead) is not None
    latest = max(part.figure.period.year or 0 for part in parts)
    return (
        level.period.year in (named_years or {latest}) and level.period.year - base.period.year <= 1
    )
