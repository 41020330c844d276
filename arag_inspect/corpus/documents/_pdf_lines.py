"""Lines of a PDF page: their words, and the cells between wide gaps."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from ._grid import GridCell, join_signs, middle

_SIGNED = r"[-–—−(]*+\s?(?:[A-Z]{0,3}[$€£¥₹])?\s?[-–—−(]*+"
_FIGURE = re.compile(
    rf"{_SIGNED}\s?\.?\d[\d,.’']*+\s?\)?\s?(?:%|x|pts?|ppt)?\s?\)?\s?(?:\([a-z\d]\))?"
    r"|\(?(?:[A-Z]{0,3}[$€£¥₹])?\s?[-–—−]+\s?\)?\s?%?\s?\)?|[$€£¥₹]?\*|[Nn][./]?[AMam]\.?"
)
"""A cell with a figure, or with a sign for a missing value."""

_YEAR = re.compile(r"(?:19|20)\d\d\*?")
_CURRENCIES = {"$", "€", "£", "¥"}
_ORDINALS = {"st", "nd", "rd", "th"}
"""Raised letters, which belong to the number before them."""

_WIDE_GAP = 0.8
"""Smallest space between two cells, in heights of a letter."""

_GAP_AFTER_FIGURE = 0.5
"""Smallest space between a figure and the words of another cell."""

_SAME_LEVEL = 0.4
"""Largest difference of two baselines at one level, in heights of a letter."""

_OVERLAP = 0.2
"""Largest width that words side by side may share, in heights of a letter."""

_SIDE_BY_SIDE = 0.5
"""Largest difference of the baselines of a label and its figures in another size, in heights."""


class PageLine(NamedTuple):
    """A line of a page."""

    text: str
    words: list[GridCell]
    baseline: float
    height: float
    """Height of its letters."""

    cells: list[GridCell]
    """Its parts between wide gaps, the signs of a figure joined to it."""

    is_row: bool
    """Whether its cells after the first are mostly figures, but not all years."""

    edges: Sequence[float]
    """Where vertical lines are drawn at its level."""


def is_figure(text: str) -> bool:
    """Return whether the text of a cell is a figure, or a sign for a missing value."""
    return _FIGURE.fullmatch(text) is not None


def is_year(text: str) -> bool:
    """Return whether the text of a cell is a year."""
    return _YEAR.fullmatch(text) is not None


def line_of_words(
    text: str,
    words: list[GridCell],
    baseline: float,
    height: float,
    edges: Sequence[float] = (),
) -> PageLine:
    """Return a line, with the cells that its words make from left to right.

    Vertical lines end cells where one is drawn in every wide gap, as in a table with borders.

    Args:
        text: Its text.
        words: Its words from left to right.
        baseline: Height of its baseline above the page's bottom.
        height: Height of its letters.
        edges: Where vertical lines are drawn at its level.
    """
    cells = join_signs(_cells(words, height, edges=()))
    if len(cells) > 1 and all(_are_divided(*pair, edges) for pair in pairwise(cells)):
        cells = join_signs(_cells(words, height, edges))
    return PageLine(text, words, baseline, height, cells, _is_row(cells), edges)


def _cells(words: Sequence[GridCell], height: float, edges: Sequence[float]) -> list[GridCell]:
    """Return the cells that words make between wide gaps and between vertical lines."""
    cells: list[GridCell] = []
    last = None
    for word in words:
        is_divided = last is not None and _are_divided(last, word, edges)
        if not cells or is_divided or _begins_cell(word, cells, height):
            cells.append(word)
        else:
            space = "" if _belongs_to_figure(word, cells[-1]) else " "
            cells[-1] = GridCell(cells[-1].start, word.end, f"{cells[-1].text}{space}{word.text}")
        last = word
    return cells


def _is_row(cells: Sequence[GridCell]) -> bool:
    texts = [cell.text for cell in cells[1:]]
    figures = [text for text in texts if is_figure(text)]
    if all(map(is_year, figures)):
        return False
    return 2 * len(figures) >= len(texts) + (figures[-1] != texts[-1])


def _belongs_to_figure(word: GridCell, cell: GridCell) -> bool:
    """Return whether a word is a figure after its sign, or a sign or raised letters after it."""
    if cell.text in _CURRENCIES:
        return is_figure(word.text)
    is_sign = word.text in _ORDINALS or word.text.startswith((")", "%"))
    return is_sign and cell.text[-1] in "0123456789)-–—"


def _are_divided(word: GridCell, following: GridCell, edges: Sequence[float]) -> bool:
    """Return whether a vertical line is drawn between the middles of two words or cells."""
    return any(middle(word) < edge < middle(following) for edge in edges)


def _begins_cell(word: GridCell, cells: Sequence[GridCell], height: float) -> bool:
    """Return whether a word begins another cell than the last one."""
    gap = (word.start - cells[-1].end) / height
    if gap > _WIDE_GAP:
        return True
    if not is_figure(cells[-1].text):
        return False
    is_after_figure = len(cells) > 1 and gap > _GAP_AFTER_FIGURE
    return word.text in _CURRENCIES or (is_after_figure and word.text[0].isalpha())


def merge_neighbours(lines: Sequence[PageLine]) -> list[PageLine]:
    """Join lines that follow one another side by side."""
    merged: list[PageLine] = []
    for line in lines:
        if merged and _are_side_by_side(merged[-1], line):
            merged[-1] = _merge(merged[-1], line)
        else:
            merged.append(line)
    return merged


def merge_levels(lines: Sequence[PageLine]) -> list[PageLine]:
    """Join the lines at one level, and return them from bottom to top."""
    merged: list[PageLine] = []
    for line in sorted(lines, key=lambda line: line.baseline):
        if merged and line.baseline - merged[-1].baseline <= _SAME_LEVEL * line.height:
            merged[-1] = _merge(merged[-1], line)
        else:
            merged.append(line)
    return merged


def _merge(line: PageLine, other: PageLine) -> PageLine:
    words = sorted([*line.words, *other.words])
    text = f"{line.text}\n{other.text}"
    height = max(line.height, other.height)
    edges = [*line.edges, *other.edges]
    return line_of_words(text, words, line.baseline, height, edges)


def _are_side_by_side(line: PageLine, other: PageLine) -> bool:
    if not line.words or not other.words:
        return False
    height = max(line.height, other.height)
    is_level = abs(line.baseline - other.baseline) <= _SIDE_BY_SIDE * height
    return is_level and other.words[0].start - line.words[-1].end > -_OVERLAP * height
