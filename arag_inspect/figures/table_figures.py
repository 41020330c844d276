"""Rows of printed tables, their cells as figures."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from ..text.content_words import content_words
from ..text.sentences import Span
from ..types.sample import Direction
from .cell_tables import CellRow, PrintedCell, read_cell_tables
from .column_heads import Head, label_words, read_head
from .currencies import units
from .lexicon import METRIC, metric_name
from .periods import Period
from .printed_rows import Row, read_rows
from .quantity import Quantity, Unit
from .separators import with_english_separators

_SCALE_PHRASE = re.compile(
    r"(?:\([^()]*?\b|\bin\s|[$€£¥₹]\s?|\b(?-i:[A-Z]{3})\s|^[\s|]*(?=[a-z]+\.?\s(?:(?-i:[A-Z]{3})\b|of\s(?:\w+\.?\s){0,2}(?:[A-Z]{3}\b|dollars|euros?|pounds|yen|francs|rupees))))"
    r"(?P<word>(?:(?:hundred|100)\s)?(?:thousand|million|billion)|crore|lakh|mio|mrd|tsd)s?\b"
    r"|(?:\(|\bin\s|[$€£¥₹]\s?|\b(?-i:[A-Z]{3}(?:\s|(?=['’a-z]))))['’]?(?P<short>000|[km]|mm|mn|bn)s?\b"
    r"|\b(?P<before>[tkm])(?-i:€|(?P<code>[A-Z]{3})\b)",
    re.IGNORECASE,
)
"""Where a head, a title or a label states a scale: (in millions), $'000, EURm, T€."""

_SHORT = {"000": "thousand", "t": "thousand", "k": "thousand", "tsd": "thousand", "m": "million", "mm": "million", "mn": "million",
    "mio": "million", "bn": "billion", "mrd": "billion",
    "hundred thousand": "lakh", "hundred million": "10^8", "hundred billion": "10^11"}  # fmt: skip
"""Scales by the words and letters of that phrase, if they are not scales themselves."""

_CURRENCY = re.compile(r"[A-Za-z]{0,3}[$€£¥₹]|\b[TKM]?[A-Z]{3}(?![A-Z])|[^\W\d_]+\.?")
"""What may be the sign, the code or the name of a currency."""

_PER_SHARE = re.compile(r"\bper\b.{0,20}\b(?:share|unit|ads)\b|\beps\b", re.IGNORECASE)
_COUNT = re.compile(
    r"\b(?:shares|employees|stores|customers|headcount|subscribers)\b", re.IGNORECASE
)
_OF = re.compile(r" (?:of )?[a-z]{3,}")
"""What a scale is of: million tonnes."""

_RATE = re.compile(r"%|\bpercent|\bmargin\b|\btax rate\b|\bas a percentage\b", re.IGNORECASE)
_LOSS = re.compile(
    r"^(?!.*\b(?:for|credit|loan|impairment)\b.*\bloss).*\bloss(?:es)?\b|^(?!.*provided).*\bcash (?:flows? )?used (?:by|for|in)\b",
    re.I,
)
"""A loss that is a result, not one that is provided for."""

_INCOME = re.compile(r"\b(?:income|earnings|profit)\b|\(loss", re.IGNORECASE)
_SIGNED = re.compile(
    r"\b(?:income|earnings|profits?|loss(?:es)?|ebit\w*|eps|margin|result|cash flows?|provided)\b",
    re.I,
)
"""In other labels parentheses mark what is deducted, which statements give without a sign."""

_SPANS = {"three": "Q", "six": "6M", "nine": "9M", "twelve": "FY", "13": "Q", "14": "Q", "26": "6M", "27": "6M", "39": "9M", "40": "9M", "52": "FY", "53": "FY"}  # fmt: skip

_GENERAL = frozenset(["total", "net", "consolidated"])
"""Words of a label that a statement may leave out."""


_SHARES = re.compile(r"\b(?:shares|units|ads)\b", re.IGNORECASE)
_SHARES_IN = re.compile(r"\bshares?(?: data)? in (thousand|million)s", re.IGNORECASE)
_MULTIPLE = re.compile(r"\(x\)|\bratio\b|\(times\)", re.IGNORECASE)
_ALTERNATIVE = re.compile(
    r"\((?:provided by|used in|used for)\)\s?/\s?(?:provided by|used in)|(?:provided by|used in)\s?/?\s?\((?:provided by|used in|used for)\)|\((?:loss|losses|income|benefit|expense|gain|deficit|decrease|increase|used in|provided by|used for|note \d+)\)"
    r"|\(\d{1,2}\)|\[\d{1,2}\]",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\(([^()]{1,30})\)")
_UNIT_SIGN = re.compile(
    r"(?!GAAP|IFRS|EPS|USD|EUR|GBP)(?:[a-z]*[A-Z][A-Za-z0-9]*[A-Z][A-Za-z0-9]*|kt|tonnes?|oz|km|boe|bbl|x|%)"
)
_NUMERAL = re.compile(r"\d[\d,]*(?:\.\d+)?|\.\d+")
_NEGATIVE = re.compile(r"^[^\d.]*(?:\(|[-–—−])")
_WRITTEN = {"m": "million", "mn": "million", "million": "million", "b": "billion", "bn": "billion", "billion": "billion", "thousand": "thousand"}  # fmt: skip
"""Scales that a cell itself may have."""


_LONGEST_TITLE = 200
"""Characters of a line that may state the scale of a table."""


class TableCell(NamedTuple):
    """A figure of a row with the head of its column."""

    head: Head
    figure: Quantity


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table."""

    line: str
    label: frozenset[str]
    """Content words of the label, which a statement about it names."""

    metrics: frozenset[str]
    """Metrics that the label names, or its block if it names none."""

    bare: frozenset[str]
    """Words of the label besides those of its metrics."""

    block: frozenset[str]
    """Content words of the line above that names its block of rows."""

    cells: tuple[TableCell, ...]
    """Its figures; one of which the unit is open is there once for each unit."""

    signed: bool
    """Whether its label makes a negative figure a loss, not a deduction."""

    unit: str | None = None
    """Physical unit that its label states: `GWh`."""

    is_change: bool = False
    """Whether its label says that its figures are changes: sales growth."""

    blank: frozenset[frozenset[str]] = frozenset()
    """Words of the columns in which it has no figure."""


class _CellUnit(NamedTuple):
    unit: Unit
    scale: str = "one"
    currency: str | None = None


def read_tables(text: str) -> tuple[list[TableRow], str]:
    """Read the rows of all tables: those with bars between their cells, and those of year columns.

    Args:
        text: Plain text or Markdown, each row on a line.

    Returns:
        The rows, and the text with these rows, and others with bars, blank.
    """
    letters = list(text)
    plain = with_english_separators(text)
    barred, positions = read_cell_tables(plain)
    for start, end in positions:
        letters[start:end] = " " * (end - start)
    lines = "".join(letters)
    rows = list(_barred_rows(barred))
    printed = list(read_rows(with_english_separators(lines) if positions else plain))
    scales = list(_lines_with_scales(lines, {row.start for row in printed}))
    head = ""
    has_dollars = False
    for row in printed:
        while scales and scales[0][0] < row.start:
            _, head = scales.pop(0)
            has_dollars = False
        line = text[row.start : row.end]
        has_dollars = has_dollars or "$" in line
        rows.append(_printed_row(row, line, head, has_dollars))
        letters[row.start : row.end] = " " * (row.end - row.start)
    return [row for row in rows if row.label], "".join(letters)


def _barred_rows(rows: Sequence[CellRow]) -> Iterator[TableRow]:
    titles_with_dollars = {row.title for row in rows if "$" in row.line}
    for row in rows:
        dollars = row.title in titles_with_dollars or "$" in row.title
        for label, cells in _by_label(row).items():
            yield _table_row(label, row, cells, dollars)


def _by_label(row: CellRow) -> dict[str, list[PrintedCell]]:
    """Return the figures of a row by what they are of.

    That is the label of the row; if it is a year or a total, the head of the column.
    """
    label = read_head(row.label)
    if not (label.has_period or content_words(row.label.lower()) <= _GENERAL):
        return {row.label: list(row.cells)}
    figures: dict[str, list[PrintedCell]] = defaultdict(list)
    for cell in row.cells:
        year = label.year or cell.head.year
        head = cell.head._replace(year=year, span=label.span or cell.head.span)
        if label.words - _GENERAL or not content_words(cell.head.text.lower()):
            figures[row.label].append(PrintedCell(head, cell.text))
        else:
            head = head._replace(words=label.words - _GENERAL)
            figures[cell.head.text].append(PrintedCell(head, cell.text))
    return figures


def _printed_row(row: Row, line: str, head: str, dollars: bool) -> TableRow:
    name = (row.span or "").split(" ")[0]
    span = _SPANS.get(name, name.upper()) or None
    cells = [
        PrintedCell(Head(year=year, span=span), f"{cell}%" if row.percent else cell)
        for year, cell in row.figures.items()
        if _NUMERAL.search(cell)  # a dash states no figure
    ]
    block = row.context[-1] if row.context else ""
    as_cells = CellRow(row.label, block, head, (), line, row.start, row.end)
    return _table_row(row.label, as_cells, cells, dollars)


def _table_row(label: str, row: CellRow, cells: Sequence[PrintedCell], dollars: bool) -> TableRow:
    signs = [sign for sign in _ASIDE.findall(label) if _UNIT_SIGN.fullmatch(sign)]
    name = _ASIDE.sub(_without_unit, _ALTERNATIVE.sub(" ", label)).strip()
    words = label_words(name)
    metrics = [metric_name(match) for match in METRIC.finditer(label.lower())]
    of_block = [] if metrics else [metric_name(m) for m in METRIC.finditer(row.block.lower())]
    loss = bool(_LOSS.search(label)) and not _INCOME.search(label)
    figures = []
    for cell in cells:
        for unit in _units(label, row, cell, dollars):
            figure = replace(
                _figure(cell, unit, row, loss),
                metric=next(iter(metrics or of_block), None),
                metrics=frozenset(metrics),
                words=words,
            )
            figures.append(TableCell(cell.head, figure))
    return TableRow(
        row.line.strip(),
        words - _GENERAL or words,
        frozenset(metrics or of_block),
        label_words(METRIC.sub(" ", name.lower())) - _GENERAL,
        label_words(_ALTERNATIVE.sub(" ", row.block)) - _GENERAL,
        tuple(figures),
        _SIGNED.search(label if metrics else f"{label} {row.block}") is not None,
        signs[0] if signs else None,
        read_head(label).kind == "change",
        row.blank,
    )


def _without_unit(aside: re.Match[str]) -> str:
    """Return words in parentheses, or nothing if they state a unit or a scale."""
    is_unit = _find_scale(aside[0]) or _UNIT_SIGN.fullmatch(aside[1])
    return " " if is_unit else aside[0]


def _figure(cell: PrintedCell, unit: _CellUnit, row: CellRow, loss: bool) -> Quantity:
    numerals = [numeral.replace(",", "") for numeral in _NUMERAL.findall(cell.text)]
    is_change = cell.head.kind == "change"
    negative = _NEGATIVE.search(cell.text) is not None or bool(re.search(r"\d-$", cell.text))
    is_range = len(numerals) > 1 and not negative
    direction: Direction | None = None
    if is_change:
        direction = "down" if negative else "up"
    return Quantity(
        text=cell.text,
        span=Span(row.start, row.end),
        sentence=Span(row.start, row.end),
        value=float(numerals[0]),
        value_high=float(numerals[1]) if is_range else None,
        decimals=max(len(numeral.partition(".")[2]) for numeral in numerals),
        unit=unit.unit,
        scale=unit.scale,
        currency=unit.currency,
        negative=not is_change and (loss or negative),
        change=is_change,
        direction=direction,
        level=None if is_change else True,
        period=Period(cell.head.span, cell.head.year),
        named=True,
    )


def _units(label: str, row: CellRow, cell: PrintedCell, dollars: bool) -> list[_CellUnit]:
    """Return the units that a figure may have, as cell, label, head or title state them."""
    head = cell.head.text
    text = cell.text
    titles = reversed(row.title.split("\n"))
    stated = [part for part in (label, head, row.block, *titles) if part]
    scaled = next((part for part in stated if _find_scale(part)), "")
    scale = _scale(scaled)
    currency = _first_currency([scaled, text, *stated]) or ("usd" if dollars else None)
    is_rate = "%" in text or "%" in head or _RATE.search(label) is not None
    if is_rate or cell.head.kind == "share":
        return [_CellUnit("percent")]
    if text.endswith("x") or _MULTIPLE.search(label):
        return [_CellUnit("multiple"), _CellUnit("count")]
    if any(_PER_SHARE.search(part) and "except" not in part.lower() for part in stated):
        return [_CellUnit("per_share", "one", currency)]
    suffix = re.search(r"\d\s?([a-z]+)$", text)
    if suffix and suffix[1] in _WRITTEN:
        return [_CellUnit("currency", _WRITTEN[suffix[1]], currency)]
    if _COUNT.search(label) and "$" not in text:
        return _units_of_count(label, row.title, scale)
    if not scaled:
        is_money = currency is not None and not _counts_something(label)
        return [_CellUnit("currency", "one", currency)] if is_money else [_CellUnit("count")]
    return _units_with_scale(label, text, scale, currency)


def _units_of_count(label: str, title: str, scale: str) -> list[_CellUnit]:
    """Return the units of shares, employees and the like, which a scale of money may not hold for."""
    if not _SHARES.search(label):
        return [_CellUnit("count", scale), _CellUnit("count")]
    shares_in = _SHARES_IN.search(title)
    return [_CellUnit("count", shares_in[1].lower() if shares_in else scale)]


def _units_with_scale(label: str, text: str, scale: str, currency: str | None) -> list[_CellUnit]:
    """Return the units of a figure that has a scale: money, unless its label says otherwise."""
    in_label = _find_scale(label)
    if in_label and "$" not in text and not _currency(label, False):
        if _OF.match(label, in_label.end()):
            return [_CellUnit("count", scale)]
        if not METRIC.search(label.lower()):
            return [_CellUnit("count", scale), _CellUnit("currency", scale, currency)]
    if _counts_something(label):
        return [_CellUnit("count")]
    return [_CellUnit("currency", scale, currency)]


def _counts_something(label: str) -> bool:
    """Return whether a label states a physical unit: `(GWh)`."""
    return any(_UNIT_SIGN.fullmatch(sign) for sign in _ASIDE.findall(label))


def _scale(text: str) -> str:
    """Return the scale that a text states."""
    match = _find_scale(text)
    if match is None:
        return "one"
    word = (match["word"] or match["short"] or match["before"]).lower().replace("100 ", "hundred ")
    return _SHORT.get(word, word)


def _lines_with_scales(text: str, rows: set[int]) -> Iterator[tuple[int, str]]:
    """Yield where the scale of a table is stated, and the line; not in a row, whose own it is."""
    start = 0
    for line in text.splitlines(keepends=True):
        may_be_title = len(line) <= _LONGEST_TITLE and not line.rstrip().endswith(".")
        if may_be_title and start not in rows and _find_scale(line):
            yield start, line
        start += len(line)


@lru_cache(maxsize=4096)
def _find_scale(line: str) -> re.Match[str] | None:
    """Return where a line states a scale; a code of three letters after T, K or M must be known."""
    matches = _SCALE_PHRASE.finditer(line)
    return next((m for m in matches if (m["code"] or "EUR").lower() in units().codes), None)


def _first_currency(parts: Sequence[str]) -> str | None:
    """Return the currency of the first text that names one."""
    codes = (_currency(part, "$" in part) for part in parts)
    return next((code for code in codes if code), None)


@lru_cache(maxsize=4096)
def _currency(head: str, dollars: bool) -> str | None:
    """Return the first currency that a text names, else dollars if those are meant."""
    table = units()
    symbols = _CURRENCY.findall(head)
    for index, symbol in enumerate(symbols):
        phrase = " ".join(symbols[index : index + 2]).lower()
        word = symbol.lower()
        code = word[-3:] if symbol.isupper() and word not in ("all", "top", "try") else ""
        currency = table.names.get(phrase) or table.signs.get(word) or table.names.get(word)
        if currency or code in table.codes:
            return currency or code
    return "usd" if dollars else None
