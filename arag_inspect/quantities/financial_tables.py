"""Reading the rows of printed tables whose columns are years."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..text.content_words import content_words
from ..types.fact import Direction
from .lexicon import METRIC, metric_name

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
_CHANGE_COLUMN = re.compile(
    r"\b(?:increase\W+decrease|change|growth|variance|difference|increase|decrease)\b",
    re.IGNORECASE,
)
_VERSUS = re.compile(
    rf"(?:fiscal |year )*{_YEAR.pattern}\s+(?:vs?\.?|versus|compared (?:with|to))\s+(?:fiscal |year )*{_YEAR.pattern}",
    re.IGNORECASE,
)
"""Heads a column of changes, or a paragraph."""

_MARK = re.compile(r"\(\d{1,2}\)")
"""A number in parentheses that may be the mark of a footnote."""

_OPEN_LABEL = re.compile(
    r"\b(?:of|and|or|to|in|at|by|for|from|than|through|with|due|after|before|until|note|level|rule|item)\s\S+$"
    r"|\b(?:fiscal|year|quarter)\s(?:19|20)\d\d$",
    re.IGNORECASE,
)
"""A label that goes on with a number."""

_MONTH = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)$",
    re.IGNORECASE,
)
_OUTLAY = re.compile(
    r"\b(?:costs?|expenses?|tax(?:es)?|loss(?:es)?|purchases?|payments?|used|dividends?|expenditures?|repurchases?|administrative|development)\b",
    re.IGNORECASE,
)
_FLAT = 0.02
"""Largest change, as a share, of what may be called flat."""

_MOST_CHANGES = 2
"""Columns of changes behind those of the years that are told by their percent signs alone."""

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
    figures beside those of the years (a share of sales, a change) is read
    where it is clear which are which; others are passed over.

    Args:
        text: Lines of a document.
    """
    years: list[int] = []
    lone: list[int] = []
    changes, shares = 0, False
    context: list[str] = []
    for line in text.split("\n"):
        heads, columns = _heading_years(line)
        if len(heads) >= 2 or (columns and not heads):
            years, lone, changes, shares = heads, [], columns, False
            continue
        if heads and len(line.split()) == 1:  # a column's year on a line of its own
            lone.append(heads[0])
            years, changes, shares = list(lone), 0, False
            continue
        if not _DATE.sub("", line).strip(" ,"):  # the day of a column whose year follows
            continue
        lone = []
        label, figures = _split(line)
        if figures and years:
            figures = figures[_in_label(label, figures) :]
            shares = shares or _have_shares(figures, len(years))
            found = _year_figures(years, figures, changes, shares)
            label = label.strip(" .:$—–-")
            if found and label and not _DATE.search(label) and not _MONTH.search(label):
                values = dict(zip(years, map(_value, found), strict=True))
                yield Row(label, tuple(context[-_CONTEXT:]), _are_percents(found), values)
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


def _heading_years(line: str) -> tuple[list[int], int]:
    """The years of a line that has no other figures, and how many columns of changes follow.

    Changes and no years, where changes stand between the years or are all there is.
    """
    dated = _DATE.sub(" ", line)
    bare = _VERSUS.sub(" change ", dated)
    *before, after = _YEAR.split(bare)
    if not _YEAR.search(dated) or re.search(r"\d", _YEAR.sub(" ", bare)) or len(line) > _SHORT:
        return [], 0
    if any(_CHANGE_COLUMN.search(between) for between in before[1:]):
        return [], 1
    return [int(year) for year in _YEAR.findall(bare)], len(_CHANGE_COLUMN.findall(after))


def _split(line: str) -> tuple[str, list[str]]:
    """Label of a row and the figures behind it; no figures where the line is none."""
    match = _FIGURES.search(line)
    if match is None:
        return line, []
    figures = match[0]
    label = line[: match.end() - len(figures.lstrip())]
    return label, [one.strip() for one in _NUMBER.findall(figures)]


def _in_label(label: str, figures: Sequence[str]) -> int:
    """How many of the figures behind a label are part of it: "allowance of $5 and" goes on with one."""
    if label.count("(") > label.count(")"):
        closing = (i for i, one in enumerate(figures, 1) if ")" in one and "(" not in one)
        return next(closing, len(figures))
    glued = not label[-1:].isspace() and _MARK.fullmatch(figures[0])
    return int(bool(glued or _OPEN_LABEL.search(f"{label.rstrip(' $')} {figures[0]}")))


def _value(text: str) -> float:
    digits = re.sub(r"[^\d.]", "", text)
    value = float(digits) if digits.strip(".") else 0.0
    return -value if "(" in text or re.search(r"-\s?\d", text) else value


def _are_percents(figures: Sequence[str]) -> bool:
    """Whether they are percentages, dashes aside."""
    numbers = [one for one in figures if re.search(r"\d", one)]
    return bool(numbers) and all("%" in one for one in numbers)


def _have_shares(figures: list[str], years: int) -> bool:
    """Whether each year's figure has a share beside it; the rows below often leave out the percent sign."""
    return (
        len(figures) == 2 * years
        and _are_percents(figures[1::2])
        and not _are_percents(figures[::2])
    )


def _year_figures(years: list[int], figures: list[str], changes: int, shares: bool) -> list[str]:
    """The figures of the years: one each, perhaps behind a footnote's mark, with changes after them, or with a share beside each."""
    count = len(years)
    if len(set(years)) != count or len(figures) < count:
        return []
    if shares and len(figures) == 2 * count:
        return figures[::2]
    values, more = figures[:count], figures[count:]
    told = not any("%" in one for one in values) and all("%" in one for one in more)
    if len(more) in (0, changes) or (told and not changes and len(more) <= _MOST_CHANGES):
        return values
    marked = _MARK.fullmatch(figures[0])
    return _year_figures(years, figures[1:], changes, shares) if marked else []
