"""Plain text of users' documents, read by their format."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import unescape
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from ..._util.errors import InputError
from ..._util.progress import bar
from ...text.layout import unwrap
from ._html import NOTE, PAGE_BREAK
from .decoding import decode, is_binary, other_language
from .formats import is_html, is_submission, join_bodies, page_bodies, plain_filing, read_submission
from .markdown import html_tables, plain_markdown, without_data
from .paging import Pages, find_pages, join_pages
from .pdf import in_parallel, parse_isolated, read_pdf
from .transcripts import read_cues, read_turns, without_time_codes

_HTML = (".html", ".htm", ".xhtml")
_MARKDOWN = (".md", ".markdown")
_BETWEEN = "\ue00e"
"""Separator of Markdown tables that are read together as one page."""

_OFFICE = (".docx", ".pptx", ".xlsx")
_PLAIN: Mapping[str, Callable[[str], str]] = {
    ".txt": without_time_codes,
    ".text": without_time_codes,
    ".md": plain_markdown,
    ".markdown": plain_markdown,
    ".vtt": read_cues,
    ".srt": read_cues,
    ".json": str,
    ".jsonl": str,
}
"""Functions that clean up the text of files without a parser, by suffix."""

_UNSEEN = str.maketrans(
    dict.fromkeys("\u00ad\u200b\u200e\u200f\u202a\u202b\u202c\u2060\ufeff", "")
    | {
        chr(0xFB00 + number): letters
        for number, letters in enumerate(("ff", "fi", "fl", "ffi", "ffl", "st", "st"))
    }
)
"""Invisible characters, which are deleted, and ligatures with their letters."""

_PAGE = re.compile(r"\s*<(?:!doctype html|html)\b", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d{1,6}|[A-Za-z]{2,8});")

_KINDS = {
    b"%PDF-": "a PDF; rename it to .pdf",
    b"PK\3\4": "an office file or archive; rename it to .docx, .pptx or .xlsx",
    b"\xd0\xcf\x11\xe0": "an old office file; save it as .docx, .pptx or .xlsx",
    b"{\\rtf": "RTF; save it as .docx or .txt",
}
"""Actual type, by first bytes, of a file named as text or HTML."""

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


class ReadText(NamedTuple):
    """A document as it was read."""

    text: str
    left_out: str
    """Parts of the file that were left out; empty if there are none."""

    pages: Pages
    """Where the pages of a PDF start, or the parts between the page breaks of HTML; else empty."""


def read_texts(
    paths: Mapping[str, Path], exhibits: Sequence[str] = ()
) -> tuple[dict[str, str], list[Skipped], dict[str, Pages]]:
    """Read documents in parallel.

    Args:
        paths: Files by the name of the document.
        exhibits: Exhibit types to read as well from EDGAR's full submissions.

    Returns:
        The texts of the readable documents, and what was skipped, both in order; and where the
        pages start of those that have some.
    """
    texts: dict[str, str] = {}
    skipped: list[Skipped] = []
    pages: dict[str, Pages] = {}
    results = in_parallel(partial(_try_read, exhibits=exhibits), paths.values())
    with bar("Reading documents")(len(paths)) as advance:
        for name, result in zip(paths, results, strict=True):
            advance()
            if isinstance(result, InputError):
                skipped.append(Skipped(name, result.message.removeprefix(f"{paths[name]}: ")))
                continue
            texts[name] = result.text
            if result.left_out:
                skipped.append(Skipped(name, f"is read without {result.left_out}", partly=True))
            if result.pages:
                pages[name] = result.pages
    return texts, skipped, pages


def _try_read(path: Path, exhibits: Sequence[str]) -> ReadText | InputError:
    try:
        return read_text(path, exhibits)
    except InputError as error:
        return error


def read_text(path: Path, exhibits: Sequence[str] = (), tags: list[str] | None = None) -> ReadText:
    """Read a document as plain text; its suffix determines the format.

    HTML and PDF keep each row of a table on a line, so that a figure stays beside its label. Files
    that need a parser are read in a subprocess with limited time and memory; see `parse_isolated`.

    Args:
        path: The file.
        exhibits: See `read_texts`.
        tags: Receives the tags of inline XBRL, whose figures are then marked; see `_xbrl`.

    Raises:
        InputError: The file cannot be read, is too large, is damaged, or holds no text; says why.
    """
    suffix = path.suffix.lower()
    left_out: list[str] = []
    pages: Pages = ()
    bodies: list[str] = []
    try:
        if suffix == ".pdf":
            text, pages = _pdf(path, left_out)
        elif suffix in _OFFICE:
            lines = parse_isolated("office", path)
            left_out += [line[1:] for line in lines if line.startswith(NOTE)]
            text = "\n".join(line for line in lines if not line.startswith(NOTE))
        else:
            joined, bodies = _written(path, exhibits, left_out, tags)
            text = unwrap(joined)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text; save it as UTF-8") from None
    text = text if text.isascii() else text.translate(_UNSEEN)
    if not text.strip():
        raise InputError(f"{path}: holds no text")
    if len(bodies) > 1:
        pages = find_pages([body.translate(_UNSEEN) for body in bodies], text)
    if language := other_language(text):
        left_out.append(f"the words beside its figures, as it is {language}")
    return ReadText(text, ", ".join(left_out), pages)


def _written(
    path: Path, exhibits: Sequence[str], left_out: list[str], tags: list[str] | None
) -> tuple[str, list[str]]:
    """Read a text, Markdown, HTML or transcript file; add omitted parts to `left_out`.

    Returns:
        The text, and its parts between the page breaks of HTML.
    """
    if (size := path.stat().st_size) > MOST_BYTES:
        size_limit = f"{MOST_BYTES / 1e6:.0f} MB of a document"
        raise InputError(f"{path}: has {size / 1e6:,.0f} MB, more than the {size_limit}")
    is_page = path.suffix.lower() in _HTML
    content = path.read_bytes()
    for start, kind in _KINDS.items():
        if content.startswith(start):
            raise InputError(f"{path}: is {kind}")
    text = decode(content, markup=is_page)
    if is_binary(text):
        raise InputError(f"{path}: looks binary, not text")
    is_page = is_page or _PAGE.match(text) is not None
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    if undecoded_count := text.count("\ufffd"):
        noun = "character" if undecoded_count == 1 else "characters"
        left_out.append(f"{undecoded_count} {noun} that its encoding does not have")
    parts, markup = [text], [is_page]
    if is_submission(text):
        parts, others = read_submission(text, exhibits)
        markup = [is_html(part) for part in parts]
        if others:
            left_out.append(f"{others} (prepare custom --exhibits reads exhibits as well)")
    read = [
        _html(path, part, left_out, tags) if html else [_plain(path, part, left_out)]
        for part, html in zip(parts, markup, strict=True)
    ]
    return "\n\n".join(map(join_bodies, read)), list(chain.from_iterable(read))


def _plain(path: Path, text: str, left_out: list[str]) -> str:
    try:
        read = _PLAIN.get(path.suffix.lower(), without_time_codes)
        if path.suffix.lower() in (".json", ".jsonl"):
            text = read_turns(text, left_out)
        elif path.suffix.lower() in _MARKDOWN:
            text = _with_html_tables(path, text, left_out)
        text = without_data(read(plain_filing(text)))
        return _ENTITY.sub(lambda entity: unescape(entity[0]), text)
    except ValueError as error:
        raise InputError(f"{path}: is not JSON ({error})") from None


def _with_html_tables(path: Path, text: str, left_out: list[str]) -> str:
    """Return Markdown with the rows of its HTML tables as lines."""
    parts = html_tables(text)
    tables = [part for part, is_table in parts if is_table]
    if not tables:
        return text
    page = f"<p>{_BETWEEN}</p>".join(tables)
    read = iter(join_bodies(_html(path, page, left_out)).split(_BETWEEN))
    return "".join(f"\n{next(read).strip()}\n" if is_table else part for part, is_table in parts)


def _html(path: Path, html: str, left_out: list[str], tags: list[str] | None = None) -> list[str]:
    """Return the text of a page, split at its page breaks."""
    text, *notes = parse_isolated("html" if tags is None else "xbrl", path, html) or [""]
    if tags is not None and notes:
        tags.append(notes.pop())
    left_out += [note.removeprefix(NOTE) for note in notes]
    return page_bodies(text.split(PAGE_BREAK)) if PAGE_BREAK in text else [text]


def _pdf(path: Path, left_out: list[str]) -> tuple[str, Pages]:
    return join_pages([page.translate(_UNSEEN) for page in read_pdf(path, left_out)])
