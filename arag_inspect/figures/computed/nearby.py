"""Find what a statement computes from a part and its whole in different sentences."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..comparison.compare import conflicting
from ..quantity import Quantity
from .operands import Operand
from .results import Computation, Result
from .statement import ComputingStatement

_REACH = 600
"""Most characters between a part and its whole."""


class _PartAndWhole(NamedTuple):
    """Names in a statement, by the figure that they are of."""

    part: frozenset[str]
    whole: frozenset[str]


class Passages:
    """The figures of the prose of each passage."""

    def __init__(self) -> None:
        self._passages: list[list[Operand]] = []

    def add(self, operands: Sequence[Operand]) -> None:
        """Add the figures of a sentence; a sentence before the last starts another passage."""
        if not operands:
            return
        last = self._passages[-1][-1] if self._passages else None
        if last is None or operands[0].figure.span.start < last.figure.span.end:
            self._passages.append([])
        self._passages[-1] += operands

    def result(self, statement: ComputingStatement) -> Result | None:
        """Return the result that a statement may give, if its part and whole have names in it.

        The statement has no other result from the figures that its names match best.
        """
        for kind in sorted(statement.kinds & {"product", "share", "without"}):
            names = _names(kind, statement)
            if not (names.part and names.whole):
                continue
            for passage in self._passages:
                results = _best_named(_results(kind, statement, names, passage), names)
                if results and all(map(statement.equals, results)):
                    return results[0]
        return None


def _names(kind: Computation, statement: ComputingStatement) -> _PartAndWhole:
    """Return the names that a statement has for a part and for its whole."""
    if kind == "without":
        return _PartAndWhole(statement.left_out, statement.names - statement.left_out)
    return _PartAndWhole(statement.names - statement.whole, statement.whole)


def _best_named(results: Iterator[Result], names: _PartAndWhole) -> Sequence[Result]:
    """Return the results of the parts that have most names of a statement's part."""
    all_results = list(results)
    sizes = [len(result.parts[0].names & names.part) for result in all_results]
    most = max(sizes, default=0)
    return [result for result, size in zip(all_results, sizes, strict=True) if size == most]


def _results(
    kind: Computation,
    statement: ComputingStatement,
    names: _PartAndWhole,
    passage: Sequence[Operand],
) -> Iterator[Result]:
    """Yield the results from each part and the largest figure nearby that may be its whole."""
    claim = statement.claim
    wholes = [whole for whole in passage if _may_be_whole(kind, claim, names, whole)]
    if not wholes:
        return
    for part in passage:
        if not _may_be_part(kind, claim, names, part):
            continue
        near = [whole for whole in wholes if _are_part_and_whole(kind, part, whole, names)]
        if near:
            whole = max(near, key=lambda whole: abs(whole.figure.amount))
            yield _result(kind, part, whole, passage)


def _may_be_whole(kind: Computation, claim: Quantity, names: _PartAndWhole, whole: Operand) -> bool:
    """Return whether a figure may be the whole of which a statement gives a part."""
    figure = whole.figure
    if figure.value_high is not None or figure.unit in ("percent", "points", "basis_points"):
        return False
    lacking = names.whole - whole.names
    is_named = 2 * len(lacking) <= (len(names.whole) if kind == "without" else 0)
    is_of_unit = kind == "share" or figure.unit == claim.unit
    return is_named and is_of_unit and not _differ(claim, figure)


def _may_be_part(kind: Computation, claim: Quantity, names: _PartAndWhole, part: Operand) -> bool:
    """Return whether the names of a statement's part are mostly names of a figure."""
    figure = part.figure
    if figure.value_high is not None or not figure.value:
        return False
    if (figure.unit == "percent") != (kind == "product") or (kind == "product" and figure.change):
        return False
    shared = part.names & names.part
    is_named = len(names.part - shared) <= len(shared)
    return bool(shared) and is_named and not _differ(claim, figure)


def _are_part_and_whole(
    kind: Computation, part: Operand, whole: Operand, names: _PartAndWhole
) -> bool:
    """Return whether a figure may be a part of another figure, or a rate of it."""
    mine, theirs = part.figure, whole.figure
    if part is whole or abs(mine.span.start - theirs.span.start) > _REACH:
        return False
    is_apart = mine.sentence != theirs.sentence and mine.amount < theirs.amount
    is_of_kind = kind == "product" or (part.kind == whole.kind and is_apart)
    are_alike = mine.metric in (None, theirs.metric) or mine.metric in names.part
    distinct = part.names - whole.names
    shared = distinct & names.part
    is_named = bool(shared) and len(distinct - shared) <= len(shared)
    is_part_alone = (names.part & whole.names) <= names.whole
    are_of_time = mine.period.prior == theirs.period.prior and not _differ(mine, theirs)
    return is_of_kind and are_alike and is_named and is_part_alone and are_of_time


def _differ(figure: Quantity, other: Quantity) -> bool:
    """Return whether two figures have another basis, period or status."""
    return not {"basis", "period", "status"}.isdisjoint(conflicting(figure, other))


def _result(kind: Computation, part: Operand, whole: Operand, passage: Sequence[Operand]) -> Result:
    """Compute a share in percent, the amount of a share, or what remains of a whole."""
    unit = whole.figure.unit
    if kind == "share":
        share = 100 * part.figure.amount / whole.figure.amount
        return Result(share, "percent", (part, whole), passage)
    if kind == "product":
        amount = part.figure.amount * whole.figure.amount / 100
        return Result(amount, unit, (part, whole), passage)
    return Result(whole.figure.amount - part.figure.amount, unit, (part, whole), passage)
