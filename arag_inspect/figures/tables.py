"""Reading the rows of printed tables whose columns are years."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from arag_inspect.facts import Direction
from arag_inspect.figures.content import content_words
from arag_inspect.figures.vocabulary import METRIC, metric_name

_YEAR = re.compile(r"(?<![\d,.$-])(?:19|20)\d\d(?![\d,.%])")
_DATE = re.compile(
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
    r"\s+\d{1,2},?|(?:years?|months|weeks) ended",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\(?[$€£]?\s?\(?-?\d[\d,]*(?:\.\d+)?\)?\s?%?\)?|(?<=\s)[—–-]+(?=\s|$)")
_FIGURES = re.compile(rf"(?:\s*+(?>{_NUMBER.pattern}|[$€£%]))++\s*+$")
"""Figures up to the end of a line; possessive, as a long number could be cut into shorter ones in many ways."""

_CHANGE = re.compile(r"%? ?\bchange\b|\bgrowth\b", re.IGNORECASE)
_OUTLAY = re.compile(
    r"\b(?:costs?|expenses?|tax(?:es)?|loss(?:es)?|purchases?|payments?|used|dividends?|expenditures?|repurchases?|administrative|development)\b",
    re.IGNORECASE,
)
_FLAT = 0.02
"""Largest change, as a share, of what may be called flat."""

_SHORT = 90
"""Characters; a longer line without figures is no part of a table."""

_CONTEXT = 4
"""Lines above a row that may say what it is part of."""


class Row(NamedTuple):
    """A row with what stands in its year columns."""

    label: str
    context: tuple[str, ...]
    """Lines above the row that have no figures: titles of the table, of a block of rows."""

    percent: bool
    values: dict[int, float]
    """By year."""


@dataclass(frozen=True, slots=True)
class LineItem:
    """What a line of the statements was in two years."""

    label: str
    context: str
    earlier: float
    later: float
    percent: bool = False

    metric: str | None = field(default=None)
    """Metric that the label names, or else the line above that names one, see `vocabulary.METRIC`."""

    words: frozenset[str] = frozenset()
    """Content words of the label apart from the metric's own."""

    context_words: frozenset[str] = frozenset()

    def bears_out(self, direction: Direction) -> bool:
        """Whether it went that way: up or down by any amount, flat by no more than 2 percent.

        A line that is itself a change ("Comparable sales % change") went where
        its sign points. Costs are often printed in parentheses; more of them is up.
        """
        if _CHANGE.search(self.label):
            change, base = self.later, 100.0
        elif self.earlier < 0 and self.later < 0 and _OUTLAY.search(self.label):
            change, base = self.earlier - self.later, self.earlier
        else:
            change, base = self.later - self.earlier, self.earlier
        if direction == "flat":
            return abs(change) <= _FLAT * abs(base)
        return change > 0 if direction == "up" else change < 0

    def as_dict(self) -> dict[str, Any]:
        """What `line_item` needs to make it again, fit for JSON."""
        names = ("label", "context", "earlier", "later", "percent")
        return {name: getattr(self, name) for name in names}


def line_item(
    *, label: str, context: str, earlier: float, later: float, percent: bool = False
) -> LineItem:
    """Make a line item, with the metric and the words that its label and context name."""
    metric, words = subject(label.lower())
    for above in reversed(context.lower().split(" | ")):
        metric = metric or subject(above)[0]
    return LineItem(
        label=label,
        context=context,
        earlier=earlier,
        later=later,
        percent=percent,
        metric=metric,
        words=words,
        context_words=content_words(context.lower()),
    )


def subject(text: str) -> tuple[str | None, frozenset[str]]:
    """The metric that a text in small letters names first, and its content words besides."""
    match = METRIC.search(text)
    if match is None:
        return None, content_words(text)
    return metric_name(match), content_words(METRIC.sub(" ", text))


def read_rows(text: str) -> Iterator[Row]:
    """Read the rows of every table in a text whose columns are years.

    One line a row, as `datasets.pages` keeps them. A row that has other
    figures between those of the years (a share of sales, a change) is read
    where it is clear which are which; others are passed over.

    Args:
        text: Lines of a document.
    """
    years: list[int] = []
    lone: list[int] = []
    context: list[str] = []
    for line in text.split("\n"):
        heads = _heading_years(line)
        if len(heads) >= 2:
            years, lone = heads, []
            continue
        if heads and len(line.split()) == 1:  # a column's year on a line of its own
            lone.append(heads[0])
            years = list(lone)
            continue
        if not _DATE.sub("", line).strip(" ,"):  # the day of a column whose year follows
            continue
        lone = []
        label, numbers = _split(line)
        if numbers and years:
            columns = _columns(years, numbers, line.count("%"))
            if columns and label and not _DATE.search(label):
                values = dict(zip(years, columns.numbers, strict=True))
                yield Row(label, tuple(context[-_CONTEXT:]), columns.percent, values)
        elif len(line) > _SHORT or line.endswith("."):
            years, context = [], []
        else:
            context.append(line)


def items_of(
    later: Sequence[Row], earlier: Sequence[Row], later_year: int, earlier_year: int
) -> list[LineItem]:
    """Lines with a value for both years: from the later filing, which restates the year before, else from both.

    Args:
        later: Rows of the later filing.
        earlier: Rows of the earlier filing.
        later_year: As the data set counts it; a year that ends in January is often printed as the next.
        earlier_year: The year before.

    Returns:
        Each label with its context once, the first that was found.
    """
    before = {
        _key(row): row.values.get(earlier_year + _shift(earlier, earlier_year)) for row in earlier
    }
    shift = _shift(later, later_year)
    found: dict[tuple[str, str], LineItem] = {}
    for row in later:
        now = row.values.get(later_year + shift)
        then = row.values.get(earlier_year + shift, before.get(_key(row)))
        if now is None or then is None or _key(row) in found:
            continue
        found[_key(row)] = line_item(
            label=row.label,
            context=" | ".join(row.context),
            earlier=then,
            later=now,
            percent=row.percent,
        )
    return list(found.values())


def _key(row: Row) -> tuple[str, str]:
    return row.label.lower(), " ".join(row.context).lower()


def _shift(rows: Sequence[Row], year: int) -> int:
    """0, or 1 where the newest column is more often the year after."""
    newest = [max(row.values) for row in rows]
    return int(newest.count(year + 1) > newest.count(year))


def _heading_years(line: str) -> list[int]:
    """The years of a line that has no other figures; none where it has."""
    bare = _DATE.sub(" ", line)
    years = [int(year) for year in _YEAR.findall(bare)]
    rest = _YEAR.sub(" ", bare)
    return years if years and not re.search(r"\d[\d,.]*", rest) and len(line) <= _SHORT else []


def _split(line: str) -> tuple[str, list[float]]:
    """Label of a row and the figures behind it; no figures where the line is none."""
    match = _FIGURES.search(line)
    if match is None:
        return line, []
    label = line[: match.start()].strip(" .:$—–-")
    return label, [_value(part) for part in _NUMBER.findall(line[match.start() :])]


def _value(text: str) -> float:
    digits = re.sub(r"[^\d.]", "", text)
    value = float(digits) if digits.strip(".") else 0.0
    return -value if "(" in text or re.search(r"-\s?\d", text) else value


class _Columns(NamedTuple):
    numbers: list[float]
    percent: bool


def _columns(years: Sequence[int], numbers: list[float], per_cents: int) -> _Columns | None:
    """The figures of the years: one each, perhaps with changes after them, or with a share beside each."""
    if len(set(years)) != len(years):
        return None
    if len(numbers) == 2 * len(years) and len(years) > 1:
        return _Columns(numbers[::2], False)
    if not len(years) <= len(numbers) <= len(years) + 2:
        return None
    return _Columns(numbers[: len(years)], per_cents >= len(years))
