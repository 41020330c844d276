"""A document as the corpus takes it in: named sections of plain text."""

from bisect import bisect_right
from dataclasses import dataclass
from typing import NamedTuple


class PageStart(NamedTuple):
    """Where a page begins in a section's text."""

    offset: int
    """Character of the text."""

    page: int
    """Page of the document, from 0."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document that no chunk crosses."""

    title: str
    """Name of the part, e.g. `Prepared Remarks` or `Risk Factors`; empty where a document has no parts."""

    text: str
    """Plain text. A line break always ends a sentence."""

    prefix: str
    """What stands before each chunk, e.g. `[COMPANY: AAN | TYPE: EARNINGS_CALL | PERIOD: Q3_2021]`."""

    whole: bool = False
    """Whether the part is one chunk as it stands, however long: somebody else has cut it."""

    pages: tuple[PageStart, ...] = ()
    """Pages of the text in order, the first at offset 0; empty where a document has none."""

    together: tuple[tuple[int, int], ...] = ()
    """Stretches of the text, as (start, end), that are kept in one chunk where they fit into one: tables."""

    def page_at(self, offset: int) -> int | None:
        """Page on which a character of the text stands; None where there are no pages."""
        if not self.pages:
            return None
        place = bisect_right(self.pages, offset, key=lambda start: start.offset)
        return self.pages[max(0, place - 1)].page


@dataclass(frozen=True, slots=True)
class Document:
    """A source document: an earnings call, a filing."""

    doc_id: str
    """Unique within the corpus."""

    company: str
    """Ticker or name, as it stands in the prefix."""

    period: str
    """Reporting period, as it stands in the prefix, e.g. `Q3_2021`."""

    sections: tuple[Section, ...]
    """Parts in reading order."""
