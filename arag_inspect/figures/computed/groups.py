"""Find figures that a statement computes from figures of its source.

They are differences, shares, sums, midpoints and what remains of a whole. The words of the
statement say which it is. They match its operands, which are figures of one sentence, row or
column, better than other figures. Only a part and its whole may be in different sentences.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations

from ..comparison.compare import same_quantity
from ..quantity import Quantity
from ..tables.rows import TableRow
from .fit import fits
from .nearby import Passages
from .operands import Operand, operand_names
from .results import Computation, RangeEnd, Result, Results, operands_for, operation_of, results_of
from .statement import ComputingStatement

_MOST_TERMS = 4
_MOST_FIGURES = 24
"""Figures of a sentence, row or column that are combined."""


class Groups:
    """The figures of each sentence, row and column."""

    def __init__(self) -> None:
        self._groups: list[list[Operand]] = []
        self._passages = Passages()
        self._results: dict[tuple[Computation, bool, RangeEnd | None], Results] = {}
        """Results that are equal for all statements, by operation, unit and end of ranges."""

    def add_sentence(self, sentence: str, figures: Sequence[Quantity]) -> None:
        """Add the figures of a sentence."""
        operands = [Operand(figure, sentence) for figure in figures[:_MOST_FIGURES]]
        self._groups.append(operands)
        self._passages.add(operands)

    def add_rows(self, rows: Sequence[TableRow]) -> None:
        """Add the cells of rows and columns; amounts that are deducted lose their sign."""
        columns: dict[tuple[int, str], list[Operand]] = defaultdict(list)
        for row in rows:
            label = operand_names(row.line.strip("| ").partition("|")[0]) | row.block
            are_deducted = not row.signed and all(cell.figure.negative for cell in row.cells)
            parts = []
            for head, figure in row.cells[:_MOST_FIGURES]:
                operand = replace(
                    figure,
                    period=replace(figure.period, prior="prior" in head.words),
                    negative=figure.negative and not are_deducted,
                )
                part = Operand(operand, row.line, label | operand_names(head.text))
                parts.append(part)
                columns[row.table, head.text].append(part)
            self._groups.append(parts)
        self._groups += [parts[:_MOST_FIGURES] for parts in columns.values()]

    def source(self, claim: Quantity, sentence: str, figures: Sequence[Quantity]) -> str | None:
        """Return the text from which a statement may compute a figure; None without any.

        Args:
            claim: The figure.
            sentence: The statement.
            figures: All figures of the text of the statement.
        """
        if claim.value_high is not None:
            return None
        statement = ComputingStatement(claim, sentence, figures)
        result = (
            self._result(statement)
            or self._passages.result(statement)
            or self._result_of_change(statement, figures)
        )
        if result is None:
            return None
        return "\n".join(dict.fromkeys(part.source for part in result.parts))

    def _result(self, statement: ComputingStatement) -> Result | None:
        """Return the result of one sentence, row or column that a statement may give."""
        for kind in sorted(statement.kinds - {"product"}):
            results = [self._result_at(end, kind, statement) for end in statement.range_ends]
            if all(results):
                return results[0]
        return None

    def _result_at(
        self, range_end: RangeEnd | None, kind: Computation, statement: ComputingStatement
    ) -> Result | None:
        """Return the result of one kind from figures that are not ranges, or from their ends."""
        results = self._all_results(kind, statement, range_end)
        for result in results.near(statement.claim):
            if _says(statement, kind, result, results.all):
                return result
        return None

    def _result_of_change(
        self, statement: ComputingStatement, figures: Sequence[Quantity]
    ) -> Result | None:
        """Return the change that a statement gives, if the figure is the level that it reached."""
        change = statement.change_before
        if change is None:
            return None
        of_change = ComputingStatement(change, statement.sentence, figures)
        result = self._result_at(None, "difference", of_change)
        if result is None or not same_quantity(statement.claim, result.parts[0].figure):
            return None
        is_named = not result.parts[0].names.isdisjoint(statement.names)
        return result if is_named else None

    def _all_results(
        self, kind: Computation, statement: ComputingStatement, range_end: RangeEnd | None
    ) -> Results:
        """Return what the figures of all groups amount to when computed in some way."""
        groups = self._groups
        if kind in ("sum", "total"):
            sums = (_sums(statement, range_end, parts) for parts in groups)
            return Results(chain.from_iterable(sums))
        is_rate = statement.claim.unit == "percent"
        operation = operation_of(kind, is_rate)
        key = (operation, is_rate, range_end)
        if key not in self._results:
            results_by_group = (
                results_of(operation, is_rate, range_end, parts) for parts in groups
            )
            self._results[key] = Results(chain.from_iterable(results_by_group))
        return self._results[key]


def _sums(
    statement: ComputingStatement, range_end: RangeEnd | None, group: Sequence[Operand]
) -> Iterator[Result]:
    """Yield the sums of the figures that a statement mentions, or of all if fewer than two."""
    unit = statement.claim.unit
    operands = operands_for(group, range_end)
    alike = [part for part in operands if part.figure.unit == unit]
    if len(alike) < 2:
        return
    terms = [part for part in alike if "total" not in part.names]
    names = [part.names | part.times for part in terms]
    common = frozenset.intersection(*names) if names else frozenset[str]()
    times = statement.times if len(statement.times) > 1 else frozenset[str]()
    distinct = (statement.names | times) - common
    named_parts = [part for part in terms if not distinct.isdisjoint(part.names | part.times)]
    sizes = range(2, min(len(named_parts), _MOST_TERMS) + 1)
    sums = chain.from_iterable(combinations(named_parts, size) for size in sizes)
    for addends in sums if len(named_parts) > 1 else [tuple(terms)]:
        if len({part.figure.period.prior for part in addends}) == 1 < len(addends):
            yield Result(sum(part.amount for part in addends), unit, addends, group)


def _says(
    statement: ComputingStatement, kind: Computation, result: Result, rivals: Sequence[Result]
) -> bool:
    """Return whether a statement gives a figure as a result rather than as one of its rivals."""
    if not (statement.equals(result) and fits(kind, statement, result)):
        return False
    return kind == "growth" or _is_named_best(kind, statement, result, rivals)


def _is_named_best(
    kind: Computation, statement: ComputingStatement, result: Result, rivals: Sequence[Result]
) -> bool:
    """Return whether the figures of a result match a statement better than figures of rivals.

    A rival of another sentence, row or column is only better if the statement mentions more of it.
    """
    score = statement.score(result)
    for rival in rivals:
        if rival.unit != result.unit:
            continue
        rival_score = statement.score(rival)
        is_of_group = rival.group is result.group
        is_better = rival_score >= score if is_of_group else rival_score[:2] > score[:2]
        if is_better and not statement.equals(rival) and fits(kind, statement, rival):
            return False
    return True
