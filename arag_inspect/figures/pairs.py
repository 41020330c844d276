"""Pair the items of a list with figures by position: A and B were 1 and 2, respectively."""

import re
from collections.abc import Sequence
from itertools import pairwise, product

from . import lexicon
from .ranges import QuantityToken

_VERB = re.compile(
    r"\s(?:was|were|is|are|had|at|of|to|bear\w*|total\w*|[a-z]+ed|grew|rose|fell)\b.*"
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

_GAP = re.compile(r"\s*(?:,\s*(?:and\s)?|and\s|or\s)\s*")
"""Between two figures of a list."""

_FRAME_END = re.compile(r"(?:[\s,.]|\b(?:and|of)\b)*$")
"""The end of the words about a group of figures that say nothing."""

_HEAD = re.compile(r"\b(?:quarters|months)\b.*")
"""A noun that all items of a list share: first and second quarters."""

_EDGE = re.compile(r",\s*(?!(?:19|20)\d\d)(?:and\s)?|\s(?:and|or)\s")
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
        items = [item for item in _EDGE.split(part) if item.strip()]
        if len(items) >= len(amounts):
            labels = [_VERB.sub("", item) for item in items[-len(amounts) :]]
            frame = part[: part.find(labels[0])]
            return f"{other} {frame}", _with_head(labels)
    return None


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
    frames = [
        _FRAME_END.sub("", words_after.replace("respectively", ""))
        for words_after in [*after_groups, tail]
    ]
    return lead, [f"{frame} of {item}" for frame, item in product(frames, items)]


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
    if not head:
        return labels
    noun = head[0].replace("quarters", "quarter")
    return [f"{label.replace(head[0], '').strip()} {noun}" for label in labels]
