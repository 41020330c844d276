"""Reads the text of one PDF; run as a process of its own, by path, so that it may crash.

`python _pdf_worker.py FILE SECONDS MEGABYTES` writes one JSON line a page, and
at the end `{"pages": n}`, or `{"problem": "..."}`. Imports nothing of this
package, so that it starts in a tenth of a second.
"""

import ctypes
import json
import sys
from typing import Any

MOST_CHARACTERS = 100_000_000
"""Of a document; more text than that is no filing."""

LONGEST_LINE = 250
"""Characters; a longer one is several lines of small print that PDFium took for one."""


def main(path: str, seconds: int, megabytes: int) -> None:
    """Write the pages of a PDF to standard output."""
    _limit(seconds, megabytes)
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(path)
        written = 0
        for number in range(len(document)):
            text = _page_text(document[number])
            written += len(text)
            if written > MOST_CHARACTERS:
                return _tell({"problem": f"holds more than {MOST_CHARACTERS:,} characters"})
            _tell(text)
        _tell({"pages": len(document)})
    except pypdfium2.PdfiumError as error:
        _tell({"problem": _cause(error, pypdfium2)})
    except MemoryError:
        _tell({"problem": f"needs more than {megabytes:,} MB of memory"})


def _page_text(page: Any) -> str:
    text = page.get_textpage()
    found: str = text.get_text_range()
    parts = (part for line in found.split("\n") for part in line.split("\ufffe"))
    if any(len(part) > LONGEST_LINE for part in parts):
        found = _by_place(text)
    text.close()
    page.close()
    return found


def _by_place(text: Any) -> str:
    """The text of a page, with a line break wherever the baseline moves by half a line or more.

    Four times as slow as PDFium's own line breaks, which fail where print is small.
    """
    from pypdfium2 import raw

    x, y, box = ctypes.c_double(), ctypes.c_double(), raw.FS_RECTF()
    shown: list[str] = []
    baseline: float | None = None
    for place in range(raw.FPDFText_CountChars(text)):
        sign = chr(raw.FPDFText_GetUnicode(text, place))
        if sign == "\n":
            baseline = None
        elif not sign.isspace() and not raw.FPDFText_IsGenerated(text, place):
            raw.FPDFText_GetCharOrigin(text, place, x, y)
            raw.FPDFText_GetLooseCharBox(text, place, box)
            if baseline is None:
                baseline = y.value
            elif abs(y.value - baseline) > 0.5 * abs(box.top - box.bottom):
                shown.append("\n")
                baseline = y.value
        shown.append(sign)
    return "".join(shown)


def _cause(error: Any, pypdfium2: Any) -> str:
    if error.err_code == pypdfium2.raw.FPDF_ERR_PASSWORD:
        return "is encrypted and needs a password"
    if error.err_code == pypdfium2.raw.FPDF_ERR_SECURITY:
        return "is encrypted in a way that cannot be read"
    return f"is damaged or no PDF ({error})"


def _limit(seconds: int, megabytes: int) -> None:
    """Let the system end the process, should whoever started it be gone."""
    try:
        import resource
    except ImportError:  # Windows has no such limits; the parent's clock remains
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    wanted = megabytes << 20
    if most == resource.RLIM_INFINITY or wanted < most:
        resource.setrlimit(resource.RLIMIT_AS, (wanted, most))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _tell(line: object) -> None:
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
