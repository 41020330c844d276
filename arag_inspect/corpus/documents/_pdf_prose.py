"""Put the columns of prose of a PDF page into reading order."""

import re
from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import chain, groupby
from operator import itemgetter
from statistics import median_low

from ._pdf_geometry import Geometry, TextLine

_LONG = 30
"""Shortest line that may contain two columns, in characters."""

_SAMPLE = 12
"""Number of lines of a page that are examined for columns of prose."""

_APART = 4
"""Distance between two lines at which columns end, in heights of a character."""

_LEAST_LINES = 4
"""Minimum lines side by side in columns of prose."""

_SPACE = re.compile(r"(?<=\S)\s+(?=\S)")


def order_columns(lines: list[TextLine], geometry: Geometry) -> list[TextLine]:
    """Put columns of prose that were drawn row by row into reading order."""
    long = [line for line in lines if len(line.text) >= _LONG]
    sample = long[:: max(1, len(long) // _SAMPLE)]
    gaps_of = cache(partial(_gaps, geometry))
    if sum(bool(gaps_of(line)) for line in sample) < min(3, len(sample)) or not long:
        return lines
    gaps = list(map(gaps_of, lines))
    starts = [geometry.box(start)[0] for _, start in chain.from_iterable(gaps)]
    if len(starts) < _LEAST_LINES:
        return lines
    gutter = median_low(starts) - 1
    halves = [
        _split(line, breaks, gutter, geometry) for line, breaks in zip(lines, gaps, strict=True)
    ]
    ordered: list[TextLine] = []
    bands = _number_bands(lines, halves, geometry)
    for _, group in groupby(zip(bands, lines, halves, strict=True), itemgetter(0)):
        _, whole, parts = zip(*group, strict=True)
        left = [side[0] for side in parts if side and side[0]]
        right = [side[1] for side in parts if side and side[1]]
        if _is_prose(left) and _is_prose(right):
            ordered += order_columns(left, geometry) + order_columns(right, geometry)
        else:
            ordered += whole
    return ordered


def _number_bands(
    lines: Sequence[TextLine], halves: Sequence[object], geometry: Geometry
) -> Iterator[int]:
    """Yield for each line a number that rises where columns begin, end or leave a gap."""
    number = 0
    for index, line in enumerate(lines):
        if index:
            above = lines[index - 1].start
            drop = geometry.baseline(above) - geometry.baseline(line.start)
            is_apart = drop > _APART * geometry.box(above)[2]
            number += is_apart or bool(halves[index]) != bool(halves[index - 1])
        yield number


def _gaps(geometry: Geometry, line: TextLine) -> list[tuple[int, int]]:
    """Return the wide gaps between words of a line: the characters on both sides."""
    gaps = []
    box = geometry.box
    first = line.start
    for match in _SPACE.finditer(line.text):
        start, end = match.span()
        _, right, height = box(first + start - 1)
        if box(first + end)[0] - right > 0.8 * height:
            gaps.append((first + start - 1, first + end))
    return gaps


def _split(
    line: TextLine, gaps: list[tuple[int, int]], gutter: float, geometry: Geometry
) -> tuple[TextLine | None, TextLine | None] | None:
    """Return the parts of a line on both sides of a gutter; None if it crosses it."""
    if geometry.box(line.start)[0] >= gutter:
        return None, line
    if geometry.box(line.start + len(line.text) - 1)[1] <= gutter:
        return line, None
    for before, after in gaps:
        if geometry.box(before)[1] <= gutter <= geometry.box(after)[0]:
            split_offset = before + 1 - line.start
            return TextLine(line.text[:split_offset], line.start), TextLine(
                line.text[split_offset:].lstrip(), after
            )
    return None


def _is_prose(lines: Sequence[TextLine]) -> bool:
    """Return whether lines are running text: sentences that continue from line to line."""
    going_on = sum(line.text[0].islower() for line in lines)
    length = sum(len(line.text) for line in lines)
    return len(lines) >= _LEAST_LINES and 4 * going_on >= len(lines) and length >= 12 * len(lines)
