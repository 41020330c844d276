"""The columns of a printed table, as the lines above its rows name them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .column_heads import Head, column_words, read_head, votes
from .lexicon import METRIC, MONTH

_YEAR = r"(?:19|20)\d\d"
_NUMBER_OF_YEAR = rf"['’]?(?:{_YEAR}|\d\d)\b(?![\d,.%])"
_DAY = rf"{MONTH}\s\d{{1,2}},?(?!\d)(?:\s{_YEAR}\b)?|\d{{1,2}}\s{MONTH}(?:,?\s{_YEAR}\b)?"
_PART = (
    rf"(?:[qh][1-4]|[1-4][qh])(?:[\s-]?(?:fy|fiscal)?\s?{_NUMBER_OF_YEAR})?"
    r"|(?:first|second|third|fourth)\s(?:fiscal\s)?(?:quarter|half)"
    rf"(?:,?\s(?:of\s)?(?:fiscal\s)?{_YEAR})?"
)
_FISCAL = rf"(?:fy|fiscal(?:\syear)?|full[\s-]year|year)\s?{_NUMBER_OF_YEAR}"
_SPAN = (
    r"(?:three|six|nine|twelve|[369]|12)[\s-]months?(?:[\s-]period)?(?:\send(?:ed|ing))?"
    r"|(?:1[34]|2[67]|39|40|5[23]|thirteen|fourteen|twenty-six|thirty-nine|fifty-two)[\s-]weeks?"
    r"(?:\send(?:ed|ing))?|(?:fiscal\s)?(?:years?|quarters?|half[\s-]years?)[\s-]end(?:ed|ing)"
)
_TOKEN = re.compile(
    rf"(?<![\w.,$-])(?:{_SPAN}|{_PART}|{_DAY}|{_FISCAL}|{_YEAR}(?![\d,.%/–-]))(?!\w)",
    re.IGNORECASE,
)
"""A period in a head: its length, a day, a year, a quarter with or without its year."""

_IS_FISCAL = re.compile(_FISCAL, re.IGNORECASE)
_CHANGE = re.compile(
    rf"(?:{_YEAR}\s)?\b(?:vs?\.?|versus|compared (?:to|with))\s+(?:{_YEAR})?"
    r"|(?:[$%]\s?|\b(?:percentage|dollar|amount of)\s)?\b(?:increase|change|variance|difference"
    r"|growth|decrease)\b",
    re.IGNORECASE,
)
"""The head of a column of changes."""

_CHANGE_LINES = 2
"""Lines of the head of a column of changes below the years."""

_ASIDE = re.compile(r"\([^()]*\)|[$€£¥]")
LONGEST_HEAD = 130
"""Characters of a line that may be a head."""

_MOST_WORDS = 8
"""Words of a head line besides its periods."""

_NEAR = 3
"""Lines above the years that may say in which month their periods end."""

_QUARTERS = ("Q1", "Q2", "Q3", "Q4")
_LONGEST_NAME = 3
"""Words of the name of a column."""

_FEWEST_NAMES = 3
"""Fewest columns without periods that are read, as titles are short too."""

_NAME = re.compile(
    r"votes?\s(?:cast\s)?(?:for|against|withheld|abstain(?:ed)?)(?:\s\d\syears?)?"
    r"|broker\snon-?\s?votes|fair\svalue|carrying\s(?:value|amount)|united\s(?:states|kingdom)"
    r"|(?:asia|north|latin|south)\s(?:pacific|america)|[^\s]+",
    re.IGNORECASE,
)
"""The name of a column: a phrase that many tables have, or a word."""

_GROWTH = re.compile(r"\b(?:comparable|same[\s-]store|like[\s-]for[\s-]like|organic)\b", re.I)
"""Heads of columns whose percentages are changes."""


@dataclass(frozen=True, slots=True)
class NamedColumns:
    """The columns of a table.

    Args:
        periods: A head for each period, from left to right.
        above: Lines above the periods, which may name groups of them.
        below: Lines between the periods and the rows, which may name columns of each.
        changes: Heads of columns of changes after those of the periods.
    """

    periods: tuple[Head, ...]
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    changes: tuple[Head, ...] = ()

    def heads(self, figures: Sequence[str], shares: bool) -> list[Head] | None:
        """Return the heads of the columns of a row; None if it is unclear which figure is whose.

        A period has one column, one for each name below it, or one and another of shares.

        Args:
            figures: Figures of the row, as printed.
            shares: Whether shares follow the figures of rows above.
        """
        count = len(figures)
        periods = list(self.periods)
        number = len(periods)
        if not number:
            return self._named([Head()], count)
        if self.changes:
            are_all = count == number + len(self.changes) and len(set(periods)) == number
            return [*periods, *self.changes] if are_all else None
        if count == number:
            repeated = number // max(len(set(periods)), 1)
            return periods if repeated == 1 else self._grouped(periods, repeated)
        if count % number:
            return None
        if count == 2 * number and (shares or are_with_shares(figures)):
            return [column for head in periods for column in (head, head._replace(kind="share"))]
        return self._named(periods, count)

    def _named(self, periods: list[Head], count: int) -> list[Head] | None:
        """Return heads of several columns for each period, by the names below it."""
        size = count // len(periods)
        for line in self.below:
            names = _names(line, count) or _names(line, size) * len(periods)
            if len(names) == count and size > 1:
                return [_with_name(periods[i // size], name) for i, name in enumerate(names)]
        return None

    def _grouped(self, periods: list[Head], number: int) -> list[Head] | None:
        """Return heads of periods that repeat, by the names above each group of them."""
        size = len(periods) // number
        if periods != periods[:size] * number:
            return None
        for line in self.above:
            names = _names(line, number)
            if names:
                return [_with_name(head, names[i // size]) for i, head in enumerate(periods)]
        return None


def is_head(line: str) -> bool:
    """Return whether a line names periods and has no other figures."""
    if len(line) > LONGEST_HEAD or not _TOKEN.search(line):
        return False
    words = _TOKEN.sub(" ", _ASIDE.sub(" ", line))
    return not re.search(r"\d", words) and len(words.split()) <= _MOST_WORDS


def lead_of(line: str) -> str:
    """Return what a head line says before its first period: the name of a segment."""
    match = _TOKEN.search(line)
    return line[: match.start()].strip() if match else ""


def read_columns(lines: Sequence[str]) -> NamedColumns | None:
    """Read the columns of a table from the lines above its first row; None if they name no period.

    The years are in the last line that has any, or stacked above one another.
    """
    bare = [_ASIDE.sub(" ", line) if is_head(line) else "" for line in lines]
    tokens = [_TOKEN.findall(_CHANGE.sub(" ", line)) for line in bare]
    heads = [[_read(token) for token in of_line] for of_line in tokens]
    with_years = [index for index, of_line in enumerate(heads) if any(h.year for h in of_line)]
    if not with_years:
        return _columns_of_parts(lines, heads)
    first = last = with_years[-1]
    while len(heads[last]) == 1 and first and len(heads[first - 1]) == 1:
        first -= 1  # dates and years on lines of their own
    stacked = " ".join(" ".join(tokens[index]) for index in range(first, last + 1))
    if first < last:
        heads[last] = [_read(token) for token in _TOKEN.findall(stacked)]
    nearby = [head for of_line in heads[max(0, first - _NEAR) : first] for head in of_line]
    here = heads[last]
    periods = [head for head in here if head.year]
    days = [head for head in [*nearby, *here] if head.month and not head.year]
    lengths = [[head for head in of_line if _is_length(head)] for of_line in heads[: last + 1]]
    spans = next(filter(None, reversed(lengths)), [])  # of the nearest line with any
    periods = _with_spans(_with_days(periods, days), spans)
    if any(head.span in _QUARTERS for head in periods):
        periods = [head._replace(span=head.span or "FY") for head in periods]
    above = [line for line in reversed(lines[:first]) if not _TOKEN.search(line)]
    after = _CHANGE.split(_TOKEN.split(bare[last])[-1])[0].strip()
    below = [*filter(None, [after]), *lines[last + 1 :]]
    while below and _CHANGE.fullmatch(" ".join(below[:_CHANGE_LINES])):
        bare[last] += " " + " ".join(below[:_CHANGE_LINES])
        del below[:_CHANGE_LINES]
    changes = list(_CHANGE.finditer(bare[last]))
    if changes and _TOKEN.search(_CHANGE.sub(" ", bare[last][changes[0].start() :])):
        return None  # changes between the years
    return NamedColumns(
        periods=tuple(periods),
        above=tuple(above),
        below=tuple(below),
        changes=tuple(_change(match[0]) for match in changes),
    )


def ballot_heads(line: str, count: int) -> list[Head]:
    """Return the heads of a ballot's columns, if a line names them and nothing else."""
    names = _names(line, count) if votes(line.lower()) else []
    are_votes = bool(names) and all(votes(name.lower()) for name in names)
    return [_with_name(Head(), name) for name in names] if are_votes else []


def read_names(line: str) -> NamedColumns | None:
    """Read columns that have names and no periods; None if a line has too few words."""
    words = _ASIDE.sub(" ", line).split()
    are_names = len(words) >= _FEWEST_NAMES and words[-1][0].isupper()
    return NamedColumns((), below=(line,)) if are_names else None


def _change(text: str) -> Head:
    """Return the head of a column of changes, of the later of two years that it names."""
    year = re.search(_YEAR, text)
    return Head(text=text, year=int(year[0]) if year else None, kind="change")


def _columns_of_parts(lines: Sequence[str], heads: Sequence[Sequence[Head]]) -> NamedColumns | None:
    """Return columns that are parts of a year, which no line names."""
    parts = max(heads, key=len, default=[])
    return NamedColumns(tuple(parts)) if len(parts) > 1 else None


def _read(token: str) -> Head:
    """Return what a period says; a fiscal year is one beside its quarters too."""
    head = read_head(token)
    is_year = _IS_FISCAL.fullmatch(token) is not None
    return head._replace(text="", span=head.span or ("FY" if is_year else None), words=frozenset())


def _is_length(head: Head) -> bool:
    """Return whether a period says how long it is and nothing else."""
    return head.span is not None and not (head.year or head.month)


def _with_days(periods: list[Head], days: Sequence[Head]) -> list[Head]:
    """Return periods with the months in which they end."""
    months = [day.month for day in days]
    if len(months) != len(periods):
        stated = {*months, *(head.month for head in periods)} - {None}
        if len(stated) != 1:
            return periods
        months = [stated.pop()] * len(periods)
    return [
        head._replace(month=head.month or month)
        for head, month in zip(periods, months, strict=True)
    ]


def _with_spans(periods: list[Head], spans: Sequence[Head]) -> list[Head]:
    """Return periods with their lengths, each of which holds for as many of them."""
    if not spans or len(periods) % len(spans):
        return periods
    size = len(periods) // len(spans)
    return [
        head._replace(span=head.span or spans[index // size].span)
        for index, head in enumerate(periods)
    ]


def are_with_shares(figures: Sequence[str]) -> bool:
    """Return whether every second figure, and no other, is a percentage."""
    return all("%" in figure for figure in figures[1::2]) and "%" not in "".join(figures[::2])


def _names(line: str, count: int) -> list[str]:
    """Return the names of columns on a line; none if it does not divide into as many."""
    line = _ASIDE.sub(" ", line)
    words = line.split()
    if count < 2 or len(words) < count or line.rstrip().endswith((".", ":", ",")):
        return []
    for names in (words, _NAME.findall(line), _phrases(line)):
        if len(names) == count or (len(names) == count + 1 and names[0].lower() == "name"):
            return names[-count:]
    size = len(words) // count
    if len(words) % count or size > _LONGEST_NAME or not all(word[0].isupper() for word in words):
        return []
    return [" ".join(words[start : start + size]) for start in range(0, len(words), size)]


def _phrases(line: str) -> list[str]:
    """Return the names of metrics on a line, and its other words."""
    lower = line.lower()
    names: list[str] = []
    end = 0
    for match in METRIC.finditer(lower):
        names += line[end : match.start()].split()
        names.append(match[0])
        end = match.end()
    return [*names, *line[end:].split()]


def _with_name(head: Head, name: str) -> Head:
    """Return a period as the head of a column that has a name too."""
    kind = "change" if _GROWTH.search(name) else read_head(name).kind
    return head._replace(text=name, kind=kind, words=column_words(name))
