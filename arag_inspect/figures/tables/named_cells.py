"""Find cells of tables that match a statement better than any other cell of their table."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..comparison.compare import compare, near_in_size, same_quantity
from ..quantity import Quantity
from ..wording.labels import metrics
from .claims import ClaimColumn, RowVerdict, as_change, is_of_period, read_request, turns
from .column_heads import Head, names_in, statement_words, years_of
from .rows import TableCell, TableRow, may_be_of_kind

_GROWTH = frozenset(
    ["chang", "growth", "compar", "organ", "increas", "decreas", "effect", "impact"]
)
"""Stems of the names of a row or column whose percentages are changes."""

_OUTFLOW = frozenset(["consum", "deficit", "lo", "neg", "outflow", "paid", "spent", "took", "use"])
"""Stems of words that make a figure negative which a statement gives without a sign."""

_INFLOW = frozenset(["generat", "provid"])
"""Stems of words for cash that came in."""

_LEFT_OUT = frozenset(["exclud", "le"])
"""Stems of words that a part is left out or, after `less`, deducted."""

_MOST_ALIKE = 100
"""Cells of one quantity that a figure is compared with."""


class _PlacedCell(NamedTuple):
    """A cell in its row."""

    cell: TableCell
    row: TableRow

    def distinct_from(self, other: "_PlacedCell") -> list[str]:
        """Return the names of its row and column that distinguish this cell from another.

        Names of the whole table do not tell its total from its other rows. The name of a column of
        shares ("% of sales") does not tell the row of sales from other rows.
        """
        row_names = self.row.names - other.row.names
        if self.row.is_total:
            row_names -= self.row.title
        column_names = self.cell.head.names - other.cell.head.names
        if other.cell.head.kind == "share":
            row_names -= other.cell.head.names
        return [*row_names, *column_names]


class _Words(NamedTuple):
    """Words of a statement, by which the cells of a table differ."""

    alone: frozenset[str]
    """Words about the figure and no other."""

    about: frozenset[str]
    """Words about the figure."""

    sentence: frozenset[str]
    """All words."""

    def prefer(self, names: Sequence[str], others: Sequence[str]) -> int:
        """Return whether they have more of names than of others (positive), fewer or as many."""
        for words in self:
            difference = len([*filter(words.__contains__, names)]) - len(
                [*filter(words.__contains__, others)]
            )
            if difference:
                return difference
        return 0

    def choose(self, candidate: _PlacedCell, rival: _PlacedCell) -> int:
        """Return whether they describe a cell better than another (positive) or worse (negative).

        If they mention both a whole and a part, they mean the part: income in Europe.
        """
        if candidate.row.label | rival.row.label <= self.about:
            is_whole = bool(candidate.cell.figure.wording.metrics)
            other_is_whole = bool(rival.cell.figure.wording.metrics)
            if is_whole != other_is_whole:
                return 1 if other_is_whole else -1
        return self.prefer(candidate.distinct_from(rival), rival.distinct_from(candidate))


class _CellQuery(NamedTuple):
    """Description in a statement of the cell in which its figure is looked up."""

    claim: Quantity
    words: _Words
    request: ClaimColumn
    metrics: frozenset[str]
    years: frozenset[int]

    def in_years_of(self, row: TableRow) -> "_CellQuery":
        """Return the statement as about the only year that it mentions and a row has a column for.

        "At the end of 2023, $4 million was due in 2025" is about the column of 2025.
        """
        years_of_row = {cell.head.year for cell in row.cells}
        years = self.years & years_of_row
        if self.request.prior or self.request.year in years_of_row or len(years) != 1:
            return self
        return self._replace(request=self.request._replace(year=min(years)))

    def is_of_other_metric(self, candidate: _PlacedCell) -> bool:
        """Return whether a label has metrics that the statement does not mention."""
        label_metrics = candidate.cell.figure.wording.metrics
        names_other = bool(label_metrics) and label_metrics.isdisjoint(self.metrics)
        return names_other and not candidate.row.is_dated

    def includes_what_is_left_out(self, row: TableRow) -> bool:
        """Return whether a statement includes a part, and a label leaves one out or deducts it."""
        includes = "includ" in self.words.about and self.words.about.isdisjoint(_LEFT_OUT)
        return includes and not row.names.isdisjoint(_LEFT_OUT)

    def is_opposed_to(self, row: TableRow) -> bool:
        """Return whether a label says the opposite: cash used, not provided; without a part."""
        leaves_out = "exclud" in row.names and self.includes_what_is_left_out(row)
        return leaves_out or self._is_of_other_flow(row)

    def _is_of_other_flow(self, row: TableRow) -> bool:
        """Return whether a statement says that cash came in, and a label that cash was used."""
        says_inflow = not self.words.about.isdisjoint(_INFLOW)
        says_inflow = says_inflow and self.words.about.isdisjoint(_OUTFLOW)
        return says_inflow and "use" in row.names and row.names.isdisjoint(_INFLOW)


def _read_query(claim: Quantity, sentence: str) -> _CellQuery:
    """Read what a statement says about the cell of one of its figures."""
    about = names_in(claim.wording.about)
    sentence_names = names_in(sentence) | statement_words(sentence)
    return _CellQuery(
        claim=claim,
        words=_Words(names_in(claim.wording.alone), about, sentence_names),
        request=read_request(claim, sentence),
        metrics=frozenset({*metrics(sentence.lower()), claim.metric or ""}),
        years=years_of(sentence),
    )


class NamedCells:
    """The cells of all tables by their amount.

    Args:
        rows: The rows of the tables.
    """

    def __init__(self, rows: Sequence[TableRow]) -> None:
        self._by_table: dict[int, list[_PlacedCell]] = defaultdict(list)
        self._names: dict[int, frozenset[str]] = defaultdict(frozenset)
        """All names in each table."""

        self._by_label: dict[frozenset[str], list[TableRow]] = defaultdict(list)
        self._by_dimension: dict[str, list[_PlacedCell]] = defaultdict(list)
        for row in rows:
            self._by_label[row.label].append(row)
            head_names = (cell.head.names for cell in row.cells)
            self._names[row.table] = self._names[row.table].union(row.context, *head_names)
            for cell in row.cells:
                candidate = _PlacedCell(cell, row)
                if cell.figure.value or cell.figure.value_high:  # a zero rivals no other
                    self._by_table[row.table].append(candidate)
                self._by_dimension[cell.figure.dimension].append(candidate)
        for candidates in self._by_dimension.values():
            candidates.sort(key=_size)

    def verdict(
        self, claim: Quantity, sentence: str, row_verdict: RowVerdict | None
    ) -> RowVerdict | None:
        """Return the verdict of the cell that matches a statement best; None if no cell decides.

        A cell with the quantity of the claim supports it. A cell with another quantity contradicts
        it if no matching cell has the claim's quantity.

        Args:
            claim: A figure of the statement.
            sentence: The statement.
            row_verdict: Verdict of the row whose label the statement mentions.
        """
        statement = _read_query(claim, sentence)
        if row_verdict and row_verdict.supported and self._may_support(statement, row_verdict):
            return row_verdict
        for candidate in self._of_quantity(claim):
            if self._supports(statement, candidate):
                return RowVerdict(True, candidate.row, candidate.cell)
        if row_verdict and not row_verdict.supported and self._contradicts(statement, row_verdict):
            return row_verdict
        return None

    def _may_support(self, statement: _CellQuery, row_verdict: RowVerdict) -> bool:
        """Return whether a statement matches no other cell and no other table with such a row."""
        candidate = _PlacedCell(row_verdict.cell, row_verdict.row)
        is_other = self._is_of_other_table(candidate.row, statement)
        return not (is_other or statement.is_opposed_to(candidate.row)) and all(
            statement.words.choose(candidate, rival) >= 0
            for rival in self._rivals(candidate, statement)
        )

    def _supports(self, statement: _CellQuery, candidate: _PlacedCell) -> bool:
        """Return whether a statement matches a cell with its quantity and no other cell."""
        statement = statement.in_years_of(candidate.row)
        return (
            self._is_named(candidate.row, statement)
            and not self._is_of_other_column(candidate, statement)
            and not statement.is_of_other_metric(candidate)
            and not statement.is_opposed_to(candidate.row)
            and _gives(statement, candidate)
            and self._is_named_best(candidate, statement)
            and not self._is_of_other_table(candidate.row, statement)
        )

    def _contradicts(self, statement: _CellQuery, row_verdict: RowVerdict) -> bool:
        """Return whether a statement fits a cell with another figure, and no cell with its own."""
        candidate = _PlacedCell(row_verdict.cell, row_verdict.row)
        words = statement.words
        figure = candidate.cell.figure
        has_scale = figure.scale != "one" or statement.claim.value != figure.value
        return (
            has_scale
            and self._is_named_best(candidate, statement)
            and not any(
                (other.row.label <= words.sentence or words.choose(candidate, other) <= 0)
                and (not statement.years or _may_be_of_years(other, statement))
                for other in self._of_quantity(statement.claim)
            )
        )

    def _is_of_other_table(self, row: TableRow, statement: _CellQuery) -> bool:
        """Return whether a statement mentions another table that has a row of the same label."""
        context = row.context
        return any(
            statement.words.prefer([*context - other.context], [*other.context - context]) < 0
            for other in self._by_label[row.label]
            if other.table != row.table and other.may_have(statement.claim)
        )

    def _of_quantity(self, claim: Quantity) -> Iterator[_PlacedCell]:
        """Yield the cells with the quantity of a claim."""
        for candidates in self._by_dimension.values():
            for candidate in near_in_size(candidates, claim, _size)[:_MOST_ALIKE]:
                if same_quantity(claim, candidate.cell.figure):
                    yield candidate

    def _is_named(self, row: TableRow, statement: _CellQuery) -> bool:
        """Return whether a statement has more than half of the words of a label.

        The labels of days and quarters are periods; their table must be mentioned too.
        """
        words = statement.words.sentence
        if row.is_dated:
            return not words.isdisjoint(self._names[row.table])
        return len(row.label & words) * 2 > len(row.label)

    def _is_named_best(self, candidate: _PlacedCell, statement: _CellQuery) -> bool:
        """Return whether a cell matches a statement better than any other cell of its table."""
        for rival in self._rivals(candidate, statement):
            mine = candidate.distinct_from(rival)
            theirs = rival.distinct_from(candidate)
            preference = statement.words.choose(candidate, rival)
            is_plainer = statement.words.sentence.issuperset(mine) and bool(mine or theirs)
            if preference < 0 or (preference == 0 and not is_plainer):
                return False
        return True

    def _is_of_other_column(self, candidate: _PlacedCell, statement: _CellQuery) -> bool:
        """Return whether a statement fits another column, in which the row may have no figure."""
        mine = candidate.cell.head.names
        return any(
            statement.words.prefer([*mine - other.head.names], [*other.head.names - mine]) < 0
            for other, row in self._by_table[candidate.row.table]
            if other.figure.unit == candidate.cell.figure.unit and not row.is_dated
        )

    def _rivals(self, candidate: _PlacedCell, statement: _CellQuery) -> Iterator[_PlacedCell]:
        """Yield the other cells of a table that a statement may be about."""
        mine = candidate.cell
        metric = statement.claim.metric
        for rival in self._by_table[candidate.row.table]:
            head, figure = rival.cell
            is_of_other_metric = metric in candidate.row.metrics and (
                bool(rival.row.metrics) and metric not in rival.row.metrics
            )
            is_less_dated = rival.row.line == candidate.row.line and _is_less_dated(
                head, mine.head, statement.request
            )
            if (
                figure.value != mine.figure.value
                and (figure.unit, figure.scale) == (mine.figure.unit, mine.figure.scale)
                and self._is_named(rival.row, statement)
                and not is_of_other_metric
                and not statement.includes_what_is_left_out(rival.row)
                and _is_of_request(rival, statement.request)
                and not is_less_dated
            ):
                yield rival


def _size(candidate: _PlacedCell) -> float:
    return abs(candidate.cell.figure.amount)


def _gives(statement: _CellQuery, candidate: _PlacedCell) -> bool:
    """Return whether a cell gives the figure of a statement, if it is the cell that it is about."""
    claim = statement.claim
    figure = candidate.cell.figure
    row = candidate.row
    if not may_be_of_kind(figure, claim) or not _is_of_request(candidate, statement.request):
        return False
    if claim.change and not figure.change:
        if _GROWTH.isdisjoint(row.names | candidate.cell.head.names):
            return False
        figure = as_change(figure)
    elif figure.negative and (not row.signed or _OUTFLOW & names_in(claim.wording.alone)):
        figure = replace(figure, negative=False)
    read_as = replace(claim, period=replace(claim.period, prior=False, year=figure.period.year))
    is_same = compare(read_as, figure).outcome == "supported"
    return is_same and not turns(claim, candidate.cell, row.cells)


def _may_be_of_years(candidate: _PlacedCell, statement: _CellQuery) -> bool:
    """Return whether a cell is of a year that a statement mentions, or of no certain year."""
    request = statement.request.in_columns_of(candidate.row)
    return candidate.cell.head.year in (None, request.year, *statement.years)


def _is_less_dated(head: Head, other: Head, request: ClaimColumn) -> bool:
    """Return whether a head lacks a part of the period that another head and a statement have."""
    mine = (head.year, head.span, head.month)
    theirs = (other.year, other.span, other.month)
    stated_period = (request.year, request.span, request.month)
    return any(
        stated_part and other_part and not head_part
        for stated_part, other_part, head_part in zip(stated_period, theirs, mine, strict=True)
    )


def _is_of_request(candidate: _PlacedCell, request: ClaimColumn) -> bool:
    """Return whether a cell may be of the period that a statement mentions."""
    head = candidate.cell.head
    request = request.in_columns_of(candidate.row)
    if not is_of_period(head, request):
        return False
    if request.year is not None:
        return head.year in (None, request.year)
    years = [cell.head.year or 0 for cell in candidate.row.cells]
    return len(set(years)) < 2 or ((head.year or 0) == max(years)) != request.prior
