"""Pair the items of a list with figures by position: A and B were 1 and 2, respectively."""

import re
from collections.abc import Sequence
from itertools import pairwise, product

from . import lexicon as words
from .ranges import QuantityToken

_VERB = re.compile(
    r"\s(?:was|were|is|are|had|at|of|to|bear\w*|total\w*|[a-z]+ed|grew|rose|fell)\b.*"
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_YEARS = re.compile(
    rf"[^,;.\d]{{0,40}}\s(?:in|for|during|at|of)\s(?:[a-z]+\s){{0,4}}(?:\d{{1,2}},\s)?{_YEAR.pattern}(?:(?:,\s|,?\sand\s){_YEAR.pattern})+"
)
_YEAR_LIST = re.compile(rf"{_YEAR.pattern}(?:,?\s(?:and\s)?{_YEAR.pattern})+")
_NAMES = re.compile(
    r"(?:[^;]{0,80},\s)?(?P<names>[\w&-]+(?:\s[\w&-]+){0,2}(?:,\s[\w&-]+(?:\s[\w&-]+){0,2}){0,8},?\sand\s[\w&-]+(?:\s[\w&-]+){0,3}?),?\s(?:was|were|is|are)\s\S?"
)
_GAP = re.compile(r"\s*(?:,\s*(?:and\s)?|and\s|or\s)\s*")
_FRAME_END = re.compile(r"(?:[\s,.]|\b(?:and|of)\b)*$")
_HEAD = re.compile(r"\b(?:quarters|months)\b.*")
_EDGE = re.compile(r",\s*(?!(?:19|20)\d\d)(?:and\s)?|\s(?:and|or)\s")


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
        years = _YEAR_LIST.search(part)
        if years and len(_YEAR.findall(years[0])) == len(amounts):
            return f"{other} {part.replace(years[0], '')}", _YEAR.findall(years[0])
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
    starts, stops = [0, *breaks], [*breaks, len(amounts)]
    size = stops[0]
    if size < 2 or any(stop - start != size for start, stop in zip(starts, stops, strict=True)):
        return None
    first = amounts[:size]
    lead, tail = text[: amounts[0].start], text[amounts[-1].end :]
    names = read_pairs(f"{lead}{_glued(text, first)}, respectively", first)
    years = _YEARS.search(tail)
    if years and len(_YEAR.findall(years[0])) == size:
        items, tail = _YEAR.findall(years[0]), _YEAR.sub("", tail)
    elif names:
        lead, items = names
    else:
        return None
    ends = [text[amounts[stop - 1].end : amounts[stop].start] for stop in breaks]
    frames = [_FRAME_END.sub("", end.replace("respectively", "")) for end in [*ends, tail]]
    pairs = product(frames, items)
    return lead, [f"{frame} of {item}" for frame, item in pairs]


def _glued(text: str, group: Sequence[QuantityToken]) -> str:
    return text[group[0].start : group[-1].end]


def _unmarked_pairs(text: str, amounts: Sequence[QuantityToken]) -> tuple[str, list[str]] | None:
    """Pair "A and B costs were 1 and 2" and "were 1 and 2 in 2024 and 2023"."""
    if len(amounts) < 2 or len({amount.unit for amount in amounts}) > 1:
        return None
    lead, tail = text[: amounts[0].start], text[amounts[-1].end :]
    if years := _YEARS.match(tail):
        labels = _YEAR.findall(years[0])
        return (lead, labels) if len(labels) == len(amounts) else None
    whole = words.METRIC.sub(lambda match: match[0].replace(" and ", "_and_"), lead)
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
