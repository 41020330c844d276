"""Read the text of one PDF or HTML file, in a subprocess because parsers may crash.

`python _worker.py pdf|html FILE SECONDS MEGABYTES` writes one JSON
line per page (HTML has one), and at the end `{"parts": n}`, or `{"problem": "..."}`.
Imports nothing of this package, so that it starts in a tenth of a second.
"""

import ctypes
import json
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MOST_CHARACTERS = 100_000_000
"""Most characters of a document."""

LONGEST_LINE = 250
"""Characters; a longer page-wide line is several lines of small print that PDFium merged."""


_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset=["']?([\w-]{1,40})""", re.IGNORECASE)


class _ProblemError(Exception):
    """The reason why a file cannot be read."""


def main(kind: str, path: str, seconds: int, megabytes: int) -> None:
    """Write the text of a file to standard output."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a parser's loop in C would hold up Python's own
    _limit(seconds, megabytes)
    try:
        parts = length = 0
        for text in {"pdf": _pdf, "html": _html}[kind](path):
            length += len(text)
            if length > MOST_CHARACTERS:
                raise _ProblemError(f"holds more than {MOST_CHARACTERS:,} characters")
            _write_line(text)
            parts += 1
        _write_line({"parts": parts})
    except _ProblemError as problem:
        _write_line({"problem": str(problem)})
    except MemoryError:
        _write_line({"problem": f"needs more than {megabytes:,} MB of memory"})


def _html(path: str) -> Iterator[str]:
    from inscriptis.html_engine import Inscriptis
    from inscriptis.model.config import ParserConfig
    from lxml.etree import LxmlError
    from lxml.html import HTMLParser, document_fromstring

    content = Path(path).read_bytes()
    charset = _CHARSET.search(content[:4096])
    try:
        html = content.decode(charset[1].decode() if charset else "utf-8-sig")
    except (UnicodeError, LookupError):
        raise _ProblemError("is not UTF-8 text; save it as UTF-8") from None
    html = re.sub(r"^\s*<\?xml[^>]*\?>", "", html)
    if not html.strip():
        return
    try:
        # without huge_tree, lxml drops whatever is nested deeper than 256 or longer than 10 MB
        tree = document_fromstring(html, parser=HTMLParser(huge_tree=True))
        text = Inscriptis(tree, ParserConfig(table_cell_separator=" | ")).get_text()
    except RecursionError:
        raise _ProblemError("is nested too deeply") from None
    except (LxmlError, ValueError) as error:
        raise _ProblemError(f"is not readable HTML ({error})") from None
    yield "\n".join(re.sub(r"[ \t\xa0]+", " ", line).strip() for line in text.splitlines())


def _pdf(path: str) -> Iterator[str]:
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(path)
        for number in range(len(document)):
            yield _page_text(document[number])
    except pypdfium2.PdfiumError as error:
        raise _ProblemError(_cause(error, pypdfium2)) from None


def _page_text(page: Any) -> str:
    textpage = page.get_textpage()
    text: str = textpage.get_text_range()
    parts = (part for line in text.split("\n") for part in line.split("\ufffe"))
    if any(len(part) > LONGEST_LINE for part in parts):
        text = _text_by_baseline(textpage)
    textpage.close()
    page.close()
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def _text_by_baseline(textpage: Any) -> str:
    """Return the text of a page with a line break wherever the baseline moves.

    A move is half a line or more. Four times slower than PDFium's own line breaks, which fail on small print.
    """
    from pypdfium2 import raw

    x, y, box = ctypes.c_double(), ctypes.c_double(), raw.FS_RECTF()
    signs: list[str] = []
    baseline: float | None = None
    for index in range(raw.FPDFText_CountChars(textpage)):
        sign = chr(raw.FPDFText_GetUnicode(textpage, index))
        if sign == "\n":
            baseline = None
        elif not sign.isspace() and not raw.FPDFText_IsGenerated(textpage, index):
            raw.FPDFText_GetCharOrigin(textpage, index, x, y)
            raw.FPDFText_GetLooseCharBox(textpage, index, box)
            if baseline is None:
                baseline = y.value
            elif abs(y.value - baseline) > 0.5 * abs(box.top - box.bottom):
                signs.append("\n")
                baseline = y.value
        signs.append(sign)
    return "".join(signs)


def _cause(error: Any, pypdfium2: Any) -> str:
    if error.err_code == pypdfium2.raw.FPDF_ERR_PASSWORD:
        return "is encrypted and needs a password"
    if error.err_code == pypdfium2.raw.FPDF_ERR_SECURITY:
        return "is encrypted in a way that cannot be read"
    return f"is damaged or no PDF ({error})"


def _limit(seconds: int, megabytes: int) -> None:
    """Cap the process's memory and CPU time (the parent may be gone)."""
    try:
        import resource
    except ImportError:  # Windows has no such limits; the parent's clock remains
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    memory = megabytes << 20
    if most == resource.RLIM_INFINITY or memory < most:
        resource.setrlimit(resource.RLIMIT_AS, (memory, most))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _write_line(line: object) -> None:
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
