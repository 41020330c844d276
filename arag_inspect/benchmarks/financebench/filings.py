"""Convert the PDFs of filings into documents with sections, tables and pages."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from arag_inspect.corpus import Document, PageStart, Section
from arag_inspect.corpus.documents.isolated import BrokenFileError
from arag_inspect.corpus.documents.page_cleanup import separator_between
from arag_inspect.corpus.documents.pdf import read_pdf

from .._shared.filing_items import FilingLine
from .._shared.filing_sections import FilingKind, find_sections

_NAME = re.compile(
    r".+?(?:_(?P<period>\d{4}(?:Q[1-4])?))?_(?P<form>10K|10Q|8K|EARNINGS|annualreport)"
    r"(?:[_-]+(?:dated[_-])?(?P<date>\d{4}-\d\d-\d\d))?.*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Filing:
    """A filing that has not been read yet."""

    doc_id: str
    company: str
    kind: FilingKind
    year: int
    """Fiscal year, as counted by the data set."""

    label: str
    """Form and period, as in the prefix, e.g. `10K_2018`."""

    path: Path

    @property
    def period(self) -> str:
        """Year and quarter, e.g. `2018` or `2024Q2`."""
        return self.label.partition("_")[2]


@dataclass(frozen=True, slots=True)
class ReadFiling:
    """A filing with its text or its problem."""

    filing: Filing
    document: Document | None = None
    pages: int = 0
    sections: tuple[str, ...] = ()
    """Titles of the parts; empty if none were found."""

    left_out: tuple[str, ...] = ()
    """Unread parts of the PDF."""

    problem: BrokenFileError | None = None


def filing_label(doc_id: str, year: int) -> str:
    """Return form and period from a document's name: `10K_2018`, `10Q_2024Q2`, `8K_2022-05-20`."""
    match = _NAME.fullmatch(doc_id)
    if match is None:
        return f"FILING_{year}"
    return f"{match['form'].upper()}_{match['date'] or match['period'] or year}"


def read_filing(filing: Filing) -> ReadFiling:
    """Read a filing; a broken PDF is returned with its problem."""
    try:
        pdf = read_pdf(filing.path)
    except BrokenFileError as error:
        return ReadFiling(filing, problem=error)
    document = make_document(filing, pdf.pages)
    titles = tuple(section.title for section in document.sections if section.title)
    return ReadFiling(filing, document, len(pdf.pages), titles, pdf.left_out)


def make_document(filing: Filing, pages: Sequence[str]) -> Document:
    """Split the text of a filing into sections; into a single section if none are found."""
    lines: list[FilingLine] = []
    for page, content in enumerate(pages):
        lines += [FilingLine(page, line) for line in content.split("\n") if line]
    headings = find_sections(lines, filing.kind)
    starts = [heading.line for heading in headings] or [0]
    titles = [heading.title for heading in headings] or [""]
    sections = [
        _make_section(filing, title, lines[start:end])
        for title, (start, end) in zip(titles, pairwise([*starts, len(lines)]), strict=True)
    ]
    return Document(filing.doc_id, filing.company, filing.period, tuple(sections))


def _make_section(filing: Filing, title: str, lines: Sequence[FilingLine]) -> Section:
    fields = [f"COMPANY: {filing.company}", f"FILING: {filing.label}"]
    if title:
        fields.append(f"SECTION: {title}")
    text = ""
    pages: list[PageStart] = []
    previous: FilingLine | None = None
    for line in lines:
        starts_page = previous is None or previous.page != line.page
        if previous is not None:
            text += separator_between(previous.text, line.text) if starts_page else "\n"
        if starts_page:
            pages.append(PageStart(len(text), line.page))
        text += line.text
        previous = line
    prefix = f"[{' | '.join(fields)}]"
    return Section(title, text, prefix, pages=tuple(pages))
