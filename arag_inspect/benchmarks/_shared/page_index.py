"""Find the parts of a filing by the pages in its index, if its text lacks item headings.

Large companies file their annual report with a cross-reference index:
`Item 1A. Risk Factors 38-45`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from .filing_items import FRONT, FilingLine, Heading, Item

OTHER = "Other Pages"
"""Title of pages outside of the index."""

_ROW = re.compile(
    r"(?:part\s*[ivx]+\W+)?(?:items?\s*)?(?P<number>\d{1,2})\s?[.(]?"
    r"(?P<letter>[a-d]\b)?[).:|\s—–-]*(?P<title>[a-z].*|)$",
    re.IGNORECASE,
)
_PAGES = r"(?P<first>\d{1,3})(?:\s{0,3}(?:[-–—]|to|through)\s{0,3}(?P<last>\d{1,3}))?(?![\d%]|\.\d)"
_NAMED = re.compile(rf"\b(?:pages?|pp?\.)\s*{_PAGES}", re.IGNORECASE)
_TRAILING = re.compile(
    rf"(?:^|(?<=[\s.(|]))(?<!note ){_PAGES}(?:\s{{0,3}}(?:[,;&–—-]|and|to)"
    rf"\s{{0,3}}\d{{1,3}}){{0,20}}[\s).]{{0,9}}$",
    re.IGNORECASE,
)
"""Pages at the end of a row: `4-12, 78`; the first belong to the main text."""

_LEAST_ROWS = 4
_LONGEST_ROW = 250
_LONGEST_HEADING = 120
"""Longest heading, in characters."""


class _IndexRow(NamedTuple):
    """A row of the index."""

    line: int
    page: int
    """Page of the document with the row, from 0."""

    item: Item
    first: int
    """First printed page of the item; -1 if the row has none."""

    last: int
    """Last printed page; 0 if the row has only the first."""


class _ItemPages(NamedTuple):
    """Pages of an item, from 0 as in the document."""

    item: Item
    first: int
    last: int


@dataclass(frozen=True)
class PageIndex:
    """An index of items by page; empty if a filing has none."""

    rows: Sequence[_IndexRow]

    @cached_property
    def line_numbers(self) -> frozenset[int]:
        """Numbers of the lines that are rows of the index, not headings."""
        return frozenset(row.line for row in self.rows)

    def headings(self, lines: Sequence[FilingLine]) -> list[Heading]:
        """Return the start of each part; empty if the printed page numbers do not match pages.

        Printed page numbers differ from the document's by a constant, chosen so that most items
        begin on a page with their title. At least two must agree.
        """
        if not lines or lines[-1].page == 0:
            return []
        title_lines = self._title_lines(lines)
        differences: Counter[int] = Counter()
        for row in self.rows:
            if row.first >= 0:
                differences.update(page - row.first for page in title_lines[row.item])
        if not differences:
            return []
        difference, count = min(differences.items(), key=lambda pair: (-pair[1], abs(pair[0])))
        if count < 2:
            return []
        parts = self._item_pages(difference, lines[-1].page)
        first_lines = {page: next(group)[0] for page, group in groupby(enumerate(lines), _page_of)}
        titles = [(page, _part_on(page, parts)) for page in first_lines]
        headings: list[Heading] = []
        for part, pages in groupby(titles, key=lambda pair: pair[1]):
            page = next(pages)[0]
            start = first_lines[page]
            if part is None:
                headings.append(Heading(start, OTHER if headings else FRONT))
            else:
                headings.append(Heading(title_lines[part.item].get(page, start), part.item.title))
        return headings

    def _title_lines(self, lines: Sequence[FilingLine]) -> dict[Item, dict[int, int]]:
        """Return for each item the pages with a line that begins with its title, and that line."""
        title_lines: dict[Item, dict[int, int]] = {row.item: {} for row in self.rows}
        for number, line in enumerate(lines):
            if number in self.line_numbers or not 0 < len(line.text) <= _LONGEST_HEADING:
                continue
            for item, pages in title_lines.items():
                if item.fits(line.text):
                    pages.setdefault(line.page, number)
        return title_lines

    def _item_pages(self, difference: int, last_page: int) -> list[_ItemPages]:
        """Return the items with their pages.

        Without ranges, as in a table of contents, an item ends where the next begins.
        """
        rows = sorted((row for row in self.rows if row.first >= 0), key=attrgetter("first"))
        has_ranges = any(row.last for row in rows)
        next_starts = [row.first for row in rows[1:]]
        next_starts.append(last_page - difference + 1)
        pages = []
        for row, after in zip(rows, next_starts, strict=True):
            last = row.last or row.first if has_ranges else max(row.first, after - 1)
            pages.append(_ItemPages(row.item, row.first + difference, last + difference))
        return pages


def read_page_index(lines: Sequence[FilingLine], items: Sequence[Item]) -> PageIndex:
    """Find the index of a filing: rows on adjacent pages, at least four with the item's pages.

    Each item occurs once; rows before the first and after the last row with pages are headings.
    """
    groups: list[list[_IndexRow]] = []
    for row in _index_rows(lines, items):
        group = groups[-1] if groups else []
        is_near = bool(group) and row.page - group[-1].page <= 1
        if is_near and row.item not in [earlier.item for earlier in group]:
            group.append(row)
        else:
            groups.append([row])
    group = max(groups, key=_count_with_pages, default=[])
    ends = [number for number, row in enumerate(group) if row.first >= 0]
    if len(ends) < _LEAST_ROWS:
        return PageIndex(())
    rows = group[ends[0] : ends[-1] + 1]
    return PageIndex(rows if 2 * len(ends) >= len(rows) else ())


def _index_rows(lines: Sequence[FilingLine], items: Sequence[Item]) -> Iterator[_IndexRow]:
    matches = [_ROW.match(line.text) for line in lines]
    for index, (line, match) in enumerate(zip(lines, matches, strict=True)):
        if match is None or len(line.text) > _LONGEST_ROW:
            continue
        lines_below = [other.text for other in lines[index + 1 : index + 6]]
        title = match["title"] or " ".join(lines_below[:1])
        number = match["number"] + (match["letter"] or "").upper()
        item = next((item for item in items if item.number == number and item.fits(title)), None)
        if item is not None:
            first, last = _pages([match["title"], *_lines_of_row(lines_below)])
            yield _IndexRow(index, line.page, item, first, last)


def _lines_of_row(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines below a row up to the next row."""
    for line in lines:
        if len(line) > _LONGEST_HEADING or (_ROW.match(line) and not _TRAILING.match(line)):
            return
        yield line


def _pages(texts: Sequence[str]) -> tuple[int, int]:
    """Return the first and last page in a row; -1 and 0 if missing."""
    for text in texts:
        match = _NAMED.search(text) or _TRAILING.search(text)
        if match is not None:
            return int(match["first"]), int(match["last"] or 0)
    return -1, 0


def _count_with_pages(rows: Sequence[_IndexRow]) -> int:
    return sum(row.first >= 0 for row in rows)


def _page_of(numbered: tuple[int, FilingLine]) -> int:
    return numbered[1].page


def _part_on(page: int, parts: Sequence[_ItemPages]) -> _ItemPages | None:
    """Return the part of a page: among the parts that include it, the last to begin."""
    including = [part for part in parts if part.first <= page <= part.last]
    return max(including, key=lambda part: (part.first, -part.last), default=None)
