"""Plain text of documents as people have them: text, Markdown, HTML, PDF."""

from pathlib import Path

from ..._util.errors import InputError
from .isolated import SECONDS, parse_isolated
from .page_cleanup import continues
from .pdf import read_pdf

SUFFIXES = (".txt", ".md", ".html", ".htm", ".pdf")
"""Ends of the names of files that can be read."""

MOST_BYTES = 100_000_000
"""Of a text, Markdown or HTML file; more than that is no document."""


def read_text(path: Path, *, seconds: float = SECONDS) -> str:
    """Read a document as plain text, by the end of its name.

    HTML and PDF keep each row of a table on a line, so that a figure stays
    beside its label. Both are read in a process of its own, bounded in time
    and memory; see `parse_isolated`.

    Args:
        path: The file.
        seconds: Longest time for HTML or PDF, on the clock.

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
    return text


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
        if not page:
            continue
        goes_on = continues(text.rpartition("\n")[2], page.partition("\n")[0])
        text += f"{(' ' if goes_on else chr(10)) if text else ''}{page}"
    return text
