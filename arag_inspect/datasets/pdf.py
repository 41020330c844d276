"""The text of PDFs, read in a process that may crash, hang or be refused memory without harm."""

import json
import math
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InputError
from .pages import clean_pages

_WORKER = Path(__file__).with_name("_pdf_worker.py")
_HEADER_WITHIN = 1024
"""Bytes from the beginning within which a PDF says that it is one."""

_LEAST_CHARACTERS = 8
"""Of an average page; with fewer there is no text layer but stray marks."""


class BrokenPdfError(InputError):
    """A PDF that holds no readable text; says which file, and why."""

    def __init__(self, path: Path, cause: str) -> None:
        super().__init__(f"{path}: {cause}")
        self.path, self.cause = path, cause


@dataclass(frozen=True, slots=True)
class PdfText:
    """Text of a PDF."""

    pages: tuple[str, ...]
    """Text of each page, from page 0. Paragraphs and table rows are one line each."""


def read_pdf(
    path: Path, *, seconds: float = 120, megabytes: int = 2048, clean: bool = True
) -> PdfText:
    """Read the text of a PDF, page by page.

    PDFium does it, in a process of its own that is ended when it takes too
    long. Safe to call from several threads at once, which is how to read many
    files in parallel.

    Args:
        path: The file.
        seconds: Longest time, on the clock.
        megabytes: Most memory of the process that reads.
        clean: Drop running heads and page numbers, mend hyphenation, and put each paragraph on one line; see `clean_pages`.

    Raises:
        BrokenPdfError: The file is missing, empty, encrypted, truncated, no PDF, without a text layer, or the parser crashed or took too long.
    """
    _check(path)
    command = [sys.executable, "-P", str(_WORKER), str(path.absolute())]
    limits = [str(math.ceil(seconds)), str(megabytes)]
    try:
        done = subprocess.run(
            [*command, *limits],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BrokenPdfError(path, f"the parser did not end within {seconds:g} s") from None
    pages = _pages(path, done)
    if sum(len("".join(page.split())) for page in pages) < _LEAST_CHARACTERS * len(pages):
        raise BrokenPdfError(
            path, "has no text layer (a scan?); run it through text recognition first"
        )
    return PdfText(tuple(clean_pages(pages) if clean else pages))


def _check(path: Path) -> None:
    """Tell what needs no parser to be seen."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER_WITHIN)
    except OSError as error:
        raise BrokenPdfError(path, f"cannot be read ({error.strerror})") from None
    if not head:
        raise BrokenPdfError(path, "is empty (0 bytes)")
    if b"%PDF-" not in head:
        raise BrokenPdfError(path, "is no PDF")


def _pages(path: Path, done: subprocess.CompletedProcess[bytes]) -> list[str]:
    lines = done.stdout.split(b"\n")[:-1]
    read: list[Any] = [json.loads(line) for line in lines]
    last = read.pop() if read and isinstance(read[-1], dict) else None
    if last is None:
        raise BrokenPdfError(path, f"the parser crashed on page {len(read)} ({_ending(done)})")
    if "problem" in last:
        damaged = last["problem"].startswith("is damaged")
        cut = damaged and b"%%EOF" not in path.read_bytes()[-2048:]
        raise BrokenPdfError(path, "is truncated: its end is missing" if cut else last["problem"])
    return [page.replace("\r\n", "\n") for page in read]


def _ending(done: subprocess.CompletedProcess[bytes]) -> str:
    if done.returncode < 0:
        return signal.Signals(-done.returncode).name
    return f"exit status {done.returncode}"
