"""Extract the text of PDFs."""

from dataclasses import dataclass
from pathlib import Path

from .isolated import MEGABYTES, SECONDS, BrokenFileError, parse_isolated
from .page_cleanup import clean_pages

_HEADER_WITHIN = 1024
"""Bytes within which the PDF header must begin."""

_LEAST_CHARACTERS = 8
"""Characters per page; with fewer there is no text layer but stray marks."""


@dataclass(frozen=True, slots=True)
class PdfText:
    """Text of a PDF."""

    pages: tuple[str, ...]
    """Text of each page, from page 0. Paragraphs and table rows are one line each."""


def read_pdf(
    path: Path, *, seconds: float = SECONDS, megabytes: int = MEGABYTES, clean: bool = True
) -> PdfText:
    """Read the text of a PDF, page by page.

    Runs PDFium in a subprocess; see `parse_isolated`.

    Args:
        path: The file.
        seconds: Time limit, in seconds.
        megabytes: Memory limit of the subprocess, in MB.
        clean: Drop running heads and page numbers, repair hyphenation, and put each paragraph on
            one line; see `clean_pages`.

    Raises:
        BrokenFileError: The file is missing, empty, encrypted, truncated, not a PDF or without a
            text layer, or the parser crashed or took too long.
    """
    _check(path)
    try:
        raw_pages = parse_isolated("pdf", path, seconds=seconds, megabytes=megabytes)
    except BrokenFileError as error:
        if error.cause.startswith("is damaged") and b"%%EOF" not in path.read_bytes()[-2048:]:
            raise BrokenFileError(path, "is truncated: its end is missing") from None
        raise
    pages = [page.replace("\r\n", "\n") for page in raw_pages]
    if sum(len("".join(page.split())) for page in pages) < _LEAST_CHARACTERS * len(pages):
        raise BrokenFileError(
            path, "has no text layer (a scan?); run it through text recognition first"
        )
    cleaned = clean_pages(pages) if clean else pages
    if not any(page.strip() for page in cleaned):
        raise BrokenFileError(path, "has no text but running heads (a scan with a stamp?)")
    return PdfText(tuple(cleaned))


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
