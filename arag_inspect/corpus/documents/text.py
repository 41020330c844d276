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
from .isolated import parse_isolated, read_in_parallel
from .markdown import drop_data, html_tables, plain_markdown
from .paging import Pages, find_pages, join_pages
from .pdf import read_pdf
from .transcripts import drop_time_codes, read_cues, read_turns

_HTML = (".html", ".htm", ".xhtml")
_MARKDOWN = (".md", ".markdown")
_BETWEEN = "\ue00e"
"""Separator of Markdown tables that are read together as one page."""

_OFFICE = (".docx", ".pptx", ".xlsx")
_PLAIN: Mapping[str, Callable[[str], str]] = {
    ".txt": drop_time_codes,
    ".text": drop_time_codes,
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
    left_out: str = ""
    """Parts of the file that are not in the text, as a list for messages."""

    pages: Pages = ()
    """Where the pages of a PDF, or of HTML with page breaks, start; else empty."""

    tags: tuple[str, ...] = ()
    """Tags of inline XBRL as JSON, if requested."""


class ReadTexts(NamedTuple):
    """Documents as they were read, by name and in order."""

    texts: dict[str, str]
    """Texts of the readable documents."""

    skipped: list[Skipped]
    pages: dict[str, Pages]
    """Where the pages of each document with pages start."""


class _ReadPart(NamedTuple):
    """Result of a parser for a part of a file."""

    bodies: Sequence[str]
    """Its text, split at the page breaks of HTML."""

    left_out: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


def read_texts(paths: Mapping[str, Path], exhibits: Sequence[str] = ()) -> ReadTexts:
    """Read documents in parallel.

    Args:
        paths: Files by the name of the document.
        exhibits: Exhibit types to read as well from EDGAR's full submissions.
    """
    texts: dict[str, str] = {}
    skipped: list[Skipped] = []
    pages: dict[str, Pages] = {}
    results = read_in_parallel(partial(_try_read, exhibits=exhibits), paths.values())
    with bar("Reading documents")(len(paths)) as advance:
        for name, result in zip(paths, results, strict=True):
            advance()
            if isinstance(result, InputError):
                skipped.append(Skipped(name, result.message.removeprefix(f"{paths[name]}: ")))
                continue
            texts[name] = result.text
            if result.left_out:
                reason = f"is read without {result.left_out}"
                skipped.append(Skipped(name, reason, partly=True))
            if result.pages:
                pages[name] = result.pages
    return ReadTexts(texts, skipped, pages)


def _try_read(path: Path, exhibits: Sequence[str]) -> ReadText | InputError:
    try:
        return read_text(path, exhibits)
    except InputError as error:
        return error


def read_text(path: Path, exhibits: Sequence[str] = (), *, with_tags: bool = False) -> ReadText:
    """Read a document as plain text; its suffix determines the format.

    HTML and PDF keep each row of a table on a line, so that a figure stays beside its label. Files
    that need a parser are read in a subprocess with limited time and memory; see `parse_isolated`.

    Args:
        path: The file.
        exhibits: See `read_texts`.
        with_tags: Read the tags of inline XBRL too, and mark their figures; see `_xbrl`.

    Raises:
        InputError: The file is unreadable, is too large, is damaged, or contains no text; says
            why.
    """
    suffix = path.suffix.lower()
    try:
        if suffix == ".pdf":
            document = _read_pdf(path)
        elif suffix in _OFFICE:
            document = _read_office(path)
        else:
            document = _read_written(path, exhibits, with_tags)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text; save it as UTF-8") from None
    if not document.text.strip():
        raise InputError(f"{path}: contains no text")
    language = other_language(document.text)
    if not language:
        return document
    note = f"wording (the text is {language}; only its figures are checked)"
    return document._replace(left_out=", ".join(filter(None, (document.left_out, note))))


def _read_pdf(path: Path) -> ReadText:
    pdf = read_pdf(path)
    text, pages = join_pages([page.translate(_UNSEEN) for page in pdf.pages])
    return ReadText(text, ", ".join(pdf.left_out), pages)


def _read_office(path: Path) -> ReadText:
    lines = parse_isolated("office", path)
    text = "\n".join(line for line in lines if not line.startswith(NOTE))
    left_out = [line.removeprefix(NOTE) for line in lines if line.startswith(NOTE)]
    return ReadText(text.translate(_UNSEEN), ", ".join(left_out))


def _read_written(path: Path, exhibits: Sequence[str], with_tags: bool) -> ReadText:
    """Read a text, Markdown, HTML or transcript file."""
    is_page = path.suffix.lower() in _HTML
    text = _decode(path, is_page)
    is_page = is_page or _PAGE.match(text) is not None
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    left_out = []
    undecoded = text.count("\ufffd")
    if undecoded:
        noun = "character" if undecoded == 1 else "characters"
        left_out.append(f"{undecoded} {noun} that its encoding does not have")
    if is_submission(text):
        documents, others = read_submission(text, exhibits)
        parts = [_read_part(path, part, is_html(part), with_tags) for part in documents]
        if others:
            left_out.append(f"{others} (prepare custom --exhibits reads exhibits as well)")
    else:
        parts = [_read_part(path, text, is_page, with_tags)]
    left_out += chain.from_iterable(part.left_out for part in parts)
    tags = tuple(chain.from_iterable(part.tags for part in parts))
    text = unwrap("\n\n".join(join_bodies(part.bodies) for part in parts)).translate(_UNSEEN)
    bodies = list(chain.from_iterable(part.bodies for part in parts))
    pages: Pages = ()
    if len(bodies) > 1 and text.strip():
        pages = find_pages([body.translate(_UNSEEN) for body in bodies], text)
    return ReadText(text, ", ".join(left_out), pages, tags)


def _decode(path: Path, is_page: bool) -> str:
    """Return the content of a file as text.

    Raises:
        InputError: The file is too large, or of another type.
    """
    size = path.stat().st_size
    if size > MOST_BYTES:
        size_limit = f"{MOST_BYTES / 1e6:.0f} MB of a document"
        raise InputError(f"{path}: has {size / 1e6:,.0f} MB, more than the {size_limit}")
    content = path.read_bytes()
    for start, kind in _KINDS.items():
        if content.startswith(start):
            raise InputError(f"{path}: is {kind}")
    text = decode(content, markup=is_page)
    if is_binary(text):
        raise InputError(f"{path}: looks binary, not text")
    return text


def _read_part(path: Path, text: str, is_page: bool, with_tags: bool) -> _ReadPart:
    return _read_html(path, text, with_tags) if is_page else _read_plain(path, text)


def _read_plain(path: Path, text: str) -> _ReadPart:
    suffix = path.suffix.lower()
    left_out: tuple[str, ...] = ()
    try:
        if suffix in (".json", ".jsonl"):
            text, textless = read_turns(text)
            left_out = (f"{textless} objects without a text",) if textless else ()
        elif suffix in _MARKDOWN:
            text, left_out = _convert_html_tables(path, text)
        clean_up = _PLAIN.get(suffix, drop_time_codes)
        text = drop_data(clean_up(plain_filing(text)))
        return _ReadPart([_ENTITY.sub(lambda entity: unescape(entity[0]), text)], left_out)
    except ValueError as error:
        raise InputError(f"{path}: is not JSON ({error})") from None


def _convert_html_tables(path: Path, text: str) -> tuple[str, tuple[str, ...]]:
    """Return Markdown with the rows of its HTML tables as lines, and its omitted parts."""
    parts = html_tables(text)
    tables = [part for part, is_table in parts if is_table]
    if not tables:
        return text, ()
    page = _read_html(path, f"<p>{_BETWEEN}</p>".join(tables))
    rows = iter(join_bodies(page.bodies).split(_BETWEEN))
    texts = [f"\n{next(rows).strip()}\n" if is_table else part for part, is_table in parts]
    return "".join(texts), page.left_out


def _read_html(path: Path, html: str, with_tags: bool = False) -> _ReadPart:
    text, *notes = parse_isolated("xbrl" if with_tags else "html", path, html) or [""]
    tags = (notes.pop(),) if with_tags and notes else ()
    left_out = tuple(note.removeprefix(NOTE) for note in notes)
    bodies = page_bodies(text.split(PAGE_BREAK)) if PAGE_BREAK in text else [text]
    return _ReadPart(bodies, left_out, tags)
