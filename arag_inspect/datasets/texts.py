"""Plain text of documents as people have them: text, Markdown, HTML, PDF."""

import re
from pathlib import Path

from inscriptis import get_text
from inscriptis.model.config import ParserConfig
from lxml.etree import LxmlError

from ..errors import InputError
from .pages import continues
from .pdf import read_pdf

SUFFIXES = (".txt", ".md", ".html", ".htm", ".pdf")
"""Ends of the names of files that can be read."""

_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset=["']?([\w-]{1,40})""", re.IGNORECASE)
_CONFIG = ParserConfig(table_cell_separator=" | ")


def read_text(path: Path) -> str:
    """Read a document as plain text, by the end of its name.

    HTML and PDF keep each row of a table on a line, so that a figure stays
    beside its label.

    Raises:
        InputError: The file cannot be read, is damaged, or holds no text; says why.
    """
    try:
        text = {".pdf": _pdf, ".html": _html, ".htm": _html}.get(path.suffix.lower(), _plain)(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except (UnicodeDecodeError, LookupError):
        raise InputError(f"{path}: is not UTF-8 text; save it as UTF-8") from None
    if not text.strip():
        raise InputError(f"{path}: holds no text")
    return text


def _plain(path: Path) -> str:
    return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").replace("\0", "")


def _html(path: Path) -> str:
    content = path.read_bytes()
    named = _CHARSET.search(content[:4096])
    html = content.decode(named[1].decode() if named else "utf-8-sig")
    try:
        text = get_text(re.sub(r"^\s*<\?xml[^>]*\?>", "", html), _CONFIG)
    except (LxmlError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: is no HTML that can be read ({error})") from error
    return "\n".join(re.sub(r"[ \t\xa0]+", " ", line).strip() for line in text.splitlines())


def _pdf(path: Path) -> str:
    text = ""
    for page in read_pdf(path).pages:
        if not page:
            continue
        goes_on = continues(text.rpartition("\n")[2], page.partition("\n")[0])
        text += f"{(' ' if goes_on else chr(10)) if text else ''}{page}"
    return text
