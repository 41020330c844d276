"""Plain text of users' documents."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from html import unescape
from pathlib import Path
from typing import NamedTuple

from ..._util.errors import InputError
from ..._util.progress import bar
from ...text.layout import unwrap
from ._html import PAGE_BREAK
from ._office import NOTE
from .edgar import is_html, is_submission, plain_filing, read_submission, without_heads
from .encoding import decode, is_binary, other_language
from .markdown import plain_markdown, without_data
from .page_cleanup import joint
from .pdf import SECONDS, parse_isolated, read_pdf
from .transcripts import read_cues, read_turns, without_time_codes

_HTML = (".html", ".htm", ".xhtml")
_OFFICE = (".docx", ".pptx", ".xlsx")
_PLAIN: Mapping[str, Callable[[str], str]] = {
    ".txt": without_time_codes,
    ".text": without_time_codes,
    ".md": plain_markdown,
    ".markdown": plain_markdown,
    ".vtt": read_cues,
    ".srt": read_cues,
    ".json": read_turns,
}
"""What is done with the text of a file that needs no parser, by suffix."""

_ENTITY = re.compile(r"&(?:#\d{1,6}|[A-Za-z]{2,8});")

SUFFIXES = (*_PLAIN, *_HTML, ".pdf", *_OFFICE)
"""Suffixes of readable files."""

MOST_BYTES = 100_000_000
"""Largest text, Markdown or HTML file, in bytes."""


class Skipped(NamedTuple):
    """A skipped file, or a part of one."""

    name: str
    reason: str
    partly: bool = False
    """Whether the rest of the file is read."""

    def __str__(self) -> str:
        return f"{self.name} {self.reason}"


def read_texts(
    paths: Mapping[str, Path], exhibits: Sequence[str] = ()
) -> tuple[dict[str, str], list[Skipped]]:
    """Read documents in parallel.

    Args:
        paths: Files by the name of the document.
        exhibits: Types of exhibits of EDGAR's full submissions to read as well.

    Returns:
        The texts of the readable documents, and what was skipped, both in order.
    """
    texts: dict[str, str] = {}
    skipped: list[Skipped] = []
    with (
        ThreadPoolExecutor(os.cpu_count()) as pool,
        bar("Reading documents")(len(paths)) as advance,
    ):
        results = pool.map(partial(_try_read, exhibits=exhibits), paths.values())
        for name, result in zip(paths, results, strict=True):
            advance()
            if isinstance(result, InputError):
                skipped.append(Skipped(name, result.message.removeprefix(f"{paths[name]}: ")))
                continue
            texts[name], left_out = result
            if left_out:
                skipped.append(Skipped(name, f"is read without {left_out}", partly=True))
    return texts, skipped


def _try_read(path: Path, exhibits: Sequence[str]) -> tuple[str, str] | InputError:
    try:
        return _read(path, SECONDS, exhibits)
    except InputError as error:
        return error


def read_text(path: Path, *, seconds: float = SECONDS) -> str:
    """Read a document as plain text; its suffix determines the format.

    HTML and PDF keep each row of a table on a line, so that a figure stays
    beside its label. Files that need a parser are read in a subprocess with limited time
    and memory; see `parse_isolated`.

    Args:
        path: The file.
        seconds: Time limit for a parser, in seconds.

    Raises:
        InputError: The file cannot be read, is too large, is damaged, or holds no text; says why.
    """
    return _read(path, seconds, ())[0]


def _read(path: Path, seconds: float, exhibits: Sequence[str]) -> tuple[str, str]:
    """Return the text of a file, and what of it was left out."""
    suffix = path.suffix.lower()
    left_out: list[str] = []
    try:
        if suffix == ".pdf":
            text = _pdf(path, seconds)
        elif suffix in _OFFICE:
            lines = parse_isolated("office", path, seconds=seconds)
            left_out += [line[1:] for line in lines if line.startswith(NOTE)]
            text = "\n".join(line for line in lines if not line.startswith(NOTE))
        else:
            text = unwrap(_written(path, seconds, exhibits, left_out))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text; save it as UTF-8") from None
    if not text.strip():
        raise InputError(f"{path}: holds no text")
    if language := other_language(text):
        left_out.append(f"the words beside its figures, as it is {language}")
    return text, ", ".join(left_out)


def _written(path: Path, seconds: float, exhibits: Sequence[str], left_out: list[str]) -> str:
    """Read a text, Markdown, HTML or transcript file; adds to what is left out of it."""
    if (size := path.stat().st_size) > MOST_BYTES:
        most = f"{MOST_BYTES / 1e6:.0f} MB of a document"
        raise InputError(f"{path}: has {size / 1e6:,.0f} MB, more than the {most}")
    is_page = path.suffix.lower() in _HTML
    text = decode(path.read_bytes(), markup=is_page)
    if is_binary(text):
        raise InputError(f"{path}: is a binary file, no text")
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    if lost := text.count("\ufffd"):
        left_out.append(f"{lost} signs that its encoding does not have")
    parts, markup = [text], [is_page]
    if is_submission(text):
        parts, others = read_submission(text, exhibits)
        markup = [is_html(part) for part in parts]
        if others:
            left_out.append(f"{others} (prepare custom --exhibits reads exhibits as well)")
    return "\n\n".join(
        _html(path, part, seconds) if html else _plain(path, part)
        for part, html in zip(parts, markup, strict=True)
    )


def _plain(path: Path, text: str) -> str:
    try:
        read = _PLAIN.get(path.suffix.lower(), without_time_codes)
        text = without_data(read(plain_filing(text)))
        return _ENTITY.sub(lambda entity: unescape(entity[0]), text)
    except ValueError as error:
        raise InputError(f"{path}: is no JSON ({error})") from None


def _html(path: Path, html: str, seconds: float) -> str:
    text = "".join(parse_isolated("html", path, html, seconds=seconds))
    return without_heads(text.split(PAGE_BREAK)) if PAGE_BREAK in text else text


def _pdf(path: Path, seconds: float) -> str:
    text = ""
    for page in read_pdf(path, seconds=seconds):
        if page:
            between = joint(text.rpartition("\n")[2], page.partition("\n")[0]) if text else ""
            text += between + page
    return text
