"""Extract the text of PDFs."""

from pathlib import Path
from typing import NamedTuple

from ._html import NOTE
from .isolated import BrokenFileError, parse_isolated
from .page_cleanup import clean_pages

_HEADER_WITHIN = 1024
"""Bytes within which the PDF header must begin."""

_LEAST_CHARACTERS = 8
"""Minimum characters per page of a text layer; fewer are stray marks."""


class PdfText(NamedTuple):
    """The text of a PDF."""

    pages: list[str]
    left_out: tuple[str, ...] = ()
    """Number of pages with pictures or drawings but no text, in words; empty if none."""


def read_pdf(path: Path) -> PdfText:
    """Read the text of each page of a PDF; paragraphs and table rows are one line each.

    Runs PDFium in a subprocess (see `parse_isolated`), drops running heads and page numbers, and
    repairs hyphenation (see `clean_pages`).

    Args:
        path: The file.

    Raises:
        BrokenFileError: The file is missing, empty, encrypted, truncated, not a PDF or without a
            text layer, or the parser crashed or took too long.
    """
    _check(path)
    raw_pages = parse_isolated("pdf", path)
    pages = [page.replace("\r\n", "\n").replace(NOTE, "") for page in raw_pages]
    if sum(len("".join(page.split())) for page in pages) < _LEAST_CHARACTERS * len(pages):
        raise BrokenFileError(
            path, "has no text layer (a scan?); run it through text recognition first"
        )
    cleaned = clean_pages(pages)
    if not any(page.strip() for page in cleaned):
        raise BrokenFileError(path, "has no text except running heads (a scan with a stamp?)")
    unread = raw_pages.count(NOTE)
    if not unread:
        return PdfText(cleaned)
    left_out = f"{unread} of {len(pages)} pages, which have no text layer (scans?)"
    return PdfText(cleaned, (left_out,))


def _check(path: Path) -> None:
    """Check that a file is a readable PDF, without a parser."""
    if path.exists() and not path.is_file():
        raise BrokenFileError(path, "is not a file")
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER_WITHIN)
    except OSError as error:
        raise BrokenFileError(path, f"cannot be read ({error.strerror})") from None
    if not head:
        raise BrokenFileError(path, "is empty (0 bytes)")
    if b"%PDF-" not in head:
        raise BrokenFileError(path, "is not a PDF")
