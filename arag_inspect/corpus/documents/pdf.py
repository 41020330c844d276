"""Extract the text of PDFs."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from ..._util.bounds import CELLS
from ..._util.encodable import encodable
from ..._util.errors import InputError
from ._html import NOTE
from .page_cleanup import clean_pages

_WORKER = Path(__file__).with_name("_worker.py")

Item = TypeVar("Item")
Result = TypeVar("Result")

SECONDS = 120
"""Time limit per file, in seconds."""

MEGABYTES = 2048
"""Memory limit of the subprocess, in MB."""


class BrokenFileError(InputError):
    """A file without readable text; the message states the file and the cause."""

    def __init__(self, path: Path, cause: str) -> None:
        super().__init__(f"{path}: {cause}")
        self.path = path
        self.cause = cause


def read_in_parallel(read: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Yield the result of each item, in order, with only a few in memory at a time.

    Args:
        read: Reads an item, in one of as many threads as there are cores, at most 8.
        items: Items to read.
    """
    workers = min(8, os.cpu_count() or 1)
    with ThreadPoolExecutor(workers) as pool:
        futures: list[Future[Result]] = []
        for item in items:
            futures.append(pool.submit(read, item))
            if len(futures) > 4 * workers:  # a slow item delays the others only when many wait
                yield futures.pop(0).result()
        for future in futures:
            yield future.result()


def parse_isolated(
    kind: Literal["pdf", "html", "xbrl", "office", "sheet"], path: Path, content: str = ""
) -> list[str]:
    """Read the text of a file; a list of pages or rows if it has them.

    Runs in a subprocess that is killed when it takes longer than `SECONDS` or more memory than
    `MEGABYTES`. Safe to call from several threads.

    Args:
        kind: Kind of file.
        path: The file.
        content: The decoded text of an HTML page, which is not read again.

    Raises:
        BrokenFileError: The parser rejected the file, crashed, or exceeded a limit.
    """
    command = [sys.executable, "-P", str(_WORKER), kind, str(path.absolute())]
    try:
        process = subprocess.run(
            [*command, str(SECONDS), str(MEGABYTES), str(CELLS.maximum)],
            input=content.encode(errors="replace"),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BrokenFileError(path, f"the parser did not finish within {SECONDS} s") from None
    lines: list[Any] = [encodable(json.loads(line)) for line in process.stdout.split(b"\n")[:-1]]
    last = lines.pop() if lines and isinstance(lines[-1], dict) else None
    if last is None:
        location = f" on page {len(lines)}" if kind == "pdf" else ""
        raise BrokenFileError(
            path, f"the parser crashed{location} (exit status {process.returncode})"
        )
    if "problem" in last:
        raise BrokenFileError(path, last["problem"])
    return lines


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
