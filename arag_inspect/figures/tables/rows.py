"""Rows of printed tables, their cells as figures."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...text.content_words import content_words, stems
from ...text.sentences import Span
from ...types.sample import Basis, Direction
from ..figure_wording import Wording
from ..lexicon import METRIC, bases, metric_name
from ..numbers.separators import with_english_separators
from ..periods import Period
from ..quantity import Quantity
from .barred import CellRow, PrintedCell, read_barred_tables
from .cell_units import CellUnit, cell_units, scaled_unit, unit_signs, without_units
from .column_heads import Head, label_words, read_head

_LOSS = re.compile(
    r"^(?!.*\b(?:for|credit|loan|impairment)\b.*\bloss).*\bloss(?:es)?\b"
    r"|^(?!.*provided).*\bcash (?:flows? )?used (?:by|for|in)\b",
    re.I,
)
"""A loss that is a result, not a provision."""

_INCOME = re.compile(r"\b(?:income|earnings|profit)\b|\(loss", re.IGNORECASE)
"""A result that may be a loss or not."""

_EFFECT = re.compile(r"\b(?:effects?|impacts?) (?:from|of|on)\b", re.IGNORECASE)
"""Noun with an effect, whose sign is a direction."""

_SIGNED = re.compile(
    r"\b(?:income(?! tax)|earnings|profits?|loss(?:es)?|ebit\w*|eps|margin|result|provided"
    r"|cash flows?(?! from\b))\b",
    re.I,
)
"""In other labels parentheses mark what is deducted, which statements give without a sign."""

MONEY = ("currency", "per_share")
"""Units of amounts of money."""

_GENERAL = frozenset(["total", "net", "consolidated", "enterprise", "group", "outstanding"])
"""Words of a label that a statement may leave out."""

_STATES = frozenset(["balance", "beginning", "end", "ending"])
"""Words of the label of a row of balances, which repeat the heads of its columns."""

_CHANGE_WORDS = frozenset(["change", "growth", "variance"])
"""Words of the label of a row of changes that a statement puts in other words: sales % change."""


_ALTERNATIVE = re.compile(
    r"\((?:provided by|used in|used for)\)\s?/\s?(?:provided by|used in)"
    r"|(?:provided by|used in)\s?/?\s?\((?:provided by|used in|used for)\)"
    r"|\((?:"
    r"loss|losses|income|benefit|expense|gain|deficit|decrease|increase|used in|provided by"
    r"|used for|note \d+)\)"
    r"|\b(?:basic and diluted|diluted and basic)\b"
    r"|\(\d{1,2}\)|\[\d{1,2}\]",
    re.IGNORECASE,
)
"""Words and marks in parentheses that a statement leaves out: (loss), (1)."""

_DEDUCTED = re.compile(r",? (?:less|net of) \D{0,80}\d.*")
"""Figures of a label that its amounts do not include: net of $35 and $46, respectively."""

_DUE = re.compile(r"\bdue (?:in )?(?:19|20)\d\d\b", re.IGNORECASE)
"""A year in a name, which is not a period: 5.5% notes due 2039."""

_NUMERAL = re.compile(r"\d[\d,]*(?:\.\d+)?|\.\d+")
_NEGATIVE = re.compile(r"^[^\d.]*(?:\(|[-–—−])")


class TableCell(NamedTuple):
    """A figure of a row with the head of its column."""

    head: Head
    figure: Quantity


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table."""

    line: str
    label: frozenset[str]
    """Content words of the label, which a statement about it mentions."""

    metrics: frozenset[str]
    """Metrics in the label, or in the title of its block if the label has none."""

    bare: frozenset[str]
    """Words of the label without the names of its metrics."""

    block: frozenset[str]
    """Content words of the title above its block of rows."""

    cells: tuple[TableCell, ...]
    """Its figures; a figure whose unit is open occurs once for each possible unit."""

    signed: bool
    """Whether its label makes a negative figure a loss, not a deduction."""

    columns: frozenset[str] = frozenset()
    """Words of the heads of its columns."""

    is_adjusted: bool = False
    """Whether its label or its block calls its figures adjusted."""

    unit: str | None = None
    """Physical unit that its label or its table states: `GWh`."""

    is_change: bool = False
    """Whether its label says that its figures are changes: sales growth."""

    blank: frozenset[frozenset[str]] = frozenset()
    """Words of the columns in which it has no figure."""

    table: int = -1
    """Position of the head of its table."""

    names: frozenset[str] = frozenset()
    """Names of the row and its block, by which it differs from others of its table."""

    title: frozenset[str] = frozenset()
    """Names of its table."""

    is_dated: bool = False
    """Whether its label is a period, so that the heads of its columns say what its figures are."""

    is_total: bool = False
    """Whether its label says that it is a total."""

    is_computed: bool = False
    """Whether its figures are computed from other rows or columns."""

    @property
    def context(self) -> frozenset[str]:
        """Names of its table, its block and itself."""
        return self.title | self.names

    @property
    def words(self) -> frozenset[str]:
        """All words that say what its figures are of."""
        return self.label | self.block | self.columns

    def may_have(self, figure: Quantity) -> bool:
        """Return whether any of its figures may be of the kind of another figure."""
        return any(may_be_of_kind(cell.figure, figure) for cell in self.cells)


class _RowSubject(NamedTuple):
    """Attributes that a label gives to all figures of its row."""

    metric: str | None
    basis: Basis | None
    is_loss: bool
    wording: Wording


def may_be_of_kind(figure: Quantity, other: Quantity) -> bool:
    """Return whether a cell may be of the kind of another figure.

    A cell of money may be an amount of money, and a cell of percent a percentage. A change may be
    computed from cells of any kind, but not from an empty one.
    """
    if other.value and not figure.value:
        return False
    if other.unit in MONEY:
        return figure.unit in MONEY
    if other.unit == "percent" and not other.change:
        return figure.unit == "percent"
    return other.unit != "count" or figure.unit not in ("percent", "per_share")


def read_tables(text: str) -> tuple[list[TableRow], str]:
    """Read the rows of all tables.

    Args:
        text: Plain text or Markdown, each row of a table on a line with bars between its cells.

    Returns:
        The rows, and the text without the lines of the tables. Labels with figures stay in it.
    """
    cell_rows, positions = read_barred_tables(with_english_separators(text))
    letters = list(text)
    for start, end in positions:
        letters[start:end] = " " * (end - start)
    for start, end in _labels_with_figures(text, cell_rows):
        letters[start:end] = text[start:end]
    rows = list(_table_rows(cell_rows))
    return [row for row in rows if row.label], "".join(letters)


def _labels_with_figures(text: str, rows: Sequence[CellRow]) -> Iterator[tuple[int, int]]:
    """Yield the positions of labels that have words and figures: 90 days or more."""
    for row in rows:
        label = text[row.start : row.end].strip(" |").partition("|")[0].rstrip()
        has_words = any(map(str.isalpha, label))
        if has_words and _NUMERAL.search(label):
            start = text.index(label, row.start)
            yield start, start + len(label)


def _table_rows(rows: Sequence[CellRow]) -> Iterator[TableRow]:
    """Yield the rows of tables with bars.

    A dollar sign in one row holds for its whole table, unless it is in a column of units.
    """
    titles_with_dollars = {row.title for row in rows if "$" in row.line.replace(row.unit, "")}
    for row in rows:
        dollars = row.title in titles_with_dollars or "$" in row.title
        for label, cells in _by_label(row).items():
            yield _table_row(label, row, cells, dollars)


def _by_label(row: CellRow) -> dict[str, list[PrintedCell]]:
    """Return the figures of a row by what they are of.

    That is the label of the row. If the label is a year or a total, it is the head of the column.
    """
    label = read_head(_DUE.sub(" ", row.label))
    words = label.words - _STATES
    if not (label.has_period or label_words(row.label) <= stems(_GENERAL | _STATES)):
        return {row.label: list(row.cells)}
    figures: dict[str, list[PrintedCell]] = defaultdict(list)
    for cell in row.cells:
        year = label.year or cell.head.year
        span = label.span or cell.head.span
        head = cell.head._replace(year=year, span=span, month=label.month or cell.head.month)
        head_words = content_words(cell.head.text.lower())
        if label.has_period:
            head_words |= label_words(cell.head.text) & stems(_GENERAL)  # a column of totals
        if words - _GENERAL or not head_words:
            figures[row.label].append(PrintedCell(head, cell.text))
        else:
            head = head._replace(words=words - _GENERAL)
            figures[cell.head.text].append(PrintedCell(head, cell.text))
    return figures


def _table_row(label: str, row: CellRow, cells: Sequence[PrintedCell], dollars: bool) -> TableRow:
    """Return the cells of a row for one label, which may be the head of a column."""
    signs = unit_signs(label)
    texts = [label, row.block, *row.title.split("\n")]
    row_head = read_head(row.label)
    plain_label = _DEDUCTED.sub("", _ALTERNATIVE.sub(" ", label))
    name = " ".join(without_units(plain_label).split())
    words = label_words(name)
    is_change = read_head(label).kind == "change"
    general = stems(_GENERAL | _CHANGE_WORDS if is_change else _GENERAL)
    label_metrics = _metric_names(name)
    metrics = label_metrics or _metric_names(row.block)
    if not metrics and words <= stems(_GENERAL):  # total
        metrics = _metrics_of_title(row.title)
    is_adjusted = "adjusted" in bases(f"{row.block} {label}".lower())
    subject = _RowSubject(
        metric=metrics[0] if metrics else None,
        basis="adjusted" if is_adjusted else None,
        is_loss=bool(_LOSS.search(label)) and not _INCOME.search(label),
        wording=Wording(content=words, metrics=frozenset(label_metrics), is_metric_beside=True),
    )
    figures = [
        TableCell(cell.head, _read_cell(cell, unit, row, subject))
        for cell in cells
        for unit in cell_units(label, row, cell, dollars)
    ]
    return TableRow(
        line=row.line.strip(),
        label=words - general or words,
        metrics=frozenset(metrics),
        bare=label_words(METRIC.sub(" ", name.lower())) - stems(_GENERAL),
        block=label_words(_ALTERNATIVE.sub(" ", row.block)) - stems(_GENERAL),
        cells=tuple(figures),
        columns=frozenset().union(*(cell.head.words for cell in cells)),
        is_adjusted=is_adjusted,
        signed=_SIGNED.search(label if label_metrics else f"{label} {row.block}") is not None,
        unit=signs[0] if signs else next(filter(None, map(scaled_unit, texts)), None),
        is_change=is_change,
        blank=row.blank,
        table=row.table,
        names=_names_of(row.label) | _names_of_block(row),
        is_dated=row_head.has_period and label != row.label,
        is_total=row.label.lower().startswith("total"),
        title=read_head(row.title).names,
    )


def _names_of(label: str) -> frozenset[str]:
    """Return the names of a row; in a row of a period, numbers are days."""
    head = read_head(label)
    if not head.has_period:
        return head.names
    return frozenset(name for name in head.names if not name.isdigit())


def _names_of_block(row: CellRow) -> frozenset[str]:
    """Return the names of a block of rows, if it has others without those of its table."""
    names = read_head(row.block).names
    return names - read_head(row.title).names or names


def _metric_names(label: str) -> list[str]:
    """Return the metrics that a label names, from left to right."""
    return [metric_name(match) for match in METRIC.finditer(label.lower())]


def _metrics_of_title(title: str) -> list[str]:
    """Return the metrics in the last line of a title that names any."""
    names_by_line = map(_metric_names, reversed(title.split("\n")))
    return next(filter(None, names_by_line), [])


def _read_cell(cell: PrintedCell, unit: CellUnit, row: CellRow, subject: _RowSubject) -> Quantity:
    """Read the figure of a cell.

    A negative change or effect is a fall; a loss is negative with or without a sign.
    """
    numerals = [numeral.replace(",", "") for numeral in _NUMERAL.findall(cell.text)]
    is_change = cell.head.kind == "change"
    is_effect = _EFFECT.search(row.label) is not None
    negative = _NEGATIVE.search(cell.text) is not None or bool(re.search(r"\d-$", cell.text))
    is_range = len(numerals) > 1 and not negative
    is_loss = subject.is_loss and unit.unit != "count"
    size = 100 if unit.is_hundredth else 1
    direction: Direction | None = None
    if is_change or is_effect:
        direction = "down" if negative else "up"
    return Quantity(
        text=cell.text,
        span=Span(row.start, row.end),
        sentence=Span(row.start, row.end),
        value=float(numerals[0]) / size,
        value_high=float(numerals[1]) / size if is_range else None,
        decimals=max(len(numeral.partition(".")[2]) for numeral in numerals) + (size > 1) * 2,
        unit=unit.unit,
        scale=unit.scale,
        currency=unit.currency,
        negative=not is_change and (is_loss or negative),
        change=is_change,
        direction=direction,
        level=None if is_change else True,
        period=Period(cell.head.span, cell.head.year),
        metric=subject.metric,
        basis=subject.basis,
        wording=subject.wording,
    )
