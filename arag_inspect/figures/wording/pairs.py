"""Pair the items of a list with figures by position: A and B were 1 and 2, respectively."""

import re
from collections.abc import Sequence
from itertools import pairwise, product

from .. import lexicon
from ..numbers.ranges import QuantityToken
from ..periods import find_periods

_VERB = re.compile(
    r"\s(?:was|were|is|are|had|at|of(?!\s(?:[a-z]+\s){0,2}(?:19|20)\d\d)|to|bear\w*|total\w*|[a-z]+ed|grew|rose|fell)\b.*"
)
"""The verb after the last item of a list, with all that follows."""

_YEAR = re.compile(r"(?:19|20)\d\d")
_YEARS = re.compile(
    r"[^,;.\d]{0,40}\s(?:in|for|during|at|of)\s(?:[a-z]+\s){0,4}(?:\d{1,2},\s)?"
    rf"{_YEAR.pattern}(?:(?:,\s|,?\sand\s){_YEAR.pattern})+"
)
"""Years in a list after a list of figures: in 2024 and 2023."""

_YEAR_LIST = re.compile(rf"{_YEAR.pattern}(?:,?\s(?:and\s)?{_YEAR.pattern})+")
_NAMES = re.compile(
    r"(?:[^;]{0,80},\s)?(?P<names>"
    r"[\w&-]+(?:\s[\w&-]+){0,2}(?:,\s[\w&-]+(?:\s[\w&-]+){0,2}){0,8},?\sand\s[\w&-]+"
    r"(?:\s[\w&-]+){0,3}?),?\s(?:was|were|is|are)\s\S?"
)
"""The items before a list of figures: pumps and valves were."""

_OF_YEAR = re.compile(r"\sof\s(?:fiscal\s(?:year\s)?)?(?:19|20)\d\d\b")
_TIME = re.compile(r",?\s(?:as of|at|during|for|in)\s[^,;]*")
"""A phrase of time right after "respectively"."""

_OPENING_VERB = re.compile(
    r"^.*\b(?:led|resulted|translated|amounted)\s(?:in|to)\s(?:an?\s)?"
    r"(?:(?:decrease|increase|reduction)s?\s(?:in|of|to)\s)?"
)
"""A verb before the first item of a list."""

_GAP = re.compile(r"\s*(?:,\s*(?:and\s)?|and\s|or\s)\s*")
"""Between two figures of a list."""

_FRAME_END = re.compile(r"(?:[\s,.]|\b(?:and|of)\b)*$")
"""The end of the words about a group of figures that say nothing."""

_HEAD = re.compile(r"\b(?:quarters|months)\b.*")
"""A noun that all items of a list share: first and second quarters."""

_EDGE = re.compile(r",(?!\s*(?:19|20)\d\d)\s*(?:and\s)?|\s(?:and|or)\s")
"""Between two items of a list; no comma before a year, as in June 30, 2022."""


def read_pairs(text: str, amounts: Sequence[QuantityToken]) -> tuple[str, list[str]] | None:
    """Pair the items of a list with figures by position, if there are as many of both.

    Args:
        text: Sentence in lower case.
        amounts: Its figures from left to right.

    Returns:
        The words about all of the figures, and those about each alone; None if the sentence has no such list.
    """
    lead = text[: amounts[0].start]
    gaps = [text[left.end : right.start] for left, right in pairwise(amounts)]
    breaks = [i for i, gap in enumerate(gaps, 1) if not _GAP.fullmatch(gap)]
    if breaks:
        return _grouped_pairs(text, amounts, breaks) if "respectively" in text else None
    if "respectively" not in text:
        return _unmarked_pairs(text, amounts)
    tail = text[amounts[-1].end :].partition("respectively")[0].strip(" ,")
    for part, other in ((tail, lead), (lead, tail)):
        listed_years = _YEAR_LIST.search(part)
        years = _YEAR.findall(listed_years[0]) if listed_years else []
        if listed_years and len(years) == len(amounts):
            return f"{other} {part.replace(listed_years[0], '')}", years
        framed_list = _listed(part, len(amounts))
        if framed_list:
            frame, items = framed_list
            return f"{other} {frame}", items
    return None


def _listed(text: str, size: int) -> tuple[str, list[str]] | None:
    """Return the items of the last list of a size that ends with "and", and the words before it.

    Without such a list, they are the last items that commas divide.
    """
    parts = [part for part in _EDGE.split(text) if part.strip()]
    ends = [
        index
        for index, part in enumerate(parts)
        if index + 1 >= size and re.search(rf"\b(?:and|or)\s+{re.escape(part)}", text)
    ]
    if len(parts) < size:
        return None
    end = ends[-1] if ends else len(parts) - 1
    items = parts[end + 1 - size : end + 1]
    items[-1] = _VERB.sub("", items[-1])
    items[0] = _OPENING_VERB.sub("", items[0])
    return text[: text.find(items[0])], _with_year(_with_head(items))


def _with_year(labels: list[str]) -> list[str]:
    """Return "second quarter of 2024" and "first half of 2024" of "second quarter" and that."""
    of_year = _OF_YEAR.search(labels[-1])
    if of_year is None or any(_YEAR.search(label) for label in labels[:-1]):
        return labels
    return [*(f"{label}{of_year[0]}" for label in labels[:-1]), labels[-1]]


def _grouped_pairs(
    text: str, amounts: Sequence[QuantityToken], breaks: Sequence[int]
) -> tuple[str, list[str]] | None:
    """Pair the figures of several groups with the same items: 1 and 2 in May, and 3 and 4 in June.

    The words after each group are about it alone; those after the last may end with the items.
    """
    edges = [0, *breaks, len(amounts)]
    sizes = {stop - start for start, stop in pairwise(edges)}
    size = breaks[0]
    if size < 2 or sizes != {size}:
        return None
    first_group = amounts[:size]
    lead = text[: amounts[0].start]
    tail = text[amounts[-1].end :]
    names = read_pairs(f"{text[: first_group[-1].end]}, respectively", first_group)
    listed_years = _YEARS.search(tail)
    years = _YEAR.findall(listed_years[0]) if listed_years else []
    if len(years) == size:
        items = years
        tail = _YEAR.sub("", tail)
    elif names:
        lead, items = names
    else:
        return None
    after_groups = [text[amounts[stop - 1].end : amounts[stop].start] for stop in breaks]
    frames = _frames([*after_groups, tail])
    return lead, [f"{frame} of {item}" for frame, item in product(frames, items)]


def _frames(after_groups: Sequence[str]) -> list[str]:
    """Return the words about each group alone: after it, but before it if "respectively" ends one."""
    frames = []
    before = ""
    for words in after_groups:
        words_after, _, following = words.partition("respectively")
        time = _TIME.match(following)
        if time:
            words_after += time[0]
            following = following[time.end() :]
        frames.append(_FRAME_END.sub("", f"{before} {words_after}".strip(" ")))
        before = following
    return frames


def _unmarked_pairs(text: str, amounts: Sequence[QuantityToken]) -> tuple[str, list[str]] | None:
    """Pair "A and B costs were 1 and 2" and "were 1 and 2 in 2024 and 2023"."""
    if len(amounts) < 2 or len({amount.unit for amount in amounts}) > 1:
        return None
    lead = text[: amounts[0].start]
    tail = text[amounts[-1].end :]
    listed_years = _YEARS.match(tail)
    if listed_years:
        years = _YEAR.findall(listed_years[0])
        return (lead, years) if len(years) == len(amounts) else None
    whole = lexicon.METRIC.sub(lambda match: match[0].replace(" and ", "_and_"), lead)
    names = _NAMES.fullmatch(whole)
    items = _EDGE.split(names["names"]) if names else []
    return (tail, _with_head(items)) if len(items) == len(amounts) else None


def _with_head(labels: list[str]) -> list[str]:
    """Return "first quarter" and "second quarter" of "first" and "second quarters"."""
    head = _HEAD.search(labels[-1])
    if not head or any(map(find_periods, labels[:-1])):
        return labels
    noun = head[0].replace("quarters", "quarter")
    return [f"{label.replace(head[0], '').strip()} {noun}" for label in labels]
