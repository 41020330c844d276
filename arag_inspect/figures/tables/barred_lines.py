"""Divide lines into the cells that bars separate, and group the lines of each table."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_TITLES = 6
"""Most lines above a table that may contain its title and unit."""

_LONGEST_TITLE = 200
"""Characters of a line that may be the title of a table."""

_GAP = 3
"""Most lines without cells between two rows."""

_LONGEST_LABEL = 150
"""Characters of a line between two rows of one table."""

_PREFIX = re.compile(r"\[[^\]\n]*?(?:TABLE: (?P<head>[^\]\n]*))?\](?=\S)")
"""Text before a chunk's own, perhaps the head of a table that it continues."""


class BarredLine(NamedTuple):
    """A line with its position and cells."""

    start: int
    text: str
    cells: list[str]
    """Empty if the line has no cells."""


def read_lines(text: str) -> Iterator[BarredLine]:
    """Yield the lines of a text with their cells."""
    start = 0
    for raw in text.split("\n"):
        prefix = _PREFIX.match(raw)
        if prefix and prefix["head"]:
            cells = _cells(prefix["head"])
            yield BarredLine(start, "" if cells else prefix["head"], cells)
        first = prefix.end() if prefix else 0
        line = raw[first:]
        yield BarredLine(start + first, line, _cells(line.strip()))
        start += len(raw) + 1


def _cells(line: str) -> list[str]:
    """Return the cells of a line; empty if it has a single bar that may not be an edge."""
    if "|" not in line or not (" | " in line or line.count("|") > 1):
        return []
    framed = line.startswith("|") and line.endswith("|")
    inner = line[1:-1] if framed else line
    return [cell.strip() for cell in inner.split("|")]


def find_tables(lines: Sequence[BarredLine]) -> Iterator[tuple[int, int]]:
    """Yield the first line of each table, and the line after its last."""
    first = last = None
    for index, line in enumerate(lines):
        if not line.cells:
            continue
        if first is not None and last is not None and not _go_on(lines[last + 1 : index]):
            yield first, last + 1
            first = None
        first = index if first is None else first
        last = index
    if first is not None and last is not None:
        yield first, last + 1


def _go_on(between: Sequence[BarredLine]) -> bool:
    """Return whether lines between two rows are labels of one table."""
    texts = [line.text.strip() for line in between]
    return len(texts) <= _GAP and all(
        text and len(text) <= _LONGEST_LABEL and not text.endswith(".") for text in texts
    )


def find_titles(lines: Sequence[BarredLine], first: int) -> list[str]:
    """Return the lines above a table that may be its title, down to a sentence or another table."""
    titles: list[str] = []
    for line in reversed(lines[max(0, first - 2 * _TITLES) : first]):
        text = line.text.strip()
        is_sentence = text.endswith(".") and len(text.split()) > 6
        is_long = len(text) > _LONGEST_TITLE and not text.endswith(":")
        if line.cells or is_long or is_sentence or len(titles) == _TITLES:
            break
        if text:
            titles.insert(0, text[-_LONGEST_TITLE:])
    return titles
