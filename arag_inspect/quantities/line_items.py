"""Lines of the financial statements in two years, and which way each moved."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..text.content_words import content_words
from ..types.fact import Direction
from .financial_tables import Row
from .lexicon import METRIC, metric_name

_CHANGE = re.compile(r"%? ?\bchange\b|\bgrowth\b", re.IGNORECASE)
_OUTLAY = re.compile(
    r"\b(?:costs?|expenses?|tax(?:es)?|loss(?:es)?|purchases?|payments?|used|dividends?|expenditures?|repurchases?|administrative|development)\b",
    re.IGNORECASE,
)
_FLAT = 0.02
"""Largest relative change that counts as flat."""


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
    recent, older = ([row for row in rows if not row.span] for rows in (later, earlier))
    earlier_values = {
        _key(row): row.values.get(earlier_year + _shift(older, earlier_year)) for row in older
    }
    shift = _shift(recent, later_year)
    items: dict[tuple[str, str], LineItem] = {}
    for row in recent:
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
