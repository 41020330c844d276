"""Read the rows of printed tables whose columns are years."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..text.content_words import content_words
from ..types.fact import Direction
from .lexicon import METRIC, metric_name

_YEAR = re.compile(r"(?<![\d,.$-])(?:19|20)\d\d(?![\d,.%])")
_THOUSANDS = re.compile(r"(?<![\d.,])000s?\b")
_DATE = re.compile(
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
    r"\s+\d{1,2},?|(?:years?|months|weeks) ended",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\(?[$€£]?\s?\(?-?\d[\d,]*(?:\.\d+)?\)?\s?%?\)?|(?<=\s)[—–-]+(?=\s|$)")
_FIGURES = re.compile(rf"(?:\s*+(?>{_NUMBER.pattern}|[$€£%]))++\s*+$")
"""Figures up to the end of a line (possessive, so that a long number is not split)."""

_LONGEST = 2_000
"""Characters of a row; a longer line is no row of a table."""

_CHANGE = re.compile(r"%? ?\bchange\b|\bgrowth\b", re.IGNORECASE)
_CHANGE_COLUMN = re.compile(
    r"\b(?:increase\W+decrease|change|growth|variance|difference|increase|decrease)\b",
    re.IGNORECASE,
)
_VERSUS = re.compile(
    rf"(?:fiscal |year ){{0,2}}{_YEAR.pattern}\s+(?:vs?\.?|versus|compared (?:with|to))\s+(?:fiscal |year ){{0,2}}{_YEAR.pattern}",
    re.IGNORECASE,
)
"""Heading of a column of changes, or a paragraph."""

_MARK = re.compile(r"\(\d{1,2}\)")
"""A number in parentheses that may mark a footnote."""

_OPEN_LABEL = re.compile(
    r"\b(?:of|and|or|to|in|at|by|for|from|than|through|with|due|after|before|until|note|level|rule|item)\s\S+$"
    r"|\b(?:fiscal|year|quarter)\s(?:19|20)\d\d$",
    re.IGNORECASE,
)
"""A label that continues with a number."""

_MONTH = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)$",
    re.IGNORECASE,
)
_OUTLAY = re.compile(
    r"\b(?:costs?|expenses?|tax(?:es)?|loss(?:es)?|purchases?|payments?|used|dividends?|expenditures?|repurchases?|administrative|development)\b",
    re.IGNORECASE,
)
_FLAT = 0.02
"""Largest relative change that counts as flat."""

_MOST_CHANGES = 2
"""Most columns of changes after the years that percent signs alone identify."""

_SHORT = 90
"""Characters; a longer line without figures is not part of a table."""

_CONTEXT = 4
"""Lines above a row that may name its table or block."""


class Row(NamedTuple):
    """A row with the values of its year columns."""

    label: str
    context: tuple[str, ...]
    """Lines above the row without figures: titles of the table and of blocks of rows."""

    percent: bool
    values: dict[int, float]
    """Value by year."""

    cells: tuple[str, ...] = ()
    """The same as printed."""

    start: int = 0
    end: int = 0
    """Position of its line in the text."""


@dataclass(frozen=True, slots=True)
class LineItem:
    """A line of the financial statements in two years."""

    label: str
    context: str
    earlier: float
    later: float
    percent: bool = False

    metric: str | None = None
    """Metric of the label, or of the nearest line above that names one, see `lexicon.METRIC`."""

    words: frozenset[str] = frozenset()
    """Content words of the label, without the metric's own."""

    context_words: frozenset[str] = frozenset()

    def matches(self, direction: Direction) -> bool:
        """Return whether the line moved in a direction; flat is at most 2 percent.

        A line that is itself a change ("Comparable sales % change") moves the way
        of its sign. Costs are often printed in parentheses; more of them is up.
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
        """Return the arguments of `line_item` as JSON values."""
        names = ("label", "context", "earlier", "later", "percent")
        return {name: getattr(self, name) for name in names}


def line_item(
    *, label: str, context: str, earlier: float, later: float, percent: bool = False
) -> LineItem:
    """Make a line item; read metric and words from its label and context."""
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
    """Return the first metric of a lower-case text, and its other content words."""
    match = METRIC.search(text)
    if match is None:
        return None, content_words(text)
    return metric_name(match), content_words(METRIC.sub(" ", text))


def read_rows(text: str) -> Iterator[Row]:
    """Read the rows of every table in a text whose columns are years.

    A row is one line. A row that has other
    figures besides those of the years (a share of sales, a change) is read
    if it is clear which are which, and skipped otherwise.

    Args:
        text: Lines of a document.
    """
    years: list[int] = []
    column_years: list[int] = []
    changes, shares = 0, False
    context: list[str] = []
    end = -1
    for printed in text.split("\n"):
        start, end = end + 1, end + 1 + len(printed)
        line = _joined(printed)
        heading_years, columns = _heading_years(line)
        if len(heading_years) >= 2 or (columns and not heading_years):
            years, column_years, changes, shares = heading_years, [], columns, False
            continue
        if heading_years and len(line.split()) == 1:  # a column's year on a line of its own
            column_years.append(heading_years[0])
            years, changes, shares = list(column_years), 0, False
            continue
        if not _DATE.sub("", line).strip(" ,"):  # the day of a column whose year follows
            continue
        column_years = []
        label, figures = _split(line)
        if figures and years:
            figures = figures[_count_in_label(label, figures) :]
            shares = shares or _have_shares(figures, len(years))
            cells = _year_figures(years, figures, changes, shares)
            label = label.strip(" .:$—–-")
            if cells and label and not _DATE.search(label) and not _MONTH.search(label):
                values = dict(zip(years, map(_value, cells), strict=True))
                above = tuple(context[-_CONTEXT:])
                yield Row(label, above, _are_percents(cells), values, tuple(cells), start, end)
        elif len(line) > _SHORT or line.endswith("."):
            years, context = [], []
        else:
            context.append(line)


def items_of(
    later: Sequence[Row], earlier: Sequence[Row], later_year: int, earlier_year: int
) -> list[LineItem]:
    """Match the lines of two years.

    The later filing restates the year before; the earlier filing supplies lines that it omits.

    Args:
        later: Rows of the later filing.
        earlier: Rows of the earlier filing.
        later_year: Fiscal year as the data set counts it; one that ends in January is often printed
            as the next.
        earlier_year: The year before.

    Returns:
        One item per label and context, the first found.
    """
    earlier_values = {
        _key(row): row.values.get(earlier_year + _shift(earlier, earlier_year)) for row in earlier
    }
    shift = _shift(later, later_year)
    items: dict[tuple[str, str], LineItem] = {}
    for row in later:
        later_value = row.values.get(later_year + shift)
        earlier_value = row.values.get(earlier_year + shift, earlier_values.get(_key(row)))
        if later_value is None or earlier_value is None or _key(row) in items:
            continue
        items[_key(row)] = line_item(
            label=row.label,
            context=" | ".join(row.context),
            earlier=earlier_value,
            later=later_value,
            percent=row.percent,
        )
    return list(items.values())


def _key(row: Row) -> tuple[str, str]:
    return row.label.lower(), " ".join(row.context).lower()


def _shift(rows: Sequence[Row], year: int) -> int:
    """Return 1 if the newest column is more often the year after, else 0."""
    newest = [max(row.values) for row in rows]
    return int(newest.count(year + 1) > newest.count(year))


def _joined(line: str) -> str:
    """Return a row of Markdown or of cells as one line, signs and digits of a cell together."""
    if "|" not in line:
        return line
    line = " ".join(line.replace("|", " ").split())
    return re.sub(r"(?<=\()\s+|(?<=\d)\s+(?=[)%])", "", line)


def _heading_years(line: str) -> tuple[list[int], int]:
    """Return the years of a heading line, and the number of columns of changes.

    A line with other figures is not a heading. Return changes without years if changes come
    between the years or are the only columns.
    """
    dated = _DATE.sub(" ", line)
    bare = _THOUSANDS.sub("", _VERSUS.sub(" change ", dated))
    *before, after = _YEAR.split(bare)
    if not _YEAR.search(dated) or re.search(r"\d", _YEAR.sub(" ", bare)) or len(line) > _SHORT:
        return [], 0
    if any(_CHANGE_COLUMN.search(between) for between in before[1:]):
        return [], 1
    return [int(year) for year in _YEAR.findall(bare)], len(_CHANGE_COLUMN.findall(after))


def _split(line: str) -> tuple[str, list[str]]:
    """Return the label of a row and its figures; no figures if the line is not a row."""
    match = _FIGURES.search(line) if len(line) <= _LONGEST else None
    if match is None:
        return line, []
    figures = match[0]
    label = line[: match.end() - len(figures.lstrip())]
    return label, [figure.strip() for figure in _NUMBER.findall(figures)]


def _count_in_label(label: str, figures: Sequence[str]) -> int:
    """Count the figures that belong to a label: one in "allowance of $5 and"."""
    if label.count("(") > label.count(")"):
        closing = (i for i, figure in enumerate(figures, 1) if ")" in figure and "(" not in figure)
        return next(closing, len(figures))
    glued = not label[-1:].isspace() and _MARK.fullmatch(figures[0])
    return int(bool(glued or _OPEN_LABEL.search(f"{label.rstrip(' $')} {figures[0]}")))


def _value(text: str) -> float:
    digits = re.sub(r"[^\d.]", "", text)
    value = float(digits) if digits.strip(".") else 0.0
    return -value if "(" in text or re.search(r"-\s?\d", text) else value


def _are_percents(figures: Sequence[str]) -> bool:
    """Return whether all figures are percentages, ignoring dashes."""
    numbers = [figure for figure in figures if re.search(r"\d", figure)]
    return bool(numbers) and all("%" in number for number in numbers)


def _have_shares(figures: list[str], years: int) -> bool:
    """Return whether a percentage follows each year's figure.

    Later rows of the table often omit the percent sign.
    """
    return (
        len(figures) == 2 * years
        and _are_percents(figures[1::2])
        and not _are_percents(figures[::2])
    )


def _year_figures(years: list[int], figures: list[str], changes: int, shares: bool) -> list[str]:
    """Return one value per year, without footnote marks, changes and shares."""
    count = len(years)
    if len(set(years)) != count or len(figures) < count:
        return []
    if shares and len(figures) == 2 * count:
        return figures[::2]
    values, extras = figures[:count], figures[count:]
    if len(extras) in (0, changes):
        return values
    are_changes = "%" not in "".join(values) and all("%" in figure for figure in extras)
    if are_changes and not changes and len(extras) <= _MOST_CHANGES:
        return values
    mark = _MARK.fullmatch(figures[0])
    return _year_figures(years, figures[1:], changes, shares) if mark else []
