"""Track the pages of a document while its text is joined and cut into sections."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ..chunking import Document, PageStart, Section
from .page_cleanup import separator_between

Pages = tuple[PageStart, ...]

_WORDS = 12
"""Number of words by which the start of a page is found."""


def join_pages(pages: Sequence[str]) -> tuple[str, Pages]:
    """Join pages into one text, so that sentences may cross pages; return where each starts."""
    text = ""
    starts = []
    for number, page in enumerate(pages):
        if page:
            text += (
                separator_between(text.rpartition("\n")[2], page.partition("\n")[0]) if text else ""
            )
            starts.append(PageStart(len(text), number))
            text += page
    return text, tuple(starts)


def find_pages(pages: Sequence[str], text: str) -> Pages:
    """Return where pages start in their joined text; pages that are not found are omitted."""
    starts: list[PageStart] = []
    end = 0
    for number, page in enumerate(pages):
        words = page.split(maxsplit=_WORDS)[:_WORDS]
        match = re.compile(r"\s+".join(map(re.escape, words))).search(text, end)
        if words and match:
            starts.append(PageStart(match.start(), number))
            end = match.end()
    return tuple(starts)


def add_pages(document: Document, text: str, pages: Pages) -> Document:
    """Return a document whose sections know their pages.

    Args:
        document: The document; its sections are parts of the text, in order.
        text: The whole text.
        pages: Where the pages of the text start; empty if it has none.
    """
    if not pages:
        return document
    sections: list[Section] = []
    end = 0
    for section in document.sections:
        start = text.find(section.text, end)
        if start < 0:  # its text was changed, so that its pages are not known
            sections.append(section)
            continue
        end = start + len(section.text)
        sections.append(replace(section, pages=_pages_between(pages, start, end)))
    return replace(document, sections=tuple(sections))


def _pages_between(pages: Pages, start: int, end: int) -> Pages:
    """Return the pages of a part of a text, by their offsets in the part."""
    first = [page for page in pages if page.offset <= start][-1:] or pages[:1]
    later = [page for page in pages if start < page.offset < end]
    starts = [PageStart(0, page.page) for page in first]
    starts += [PageStart(page.offset - start, page.page) for page in later]
    return tuple(starts)
