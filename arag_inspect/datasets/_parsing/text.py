"""Plain text of users' documents: text, Markdown, HTML, PDF."""

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from ..._util.errors import InputError
from ..._util.progress import bar
from ...text.layout import unwrap
from .page_cleanup import joint
from .pdf import SECONDS, parse_isolated, read_pdf

SUFFIXES = (".txt", ".md", ".html", ".htm", ".pdf")
"""Suffixes of readable files."""

MOST_BYTES = 100_000_000
"""Largest text, Markdown or HTML file, in bytes."""


class Skipped(NamedTuple):
    """A skipped file."""

    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name} {self.reason}"


def read_texts(paths: Mapping[str, Path]) -> tuple[dict[str, str], list[Skipped]]:
    """Read documents in parallel.

    Args:
        paths: Files by the name of the document.

    Returns:
        The texts of the readable documents, and the skipped ones, both in order.
    """
    texts: dict[str, str] = {}
    skipped: list[Skipped] = []
    with (
        ThreadPoolExecutor(os.cpu_count()) as pool,
        bar("Reading documents")(len(paths)) as advance,
    ):
        for name, text in zip(paths, pool.map(_try_read, paths.values()), strict=True):
            advance()
            if isinstance(text, str):
                texts[name] = text
            else:
                reason = text.message.removeprefix(f"{paths[name]}: ")
                skipped.append(Skipped(name, reason))
    return texts, skipped


def _try_read(path: Path) -> str | InputError:
    try:
        return read_text(path)
    except InputError as error:
        return error


def read_text(path: Path, *, seconds: float = SECONDS) -> str:
    """Read a document as plain text; its suffix determines the format.

    Wrapped and justified paragraphs become one line each, see `unwrap`. HTML and PDF keep each
    row of a table on a line, so that a figure stays beside its label. Both are read in a subprocess with limited time
    and memory; see `parse_isolated`.

    Args:
        path: The file.
        seconds: Time limit for HTML or PDF, in seconds.

    Raises:
        InputError: The file cannot be read, is too large, is damaged, or holds no text; says why.
    """
    try:
        match path.suffix.lower():
            case ".pdf":
                text = _pdf(path, seconds)
            case ".html" | ".htm":
                text = _html(path, seconds)
            case _:
                text = _plain(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text; save it as UTF-8") from None
    if not text.strip():
        raise InputError(f"{path}: holds no text")
    return text if path.suffix.lower() == ".pdf" else unwrap(text)


def _plain(path: Path) -> str:
    _check_size(path)
    return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").replace("\0", "")


def _html(path: Path, seconds: float) -> str:
    _check_size(path)
    return "".join(parse_isolated("html", path, seconds=seconds))


def _check_size(path: Path) -> None:
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise InputError(
            f"{path}: has {size / 1e6:,.0f} MB, more than the {MOST_BYTES / 1e6:.0f} MB of a document"
        )


def _pdf(path: Path, seconds: float) -> str:
    text = ""
    for page in read_pdf(path, seconds=seconds).pages:
        if page:
            between = joint(text.rpartition("\n")[2], page.partition("\n")[0]) if text else ""
            text += between + page
    return text
