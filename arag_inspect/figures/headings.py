"""What the headings and lead-ins above a figure say of it: its period and its segment."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from .distinctions import Property
from .figure_context import Context, PassageFigure
from .lexicon import MONTH
from .periods import ANY_PERIOD, Period, find_periods
from .quantity import Quantity

_MOST_CHARACTERS = 90
"""Longest heading; a lead-in, which ends with a colon, may be twice as long."""

_MARKS = re.compile(r"^\s*(?:\[[^\]\n]*\]|[#*•>–-])*\s*")
"""Marks before the words of a line, such as those of a heading in Markdown."""

_LAST_SIGNS = tuple(".?!;,")
"""Signs with which lines end that are no headings."""

_DATE = re.compile(rf"\b{MONTH}\s\d{{1,2}}(?:,?\s(?:19|20)\d\d)?\b")
_BASE = re.compile(r"\s(?:compared (?:to|with)|versus|vs\.?|against|from|over)\s.*")
"""What a heading says that its period is compared with."""

_SEGMENT = re.compile(
    r"(?<![\w’'-])(?!(?:All|Each|Operating|Other|Our|Reportable|Segment|The|Total)\b)"
    r"(?P<name>[A-Z][\w&-]*(?: (?:(?:and|&) )?[A-Z][\w&-]*){0,3}?) (?i:segments?|divisions?)\b"
)
"""The name of a segment: Rigid Packaging Segment."""

_WHOLE = re.compile(r"\b(?:consolidated|enterprise|total company|group results)\b")
"""Words of a heading after which figures are of the whole company again."""


class Headings:
    """The headings of a passage.

    Args:
        prose: Text of the passage, without the rows of its tables.
        segments: Names of segments in lower case, see `segment_names`.
    """

    def __init__(self, prose: str, segments: frozenset[str]) -> None:
        self._starts = [0]
        self._contexts = [Context()]
        for start, lines in _headings(prose):
            self._starts.append(start)
            self._contexts.append(_context(lines, self._contexts[-1], segments))

    def above(self, position: int) -> Context:
        """Return what the headings above a position say."""
        return self._contexts[bisect_right(self._starts, position) - 1]


def segment_names(texts: Iterable[str]) -> frozenset[str]:
    """Return the names of segments that some texts call so, in lower case."""
    matches = chain.from_iterable(map(_SEGMENT.finditer, texts))
    return frozenset(match["name"].lower() for match in matches)


def _headings(prose: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the end of each heading or lead-in with its lines in lower case.

    Several headings in a row are one, as is a title of several lines.
    """
    end = 0
    heading: list[str] = []
    for line in prose.split("\n"):
        end += len(line) + 1
        words = _MARKS.sub("", line).strip(" *")
        if _is_heading(words):
            heading.append(words.lower())
            yield end, heading
        elif words:
            heading = []


def _is_heading(line: str) -> bool:
    """Return whether a line names what follows: short, no sentence, no figures but periods."""
    longest = _MOST_CHARACTERS * (2 if line.endswith(":") else 1)
    if not line or len(line) > longest or line.endswith(_LAST_SIGNS) or not line[0].isupper():
        return False
    undated = _DATE.sub("", line.lower())
    for mention in reversed(find_periods(undated)):
        undated = undated[: mention.start] + undated[mention.end :]
    return not any(map(str.isdigit, undated))


def _context(lines: list[str], above: Context, segments: frozenset[str]) -> Context:
    """Return what holds below a heading of some lines, which may add to those above it."""
    period = _period(" ".join(lines)) or _period(lines[-1])
    context = replace(above, period=period) if period else above
    named = _segments(lines[-1], segments)
    if named or _WHOLE.search(lines[-1]):
        context = replace(context, segment=max(named, key=len, default=None))
    return context


def _period(heading: str) -> Period | None:
    """Return the one period that a heading names; a year alone may be part of a name.

    The year of a date may be another than the fiscal year that ends on it.
    """
    has_base = _BASE.search(heading) is not None
    current = _DATE.sub("", _BASE.sub("", heading))
    periods = {mention.period for mention in find_periods(current)}
    is_telling = has_base or "full" in heading
    named = {
        period
        for period in periods
        if is_telling or period.span not in (None, "FY") or (period.span and period.year)
    }
    return named.pop() if len(named) == 1 else None


def _segments(text: str, segments: Iterable[str]) -> set[str]:
    """Return the segments that a text in lower case names."""
    return {name for name in segments if re.search(rf"\b{re.escape(name)}\b", text)}


def within(context: Context, figures: Sequence[Quantity]) -> Context:
    """Return what holds for the figures of a sentence that name no period.

    That is what the headings above it say, unless the sentence names a period itself. What the
    figures are compared with is of the same part of a year.
    """
    periods = {figure.period for figure in figures}
    current = {period for period in periods if not period.prior} - {ANY_PERIOD}
    if current:
        return replace(context, period=ANY_PERIOD)
    spans = {period.span for period in periods if period.year} - {None}
    if len(spans) != 1:
        return context
    return replace(context, period=replace(context.period, span=spans.pop()))


def difference(
    claim: Quantity, statement: str, source: PassageFigure, segments: frozenset[str]
) -> Property | None:
    """Return in what a statement differs from the headings above a figure.

    What the sentence of the figure itself says prevails.

    Args:
        claim: Figure of the statement.
        statement: The statement.
        source: Figure of the passage.
        segments: Names of segments.
    """
    context = source.context
    period = claim.period
    if period == ANY_PERIOD:
        period = _period(statement.lower()) or ANY_PERIOD
    compared = source.figure.later is not None  # which `compare` knows
    if not compared and _is_of_other_period(period, source.figure.period, context.period):
        return "period"
    claimed = _segments(statement.lower(), segments)
    stated = _segments(source.sentence.lower(), segments) | {context.segment}
    is_of_other = context.segment is not None and claimed and claimed.isdisjoint(stated)
    return "subject" if is_of_other else None


def _is_of_other_period(claim: Period, source: Period, above: Period) -> bool:
    """Return whether a statement is about another period than that above a figure without one."""
    if source.span or source.year:
        return False
    year = above.year - 1 if above.year and source.prior else above.year
    claimed_year = None if claim.prior and not claim.year else claim.year
    inherited = Period(above.span, year)
    return Period(claim.span, claimed_year or year).conflict(inherited)
