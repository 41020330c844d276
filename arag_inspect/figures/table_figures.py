"""Rows of printed tables, their cells as figures."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..text.content_words import content_words
from ..text.sentences import Span
from .lexicon import METRIC, metric_name
from .notation import units, with_english_separators
from .printed_rows import Row, read_rows
from .quantity import Period, Quantity, Unit

_HEAD = re.compile(
    r"(?:\([^()]*?\b|\bin\s|[$€£¥₹]\s?|\b(?-i:[A-Z]{3})\s|^[\s|]*(?=[a-z]+\.?\s(?:(?-i:[A-Z]{3})\b|of\s(?:\w+\.?\s){0,2}(?:[A-Z]{3}\b|dollars|euros?|pounds|yen|francs|rupees))))"
    r"(?P<word>(?:(?:hundred|100)\s)?(?:thousand|million|billion)|crore|lakh|mio|mrd|tsd)s?\b"
    r"|(?:\(|\bin\s|[$€£¥₹]\s?|\b(?-i:[A-Z]{3}(?:\s|(?=['’a-z]))))['’]?(?P<short>000|[km]|mm|mn|bn)s?\b"
    r"|\b(?P<before>[tkm])(?-i:€|(?P<code>[A-Z]{3})\b)",
    re.IGNORECASE,
)
_SHORT = {"000": "thousand", "t": "thousand", "k": "thousand", "tsd": "thousand", "m": "million", "mm": "million", "mn": "million",
    "mio": "million", "bn": "billion", "mrd": "billion",
    "hundred thousand": "lakh", "hundred million": "10^8", "hundred billion": "10^11"}  # fmt: skip
_CURRENCY = re.compile(r"[A-Za-z]{0,3}[$€£¥₹]|\b[TKM]?[A-Z]{3}(?![A-Z])|[^\W\d_]+\.?")
_PER_SHARE = re.compile(r"\bper\b.{0,20}\b(?:share|unit|ads)\b|\beps\b", re.IGNORECASE)
_COUNT = re.compile(
    r"\b(?:shares|employees|stores|customers|headcount|subscribers)\b", re.IGNORECASE
)
_OF = re.compile(r" (?:of )?[a-z]{3,}")
"""What a scale is of: million tonnes."""

_RATE = re.compile(r"%|\bpercent|\bmargin\b|\btax rate\b|\bas a percentage\b", re.IGNORECASE)
_LOSS = re.compile(r"\bloss(?:es)?\b", re.IGNORECASE)
_INCOME = re.compile(r"\b(?:income|earnings|profit)\b|\(loss", re.IGNORECASE)
_SIGNED = re.compile(
    r"\b(?:income|earnings|profits?|loss(?:es)?|ebit\w*|eps|margin|result|cash flows?|provided)\b",
    re.I,
)
"""In other labels parentheses mark what is deducted, which statements give without a sign."""

_SPANS = {"three": "Q", "six": "6M", "nine": "9M", "twelve": "FY"}

_GENERAL = frozenset(["total", "net", "consolidated"])
"""Words of a label that a statement may leave out."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table."""

    line: str
    label: frozenset[str]
    """Content words of the label, which a statement about it names."""

    metric: str | None
    """Metric that is the whole label."""

    block: frozenset[str]
    """Content words of the line above that names its block of rows."""

    cells: tuple[Quantity, ...]
    """One figure for each year."""

    signed: bool
    """Whether its label makes a negative figure a loss, not a deduction."""


def read_tables(text: str) -> tuple[list[TableRow], str]:
    """Read the rows of all tables whose columns are years.

    Args:
        text: Plain text or Markdown, each row on a line.

    Returns:
        The rows, and the text with these rows blank.
    """
    rows, rest, head, dollars = [], list(text), "", False
    printed = list(read_rows(with_english_separators(text)))
    heads = list(_heads(text, {row.start for row in printed}))
    for row in printed:
        while heads and heads[0][0] < row.start:
            head, dollars = heads.pop(0)[1], False
        line = text[row.start : row.end]
        dollars = dollars or "$" in line
        rows.append(_table_row(row, line, head, dollars))
        rest[row.start : row.end] = " " * (row.end - row.start)
    return [row for row in rows if row.label], "".join(rest)


def _heads(text: str, rows: set[int]) -> Iterator[tuple[int, str]]:
    """Yield where the unit of a table is stated, and the line; not in a row, whose own it is."""
    start = 0
    for line in text.splitlines(keepends=True):
        if (
            start not in rows
            and len(line) <= 200
            and not line.rstrip().endswith(".")
            and _head(line)
        ):
            yield start, line
        start += len(line)


def _table_row(row: Row, line: str, head: str, dollars: bool) -> TableRow:
    label, span = row.label, row.span or ""
    own = _head(label)
    unit_text, own = (label, own) if own else (head, _head(head))
    scale = (own["word"] or own["short"] or own["before"]).lower() if own else "one"
    scale = scale.replace("100 ", "hundred ")
    scale = _SHORT.get(scale, scale)
    unit: Unit = "currency" if own or dollars else "count"
    if row.percent or _RATE.search(label):
        unit, scale = "percent", "one"
    elif _PER_SHARE.search(label):
        unit, scale = "per_share", "one"
    elif "$" not in line and (
        _COUNT.search(label)
        or (
            own
            and unit_text is label
            and _OF.match(label, own.end())
            and not _currency(label, False)
        )
    ):
        unit = "count"
    whole = METRIC.fullmatch(label.lower())
    words = content_words(label.lower())
    currency = _currency(unit_text, dollars) if unit in ("currency", "per_share") else None
    loss = _LOSS.search(label) and not _INCOME.search(label)
    metrics = [metric_name(match) for match in METRIC.finditer(label.lower())]
    cells = tuple(
        Quantity(
            text=cell,
            span=Span(row.start, row.end),
            sentence=Span(row.start, row.end),
            value=abs(value),
            decimals=len(re.sub(r"[^\d.]", "", cell).partition(".")[2]),
            unit=unit,
            scale=scale,
            currency=currency,
            negative=bool(loss) or value < 0,
            level=True,
            period=Period(_SPANS.get(span, span.upper() or None), year),
            metric=next(iter(metrics), None),
            named=True,
            words=words,
            metrics=frozenset(metrics),
        )
        for (year, value), cell in zip(row.values.items(), row.cells, strict=True)
    )
    return TableRow(
        line.strip(),
        words - _GENERAL or words,
        metric_name(whole) if whole else None,
        content_words(row.context[-1].lower()) - _GENERAL if row.context else frozenset(),
        cells,
        _SIGNED.search(label) is not None,
    )


def _head(line: str) -> re.Match[str] | None:
    """Return where a line states a unit; a code of three letters after T, K or M must be known."""
    matches = _HEAD.finditer(line)
    return next((m for m in matches if (m["code"] or "EUR").lower() in units().codes), None)


def _currency(head: str, dollars: bool) -> str | None:
    table, symbols = units(), _CURRENCY.findall(head)
    for index, symbol in enumerate(symbols):
        phrase = " ".join(symbols[index : index + 2]).lower()
        word = symbol.lower()
        code = word[-3:] if symbol.isupper() and word not in ("all", "top", "try") else ""
        currency = table.names.get(phrase) or table.signs.get(word) or table.names.get(word)
        if currency or code in table.codes:
            return currency or code
    return "usd" if dollars else None
