"""Tables in plain text: their rows, and the heads of their columns."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_HEADER_LINES = 6
"""Maximum lines above a table's first row that can be its column headings."""

_GAP_LINES = 3
"""Maximum lines between two rows of a table, e.g. a label without figures."""

_SHORT = 90
"""Longest line of a table without bars, in characters; a longer line is a paragraph."""

_LONGEST_LABEL = 150
"""Longest line between two rows with bars, in characters."""

_LONGEST_HEAD = 200
"""Longest head of a table, in characters."""

_FIGURE = re.compile(
    r"[-–—−+]?[$€£¥₹(]*[-–—−]?(?:\d[\d.,'’]*)?\.?\d[%)xX]*-?|[-–—−]+|[$€£¥₹%()]+"
    r"|[Nn][./]?[AMam]\.?|\*+"
)
_YEAR = re.compile(
    r"\b(?:\d{1,2}[./]\d{1,2}[./](?:\d\d){1,2}|(?:FY ?)?(?:19|20)\d\d(?:[/–-]\d\d){0,2}[EA]?"
    r"|(?:(?:[1-4][HQ]|[HQ][1-4]|\d{1,2}M)(?: ?['’]?\d\d)?|(?:FY ?['’]?|[a-z]{3}(?:-"
    r"| ?['’]))\d\d)[EA]?)\b",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.? \d{1,2}\b", re.IGNORECASE
)
_UNIT = re.compile(
    r"\b(?:thousands?|millions?|billions?|crores?|lakhs?)\b|\b000s?\b|per share", re.IGNORECASE
)
_UNIT_IN_PARENTHESES = re.compile(
    r"\(in (?:[\w$]{1,20} ){0,3}(?:thousands|millions|billions)\b", re.IGNORECASE
)


class TextTable(NamedTuple):
    """A run of rows with the lines above it that name its columns, as a part of a text."""

    start: int
    end: int
    heads: tuple[tuple[int, str], ...]
    """Column heads with the unit, and the offset from which each applies."""

    def head_at(self, offset: int) -> str:
        """Return the head above an offset that applies to it; empty if there is none."""
        index = bisect_right(self.heads, offset, key=lambda head: head[0]) - 1
        return self.heads[index][1] if index >= 0 and offset < self.end else ""


def is_row(line: str) -> bool:
    """Return whether a line ends like a table row: in two figures, or one if short."""
    if not any(map(_FIGURE.fullmatch, line.rsplit(maxsplit=1)[-1:])):
        return False
    figures = 0
    words = line.split()
    for word in reversed(words):
        if not _FIGURE.fullmatch(word):
            break
        figures += any(sign.isalnum() or sign in "-–—−" for sign in word)
    return figures >= 2 or (figures == 1 and len(words) <= 8)


def find_tables(text: str) -> list[TextTable]:
    """Find the tables of a text, each of two rows or more, in order."""
    matches = list(re.finditer(r"[^\n]+", text))
    lines = [" ".join(match[0].split()) for match in matches]
    ends = [match.end() for match in matches]
    follows_blank = [
        text.count("\n", end, match.start()) > 1
        for end, match in zip([0, *ends], matches, strict=False)
    ]
    tables = []
    first_free_line = 0
    for run in _runs(lines, follows_blank):
        start = run[0]
        lowest = max(first_free_line, start - _HEADER_LINES)
        while start > lowest and _is_label(lines[start - 1]):
            start -= 1
        if start > lowest and _introduces_table(lines[start - 1]):
            start -= 1
        first_free_line = run[-1] + 1
        heads = tuple((matches[row].start(), head) for row, head in _heads(lines, start, run))
        tables.append(TextTable(matches[start].start(), matches[run[-1]].end(), heads))
    return tables


def _introduces_table(line: str) -> bool:
    """Return whether a line too long for a label introduces a table, or gives its unit."""
    is_title = _is_label(line, _LONGEST_LABEL) and _UNIT_IN_PARENTHESES.search(line) is not None
    return line.endswith(":") or is_title


def _runs(lines: Sequence[str], follows_blank: Sequence[bool]) -> Iterator[list[int]]:
    """Yield the rows of each table, as indices of the lines.

    A head of columns below a blank line begins another table.
    """
    run: list[int] = []
    for index, line in enumerate(lines):
        if not (is_barred(line) or is_row(line)):
            continue
        if run and not _continues_table(lines, follows_blank, run[-1], index):
            if len(run) > 1:
                yield run
            run = []
        run.append(index)
    if len(run) > 1:
        yield run


def _continues_table(
    lines: Sequence[str], follows_blank: Sequence[bool], last: int, index: int
) -> bool:
    """Return whether a row belongs to the same table as the last row above it."""
    is_last_barred = is_barred(lines[last])
    longest = _LONGEST_LABEL if is_last_barred and is_barred(lines[index]) else _SHORT
    lines_between = lines[last + 1 : index]
    if len(lines_between) > _GAP_LINES:
        return False
    if not all(_is_label(line, longest) for line in lines_between):
        return False
    begins_table = (
        _names_columns(lines[index])
        or _has_no_figure(lines[index])
        or (is_last_barred and not is_barred(lines[index]))
    )
    return not (begins_table and any(follows_blank[last + 1 : index + 1]))


def is_barred(line: str) -> bool:
    """Return whether the cells of a line are separated by bars."""
    return " | " in line or line.count("|") > 2


def _is_label(line: str, longest: int = _SHORT) -> bool:
    return len(line) <= longest and not line.endswith(".")


def _heads(lines: Sequence[str], start: int, run: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Yield the first row below each head of columns, with the head."""
    head_lines = [_last_words(line) for line in lines[start : run[0]]]
    is_head = True
    first_barred = next((row for row in run if is_barred(lines[row])), None)
    for number, row in enumerate(run):
        may_be_words = number == 0 or (is_head and row == first_barred)
        names_columns = _names_columns(lines[row]) or (may_be_words and _is_words(lines[row]))
        if names_columns and not is_head:
            units = [corner for corner in map(_corner, head_lines) if _UNIT.search(corner)]
            head_lines = [*units[-1:], *lines[run[number - 1] + 1 : row]]
        if names_columns:
            head_lines.append(lines[row])
        elif is_head and head_lines:
            yield row, _join_head(head_lines)
        is_head = names_columns


def _last_words(line: str) -> str:
    """Return the last whole words of a line that is too long for a label."""
    return line if len(line) <= _SHORT else line[-_SHORT - 1 :].partition(" ")[2]


def _corner(line: str) -> str:
    """Return a line of a head without the columns that it mentions."""
    return _without_frame(line).partition(" | ")[0]


def _names_columns(line: str) -> bool:
    """Return whether all figures of a row are years and dates."""
    return bool(_YEAR.search(line)) and _has_no_figure(_YEAR.sub("", _DAY.sub("", line)))


def _is_words(line: str) -> bool:
    """Return whether a line has no figure except in dates: `Three months ended June 30,`."""
    return _has_no_figure(_DAY.sub("", line))


def _has_no_figure(line: str) -> bool:
    return not any(sign.isdigit() for sign in line)


def _join_head(head_lines: Sequence[str]) -> str:
    """Join the lines of a head; drop the first lines without a unit if it is too long."""
    lines = list(dict.fromkeys(map(_without_frame, head_lines)))
    longest = _LONGEST_HEAD * (2 if is_barred(head_lines[-1]) else 1)
    while len(lines) > 1 and sum(len(line) + 1 for line in lines) > longest:
        without_unit = (index for index, line in enumerate(lines) if not _UNIT.search(line))
        lines.pop(next(without_unit, 0))
    return " ".join(lines)[:longest]


def _without_frame(line: str) -> str:
    """Return a line without bars at both of its ends."""
    text = " ".join(line.split())
    is_framed = text.startswith("|") and text.endswith("|")
    return text[1:-1].strip() if is_framed else text
