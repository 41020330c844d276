"""Check a figure of a statement against the table rows that match its words."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from ...types.sample import Direction
from ..comparison.changes import changes
from ..comparison.compare import compare
from ..comparison.distinctions import Property
from ..extract import extract_amounts
from ..lexicon import MOVE, PART
from ..numbers.physical_units import measure_after
from ..periods import without_periods
from ..quantity import Quantity
from ..wording.labels import metrics
from .cell_units import lower_unit
from .column_heads import (
    DEFAULT,
    Head,
    column_words,
    months_of,
    outlook_months,
    spans_of,
    statement_words,
    years_of,
)
from .fiscal_years import calendar_year
from .rows import MONEY, TableCell, TableRow


class RowVerdict(NamedTuple):
    """Verdict of a row on a figure."""

    supported: bool
    """Whether it has the figure, rather than another in its place."""

    row: TableRow
    cell: TableCell
    differs: tuple[Property, ...] = ()


class ClaimColumn(NamedTuple):
    """Column of its figure, as the statement describes it."""

    about: frozenset[str]
    """Words about the figure."""

    words: frozenset[str]
    """Words of the sentence."""

    year: int | None
    prior: bool
    span: str | None
    month: int | None

    def in_columns_of(self, row: TableRow) -> "ClaimColumn":
        """Return the description with the year by which a row calls the fiscal year."""
        year = calendar_year(self.year, self.span, [cell.head for cell in row.cells])
        return self._replace(year=year)


def check_rows(claim: Quantity, sentence: str, rows: Sequence[TableRow]) -> RowVerdict | None:
    """Check a figure against the cells of the column that its statement mentions.

    A column with words besides its period must have them in the statement: "Europe 2023". Without
    such a column, columns with only a period count. Among several years, the statement is about the
    year that it mentions, or about the newest.

    Returns:
        The verdict; None if no row has a cell that decides.
    """
    request = read_request(claim, sentence)
    against: RowVerdict | None = None
    for row in rows:
        if _has_other_unit(claim, sentence, row) or _names_blank(request, row):
            continue
        columns = _columns(row, request)
        has_prior_column = any("prior" in cell.head.words for cell in columns)
        row_request = request.in_columns_of(row)
        row_request = row_request._replace(prior=request.prior and not has_prior_column)
        year = claim.period.year and row_request.year
        period = replace(claim.period, prior=row_request.prior, year=year)
        read_as = replace(claim, period=period)
        for cell in _cells(read_as, row_request, columns, row):
            figure = cell.figure
            verdict = compare(read_as, _in_unit_of(row, figure))
            is_loss = claim.negative and not figure.negative and row.signed
            turned = is_loss or turns(claim, cell, columns)
            if verdict.outcome == "supported" and not turned:
                return RowVerdict(True, row, cell)
            is_its_year = row_request.year == figure.period.year and not _may_be_year_before(
                columns
            )
            if is_its_year and _is_its_line(claim, figure, row):
                differs = ("direction",) if turned else verdict.differs or ("value",)
                against = RowVerdict(False, row, cell, differs)
    return against


def _in_unit_of(row: TableRow, cell: Quantity) -> Quantity:
    """Return a count with the physical unit that the label of its row states: `(MWh)`."""
    if row.unit is None or cell.unit != "count":
        return cell
    measure = measure_after(lower_unit(row.unit), 0)
    return replace(cell, measure=measure.dimension, size=measure.size) if measure else cell


def read_request(claim: Quantity, sentence: str) -> ClaimColumn:
    """Read which column a statement is about; years and spans are open if it mentions several."""
    spans = spans_of(sentence)
    if len(spans) > 1:
        spans -= {"Q"}  # the second quarter, ended on some day
    months = months_of(sentence)
    years = years_of(sentence)
    is_own = not claim.period.prior and years.isdisjoint(_years_compared_with(sentence))
    only_year = min(years) if len(years) == 1 and is_own else None
    return ClaimColumn(
        about=column_words(claim.wording.about),
        words=column_words(sentence),
        year=claim.period.year or only_year,
        prior=claim.period.prior,
        span=claim.period.span or (min(spans) if len(spans) == 1 else None),
        month=min(months) if len(months) == 1 else None,
    )


@lru_cache(maxsize=1024)
def _years_compared_with(sentence: str) -> frozenset[int]:
    """Return the years with which other figures are compared: 2022 in "$5 versus $4 in 2022"."""
    periods = [figure.period for figure in extract_amounts(sentence)]
    return frozenset(period.year for period in periods if period.prior and period.year)


def _columns(row: TableRow, request: ClaimColumn) -> list[TableCell]:
    """Return the cells of the columns that a statement is about."""
    periods = [cell for cell in row.cells if is_of_period(cell.head, request)]
    values = list(_by_each_name(cell for cell in periods if cell.head.kind == "value"))
    values = _with_ranges(values)
    named_cells = _named_cells(values, request.about) or _named_cells(values, request.words)
    named_cells = named_cells or [cell for cell in values if not _words(cell)]
    others = [cell for cell in periods if cell.head.kind in ("share", "change")]
    if len({_words(cell) for cell in others}) > 1:
        others = [cell for cell in others if _words(cell) <= request.words]
    return [*named_cells, *others]


def _by_each_name(cells: Iterable[TableCell]) -> Iterator[TableCell]:
    """Yield cells, twice if a statement may name them by status or by month: prior (may)."""
    for cell in cells:
        names = cell.head.words
        statuses = names & {"prior", "current"}
        months = outlook_months(cell.head.text.lower())
        is_ambiguous = bool(statuses and months)
        readings = (statuses, months) if is_ambiguous else (frozenset[str](),)
        for omitted in readings:
            yield cell._replace(head=cell.head._replace(words=names - omitted))


def _named_cells(cells: Sequence[TableCell], words: frozenset[str]) -> list[TableCell]:
    """Return the cells of the columns that some words mention by the longest name."""
    candidates = [cell for cell in cells if _words(cell) and _words(cell) <= words]
    most = max((len(_words(cell)) for cell in candidates), default=0)
    return [cell for cell in candidates if len(_words(cell)) == most]


def _names_blank(request: ClaimColumn, row: TableRow) -> bool:
    """Return whether a statement mentions a column in which a row has no figure."""
    return any(words - DEFAULT and words <= request.words for words in row.blank)


def _may_be_year_before(columns: Sequence[TableCell]) -> bool:
    """Return whether years end in January or February: fiscal 2022 may end on January 28, 2023."""
    return any(cell.head.month in (1, 2) and cell.head.year for cell in columns)


def _words(cell: TableCell) -> frozenset[str]:
    return cell.head.words - DEFAULT


def is_of_period(head: Head, request: ClaimColumn) -> bool:
    """Return whether a column may be of the part of a year that a statement mentions."""
    spans = {request.span, head.span} - {None}
    same_span = len(spans) < 2 or spans == {"H1", "6M"} or _is_some_quarter(spans)
    return same_span and (None in (request.month, head.month) or request.month == head.month)


def _is_some_quarter(spans: set[str | None]) -> bool:
    return "Q" in spans and all(span and span.startswith("Q") for span in spans)


def _with_ranges(cells: Sequence[TableCell]) -> list[TableCell]:
    """Return cells, and the range of a low cell beside a high cell."""
    ranges = []
    for low in cells:
        for high in cells:
            words = low.head.words - {"low"}
            is_pair = "low" in low.head.words and high.head.words == words | {"high"}
            if is_pair and low.figure.unit == high.figure.unit:
                figure = replace(low.figure, value_high=high.figure.value)
                ranges.append(TableCell(low.head._replace(words=words), figure))
    return [*cells, *ranges]


def _cells(
    claim: Quantity, request: ClaimColumn, columns: Sequence[TableCell], row: TableRow
) -> Iterator[TableCell]:
    """Yield the figures, or the changes between them, of the year that a claim is about."""
    years = [cell.figure.period.year or 0 for cell in columns if cell.head.kind == "value"]
    newest = max(years, default=0)
    has_its_year = request.year in years
    is_change = claim.change or claim.unit == "basis_points"
    for cell in columns:
        head, figure = cell
        year = figure.period.year or 0
        if head.kind == "change":
            column_year = head.year or newest
            if is_change and (request.year or column_year) in (column_year, newest):
                yield cell
            continue
        if request.year is None and (year == newest) == request.prior:
            continue
        may_be_of_year = year == request.year or (year == 0 and not has_its_year)
        if request.year is not None and not may_be_of_year:
            continue
        if not is_change:
            yield cell
            if figure.negative and not row.signed:
                yield TableCell(head, replace(figure, negative=False))
            continue
        if row.is_change or figure.direction:
            yield TableCell(head, as_change(figure))
        for before in _a_year_before(head, figure, columns):
            level = figure
            if figure.negative and before.negative and not row.signed:  # amounts of a cost
                level, before = replace(figure, negative=False), replace(before, negative=False)
            yield from (TableCell(head, change) for change in _changes(level, before))


def _a_year_before(
    head: Head, figure: Quantity, columns: Sequence[TableCell]
) -> Iterator[Quantity]:
    """Yield the figures of the same kind of column, one year before."""
    for other, before in columns:
        same_kind = (other.kind, other.words, other.span) == (head.kind, head.words, head.span)
        is_before = (before.period.year or 0) == (figure.period.year or 0) - 1
        if same_kind and is_before and before.unit == figure.unit:
            yield before


def _changes(figure: Quantity, before: Quantity) -> Iterator[Quantity]:
    """Yield the change between two figures, in percent or points and in their own unit."""
    yield from changes(figure, before)
    difference = round(figure.value - before.value, figure.decimals)
    if difference and figure.scale == before.scale and not (figure.negative or before.negative):
        direction: Direction = "up" if difference > 0 else "down"
        yield replace(figure, value=abs(difference), change=True, level=None, direction=direction)


def as_change(figure: Quantity) -> Quantity:
    """Return a figure of a row of changes with its sign as a direction."""
    direction: Direction = "down" if figure.negative else "up"
    return replace(figure, negative=False, change=True, level=None, direction=direction)


def turns(claim: Quantity, cell: TableCell, columns: Sequence[TableCell]) -> bool:
    """Return whether a level moved the other way than a claim says."""
    before = next(_a_year_before(cell.head, cell.figure, columns), None)
    if (
        before is None
        or cell.figure.direction
        or claim.change
        or not claim.amount
        or claim.direction not in ("up", "down")
    ):
        return False
    moved = abs(cell.figure.amount) - abs(before.amount)
    return moved < 0 if claim.direction == "up" else moved > 0


def _is_its_line(claim: Quantity, cell: Quantity, row: TableRow) -> bool:
    """Return whether a cell that differs from a claim is of the same line and kind."""
    is_telling_label = claim.metric is not None or len(row.label) > 1
    may_be_same_currency = (
        claim.unit not in MONEY
        or None in (claim.currency, cell.currency)
        or claim.currency == cell.currency
    )
    is_part = PART.search(claim.wording.before) is not None
    is_plain = not (claim.bound or claim.denied or is_part or claim.status == "guidance")
    return (
        claim.metric == cell.metric
        and not _has_other_name(claim, row)
        and is_telling_label
        and claim.unit == cell.unit
        and may_be_same_currency
        and is_plain
        and not row.is_computed
    )


def _has_other_name(claim: Quantity, row: TableRow) -> bool:
    """Return whether a figure beside others has its own name, which differs from the row's."""
    if not claim.wording.beside.strip():
        return False
    words = without_periods(claim.wording.alone)
    names = statement_words(MOVE.sub(" ", words))
    is_named = bool(names & row.label) or not row.metrics.isdisjoint(metrics(words))
    return bool(names) and not is_named


def _has_other_unit(claim: Quantity, sentence: str, row: TableRow) -> bool:
    """Return whether a figure has another physical unit than the label of a row states."""
    words_after = sentence[claim.span.end - claim.sentence.start :].split()
    if row.unit is None or not words_after:
        return False
    unit = words_after[0].strip(".,;:()")
    has_inner_capital = unit[1:] != unit[1:].lower()  # as GWh has
    return has_inner_capital and unit.lower() != row.unit.lower()
