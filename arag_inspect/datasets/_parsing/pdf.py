"""The text of PDFs."""

from dataclasses import dataclass
from pathlib import Path

from .isolated import MEGABYTES, SECONDS, BrokenFileError, parse_isolated
from .page_cleanup import clean_pages

_HEADER_WITHIN = 1024
"""Bytes from the beginning within which a PDF says that it is one."""

_LEAST_CHARACTERS = 8
"""Of an average page; with fewer there is no text layer but stray marks."""


@dataclass(frozen=True, slots=True)
class PdfText:
    """Text of a PDF."""

    pages: tuple[str, ...]
    """Text of each page, from page 0. Paragraphs and table rows are one line each."""


def read_pdf(
    path: Path, *, seconds: float = SECONDS, megabytes: int = MEGABYTES, clean: bool = True
) -> PdfText:
    """Read the text of a PDF, page by page.

    PDFium does it, in a process of its own; see `parse_isolated`.

    Args:
        path: The file.
        seconds: Longest time, on the clock.
        megabytes: Most memory of the process that reads.
        clean: Drop running heads and page numbers, mend hyphenation, and put each paragraph on one line; see `clean_pages`.

    Raises:
        BrokenFileError: The file is missing, empty, encrypted, truncated, no PDF, without a text layer, or the parser crashed or took too long.
    """
    _check(path)
    try:
        read = parse_isolated("pdf", path, seconds=seconds, megabytes=megabytes)
    except BrokenFileError as error:
        if error.cause.startswith("is damaged") and b"%%EOF" not in path.read_bytes()[-2048:]:
            raise BrokenFileError(path, "is truncated: its end is missing") from None
        raise
    pages = [page.replace("\r\n", "\n") for page in read]
    if sum(len("".join(page.split())) for page in pages) < _LEAST_CHARACTERS * len(pages):
        raise BrokenFileError(
            path, "has no text layer (a scan?); run it through text recognition first"
        )
    cleaned = clean_pages(pages) if clean else pages
    if not any(page.strip() for page in cleaned):
        raise BrokenFileError(path, "has no text but running heads (a scan with a stamp?)")
    return PdfText(tuple(cleaned))


def _check(path: Path) -> None:
    """Tell what needs no parser to be seen."""
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
