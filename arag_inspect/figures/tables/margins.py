"""Compute the margins of tables: rows of what remains of the revenue of a table, in percent."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..figure_wording import Wording
from ..lexicon import MARGINS
from ..wording.labels import metrics
from .column_heads import Head, statement_words
from .rows import TableCell, TableRow

_MARGINS = {profit: MARGINS[profit] for profit in ("operating income", "net income")}
"""Margins that are computed, by their profit."""

_DECIMALS = 6
"""Places of a computed margin; any margin of a statement is rounder."""


def margin_rows(rows: Sequence[TableRow]) -> Iterator[TableRow]:
    """Yield the margins of tables that have revenue and income in two rows or in two columns."""
    tables: dict[int, list[TableRow]] = defaultdict(list)
    for row in rows:
        tables[row.table].append(row)
    for of_table in tables.values():
        yield from _margins_of_rows(of_table)
    for row in rows:
        yield from _margins_of_columns(row)


def _margins_of_rows(rows: Sequence[TableRow]) -> Iterator[TableRow]:
    """Yield a row of margins for each row of income of a whole table, by the last revenue above."""
    revenue: TableRow | None = None
    for row in rows:
        if row.bare or row.is_adjusted:  # a part: revenue from services
            continue
        metric = _label_metric(row) or ""
        if metric == "revenue":
            revenue = row
        elif revenue and metric in _MARGINS:
            cells = _margins(row.cells, revenue.cells, _MARGINS[metric])
            if cells:
                label = statement_words(_MARGINS[metric])
                yield _margin_row(row, label, cells, f"{revenue.line}\n{row.line}")


def _margins_of_columns(row: TableRow) -> Iterator[TableRow]:
    """Yield the margins of a row whose columns are revenue and income: of a segment."""
    columns: dict[str, list[TableCell]] = defaultdict(list)
    named_cells = [cell for cell in row.cells if cell.head.words]
    for cell in named_cells:
        head_metrics = metrics(cell.head.text.lower())
        if len(head_metrics) == 1:
            columns[min(head_metrics)].append(cell)
    for metric, margin in _MARGINS.items():
        cells = _margins(columns[metric], columns["revenue"], margin)
        if cells:
            yield _margin_row(row, row.label | statement_words(margin), cells, row.line)


def _label_metric(row: TableRow) -> str | None:
    """Return the only metric that the label of a row names."""
    names = row.cells[0].figure.wording.metrics if row.cells else frozenset[str]()
    return min(names) if len(names) == 1 else None


def _margins(
    income: Sequence[TableCell], revenue: Sequence[TableCell], margin: str
) -> list[TableCell]:
    """Return the margins of the periods of which there are income and revenue."""
    wording = Wording(content=frozenset(), metrics=frozenset([margin]), is_metric_beside=True)
    whole_by_period = {_period(cell.head): cell.figure for cell in revenue}
    cells = []
    for head, part in income:
        whole = whole_by_period.get(_period(head))
        is_money = part.unit == "currency" and whole is not None and whole.unit == "currency"
        if whole is None or not whole.amount or not is_money:
            continue
        figure = replace(
            part,
            value=abs(100 * part.amount / whole.amount),
            decimals=_DECIMALS,
            unit="percent",
            scale="one",
            currency=None,
            metric=margin,
            wording=wording,
        )
        plain_head = Head(head.text, head.year, head.span, head.month)
        cells.append(TableCell(plain_head, figure))
    return cells


def _period(head: Head) -> tuple[int | None, str | None, int | None]:
    return head.year, head.span, head.month


def _margin_row(
    row: TableRow, label: frozenset[str], cells: Sequence[TableCell], line: str
) -> TableRow:
    """Return a row with margins in place of its figures."""
    names = frozenset(cell.figure.metric for cell in cells if cell.figure.metric)
    return replace(row, line=line, label=label, metrics=names, cells=tuple(cells), is_computed=True)
