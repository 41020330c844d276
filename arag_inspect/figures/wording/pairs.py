"""Pair the items of a list with figures by position: A and B were 1 and 2, respectively."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from .. import lexicon
from ..numbers.ranges import QuantityToken
from .labels import labels
from .time_lists import ItemList, find_times

_RESPECTIVELY_BEFORE = re.compile(r"^respectively,|,?\srespectively,?(?=\s[^\s\d]{0,4}\s?\d)")
"""The word at the start of a sentence or right before the figures."""

_TIME = re.compile(r",?\s(?:as of|at|during|for|in|of)\s[^,;]*")
"""A phrase of time, or of the whole, right after "respectively"."""

_VERB = re.compile(
    r"\s(?:was|were|is|are|had|at|of(?!\s(?:[a-z]+\s){0,2}(?:19|20)\d\d)|to|bear\w*|total\w*"
    r"|[a-z]+ed|grew|rose|fell)\b.*"
)
"""The verb after the last item of a list, with all that follows."""

_NAMES = re.compile(
    r"(?:[^;]{0,80},\s)?(?P<names>"
    r"[\w&-]+(?:\s[\w&-]+){0,2}(?:,\s[\w&-]+(?:\s[\w&-]+){0,2}){0,8},?\sand\s[\w&-]+"
    r"(?:\s[\w&-]+){0,3}?),?\s(?:was|were|is|are)\s\S?"
)
"""The items before a list of figures: pumps and valves were."""

_FEW_WORDS = re.compile(r"[^,;.\d]{0,40}")
"""Between a list of figures and a list of their times, without "respectively"."""

_OPENING_VERB = re.compile(
    r"^.*\b(?:led|resulted|translated|amounted)\s(?:in|to)\s(?:an?\s)?"
    r"(?:(?:decrease|increase|reduction)s?\s(?:in|of|to)\s)?"
)
"""A verb before the first item of a list."""

_COMPOUND = re.compile(
    r"\b(?:administrative|development|equipment|equivalents|general|marketing|plant|property"
    r"|research|sales|selling)(?:, [a-z]+,?)? and "
    r"(?:administrative|cash equivalents|casualty|development|equipment|general|marketing)\b"
)
"""A name of two words, and no list."""

GLUE = re.compile(r"\s*(?:,\s*(?:and\s)?|and\s|or\s)\s*")
"""Between two figures of a list."""

_EDGE = re.compile(r",(?!\s*(?:19|20)\d\d)\s*(?:and\s)?|\s(?:and|or)\s")
"""Between two items of a list; no comma before a year, as in June 30, 2022."""

_FIGURE = re.compile(r"[$€£]\s?\d|\d%|\d\s(?:thousand|million|billion|percent)\b")
_ITS_FIGURE = re.compile(r"[a-z]\s(?:was|were)\s[$€£]?\d")
"""An item with a figure of another kind: income was $5 million."""

_LAST_EDGE = re.compile(
    r"^(?P<after>.*)(?:,(?!\s*(?:19|20)\d\d)\s*(?:and\s)?|;\s|\sand\s)(?P<before>.*)$"
)
"""Between the words after one list of figures and the words before the next."""


class PairedWords(NamedTuple):
    """The words about a figure of a list."""

    shared: str
    """Words about all figures of the list."""

    item: str
    """Words about it alone."""


@dataclass(slots=True)
class _Group:
    """Figures in a row, "1 and 2", with the words around them."""

    members: Sequence[int]
    """Positions of its figures."""

    before: str
    after: str
    closes: bool
    """Whether "respectively" follows it, and other items may follow that."""


def read_pairs(text: str, amounts: Sequence[QuantityToken]) -> dict[int, PairedWords]:
    """Pair the items of a list with figures by position.

    Several groups of figures may have the same items: 1 and 2 in May, and 3 and 4 in June.

    Args:
        text: Sentence in lower case.
        amounts: Its figures from left to right.

    Returns:
        The words about each figure that has an item, by its position.
    """
    rows = list(_rows(text, amounts))
    if not rows:
        return {}
    if "respectively" not in text:
        return _unmarked_pairs(text, amounts, rows[0]) if len(rows) == 1 else {}
    pairs: dict[int, PairedWords] = {}
    items: Sequence[str] = ()
    label = ""
    groups = _groups(text, amounts, rows)
    for segment in _segments(groups):
        items = _take_items(segment) or items
        _divide_gaps(segment)
        for group in segment:
            names_something = labels(lexicon.MOVE.sub(" ", group.before))
            label = group.before if names_something else f"{label} {group.before}"
            frame = f"{label} {group.after.strip(' ,')}"
            for member, item in zip(group.members, items, strict=False):
                is_only = len(groups) == 1
                pairs[member] = (
                    PairedWords(frame, item) if is_only else PairedWords("", f"{frame} of {item}")
                )
    return pairs


def _rows(text: str, amounts: Sequence[QuantityToken]) -> Iterator[Sequence[int]]:
    """Yield the positions of two or more figures of a unit in a list: "1, 2 and 3"."""
    start = 0
    for position, (left, right) in enumerate(pairwise(amounts), 1):
        between = text[left.end : right.start]
        if not (_is_same_unit(left, right) and GLUE.fullmatch(between)):
            if position - start > 1:
                yield range(start, position)
            start = position
    if len(amounts) - start > 1:
        yield range(start, len(amounts))


def _is_same_unit(left: QuantityToken, right: QuantityToken) -> bool:
    """Return whether two figures have one unit; one may state it for both: $4 and $5 a share."""
    return left.unit == right.unit or {left.unit, right.unit} == {"currency", "per_share"}


def _groups(
    text: str, amounts: Sequence[QuantityToken], rows: Sequence[Sequence[int]]
) -> list[_Group]:
    """Find the words around each list of figures; words between two lists count as after one."""
    text = _RESPECTIVELY_BEFORE.sub(lambda match: " " * len(match[0]), text)
    groups = []
    before = text[: amounts[rows[0][0]].start]
    starts = [amounts[row[0]].start for row in rows]
    for row, following in zip(rows, [*starts[1:], len(text)], strict=True):
        gap = text[amounts[row[-1]].end : following]
        after, closes, next_before = gap.partition("respectively")
        if closes:
            time = _TIME.match(next_before)
            after += time[0] if time else ""
            next_before = next_before[time.end() if time else 0 :]
        groups.append(_Group(row, before, after, bool(closes)))
        before = next_before
    return groups


def _segments(groups: Sequence[_Group]) -> Iterator[Sequence[_Group]]:
    """Yield the groups that share one "respectively"."""
    start = 0
    for stop, group in enumerate(groups, 1):
        if group.closes or stop == len(groups):
            yield groups[start:stop]
            start = stop


def _take_items(segment: Sequence[_Group]) -> Sequence[str]:
    """Take the items of the figures out of the words around them; none if their numbers differ."""
    first, last = segment[0], segment[-1]
    size = len(first.members)
    if any(len(group.members) != size for group in segment):
        return ()
    for find in (find_times, _find_names):
        last_words = find(last.after, size)
        if last_words:
            last.after = last_words.remainder
            return last_words.items
        first_words = find(first.before, size)
        if first_words:
            first.before = first_words.remainder
            return first_words.items
    between = find_times(first.after, size)
    if between:
        first.after = between.remainder
        return between.items
    return ()


def _divide_gaps(segment: Sequence[_Group]) -> None:
    """Divide the words between two lists of figures into words after one and before the other."""
    for group, following in pairwise(segment):
        edge = _LAST_EDGE.match(group.after)
        if edge:
            group.after, following.before = edge.groups()


def _whole_names(text: str) -> str:
    """Return a text of the same length in which no edge of a list is within a name."""
    for pattern in (lexicon.METRIC, _COMPOUND):
        text = pattern.sub(lambda match: match[0].replace(" and ", "_and_"), text)
    return text


def _find_names(text: str, size: int) -> ItemList | None:
    """Find the last list of a size that ends with "and"."""
    text = _whole_names(text.strip(" ,"))
    parts = [part for part in _EDGE.split(text) if part.strip()]
    ends = [
        index
        for index, part in enumerate(parts)
        if index + 1 >= size and re.search(rf"\b(?:and|or)\s+{re.escape(part)}", text)
    ]
    if not ends:
        return None
    items = parts[ends[-1] + 1 - size : ends[-1] + 1]
    have_figures = all(map(_ITS_FIGURE.search, items))
    items[-1] = _VERB.sub("", items[-1])
    items[0] = _OPENING_VERB.sub("", items[0])
    if any(map(_FIGURE.search, items)) and not have_figures:
        return None
    start = text.find(items[0])
    return ItemList([item.replace("_", " ") for item in items], text[:start], start)


def _unmarked_pairs(
    text: str, amounts: Sequence[QuantityToken], row: Sequence[int]
) -> dict[int, PairedWords]:
    """Pair items and figures without "respectively".

    There are three forms:

    - "pumps and valves were 1 and 2"
    - "sales were 1 and 2 in 2024 and 2023"
    - "sales were 5 in 2024 and 6 in 2023, up 1 and 2"
    """
    is_second_half = len(amounts) == 2 * len(row) and row[0] == len(row)
    if is_second_half:
        lead = text[: amounts[row[0]].start]
        times = find_times(lead, len(row))
        if times and _have_times(lead, amounts[: row[0]]):
            return _pair_items(row, lead, times.items)
        return {}
    if len(row) != len(amounts):
        return {}
    lead = text[: amounts[0].start]
    tail = text[amounts[-1].end :]
    times = find_times(tail, len(row))
    if times and _FEW_WORDS.fullmatch(tail, 0, times.start):
        return _pair_items(row, lead, times.items)
    names = _NAMES.fullmatch(_whole_names(lead))
    items = _EDGE.split(names["names"]) if names else []
    return _pair_items(row, tail, items) if len(items) == len(row) else {}


def _have_times(text: str, amounts: Sequence[QuantityToken]) -> bool:
    """Return whether every figure follows a time, or precedes one: 5 in 2024 and 6 in 2023."""
    starts = [amount.start for amount in amounts]
    ends = [amount.end for amount in amounts]
    before = [text[end:start] for end, start in zip([0, *ends[:-1]], starts, strict=True)]
    after = [text[end:start] for end, start in zip(ends, [*starts[1:], len(text)], strict=True)]
    return all(find_times(gap, 1) for gap in before) or all(find_times(gap, 1) for gap in after)


def _pair_items(
    members: Sequence[int], shared: str, items: Sequence[str]
) -> dict[int, PairedWords]:
    """Return an item for each figure of a list, and the words about all of them."""
    return {member: PairedWords(shared, item) for member, item in zip(members, items, strict=True)}
