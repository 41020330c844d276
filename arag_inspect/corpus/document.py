"""A source document: named sections of plain text."""

from bisect import bisect_right
from dataclasses import dataclass
from typing import NamedTuple


class PageStart(NamedTuple):
    """Start of a page in a section's text."""

    offset: int
    """Offset in the text, in characters."""

    page: int
    """Page of the document, from 0."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document that no chunk crosses."""

    title: str
    """Name of the part, e.g. `Prepared Remarks` or `Risk Factors`; empty if a document has no
    parts.
    """

    text: str
    """Plain text. A line break ends a sentence, except in wrapped paragraphs, see `unwrap`."""

    prefix: str
    """Prefix of each chunk, e.g. `[COMPANY: AAN | TYPE: EARNINGS_CALL | PERIOD: Q3_2021]`."""

    whole: bool = False
    """Whether the section is one chunk, however long, because its source is already chunked."""

    pages: tuple[PageStart, ...] = ()
    """Pages of the text in order, the first at offset 0; empty if a document has none."""

    together: tuple[tuple[int, int], ...] = ()
    """Spans (start, end) kept in one chunk if they fit: tables."""

    def page_at(self, offset: int) -> int | None:
        """Return the page of an offset; None if there are no pages."""
        if not self.pages:
            return None
        index = bisect_right(self.pages, offset, key=lambda start: start.offset)
        return self.pages[max(0, index - 1)].page


@dataclass(frozen=True, slots=True)
class Document:
    """A source document: an earnings call, a filing."""

    doc_id: str
    """Unique within the corpus."""

    company: str
    """Ticker or name, as in the prefix."""

    period: str
    """Reporting period, as in the prefix, e.g. `Q3_2021`."""

    sections: tuple[Section, ...]
    """Parts in reading order."""
