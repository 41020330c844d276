"""Plain text of EDGAR's files."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from .page_cleanup import head_lines, separator_between

_START = re.compile(
    r"\s*(?:-----BEGIN PRIVACY-ENHANCED MESSAGE-----|<SEC-DOCUMENT>|<SEC-HEADER>|<SUBMISSION>"
    r"|<DOCUMENT>\s*<TYPE>)"
)
_FIELD = r"<{}>[ \t]*([^\n<]{{1,80}})"
_NO_FORM = re.compile(r"EX-|GRAPHIC|ZIP|EXCEL|XML|JSON|PDF|COVER|CORRESP", re.IGNORECASE)
_FOR_PROGRAMS = re.compile(
    r"EX-10[01]\b|EX-27\b|(?:GRAPHIC|ZIP|EXCEL|XML|JSON|PDF)\b", re.IGNORECASE
)
"""Documents without text: XBRL, financial data schedules, pictures, archives."""

_BODY = re.compile(r"<TEXT>[ \t]*\n?(?:<(?:XBRL|XML)>\s*)?", re.IGNORECASE)
_PAGES = re.compile(r"\f|^[ \t]*<PAGE>[ \t]*", re.MULTILINE | re.IGNORECASE)
_TAGS = re.compile(r"</?(?:TABLE|CAPTION|S|C|FN|F\d{1,2}|R)>", re.IGNORECASE)
_CONTENTS = "table of contents"


def is_submission(text: str) -> bool:
    """Return whether a text is a full submission: several documents in one file."""
    return _START.match(text) is not None and "<TYPE>" in text


def read_submission(text: str, exhibits: Sequence[str]) -> tuple[list[str], str]:
    """Return the form of a full submission, and the requested exhibits.

    For a submission without a form, such as a separate exhibit, return all documents with text.

    Args:
        text: The submission.
        exhibits: Types of exhibits to read as well, e.g. `EX-13`, which includes `EX-13.1`.

    Returns:
        Texts of the form and the exhibits, plain text or HTML; and types of the other documents
        with their counts, e.g. `2 EX-31, 4 XML`, empty if none.
    """
    parts: list[str] = []
    left_out_counts: Counter[str] = Counter()
    documents = list(_documents(text))
    main = False
    has_form = not all(_NO_FORM.match(kind) for kind, _ in documents)
    for kind, body in documents:
        is_form = not main and not _NO_FORM.match(kind)
        requested = any(re.match(rf"{re.escape(name)}(?!\d)", kind, re.I) for name in exhibits)
        if is_form or ((requested or not has_form) and not _FOR_PROGRAMS.match(kind)):
            parts.append(body)
        else:
            left_out_counts[kind] += 1
        main = main or is_form
    left_out = ", ".join(f"{count} {kind}" for kind, count in sorted(left_out_counts.items()))
    return parts, left_out


def _documents(text: str) -> Iterator[tuple[str, str]]:
    """Yield type and text of each document."""
    for piece in text.split("<DOCUMENT>")[1:]:
        document = piece.partition("</DOCUMENT>")[0]
        body = _BODY.search(document)
        kind = re.search(_FIELD.format("TYPE"), document[: body.start() if body else 1000])
        content = document[body.end() :] if body else ""
        if body and "</TEXT>" in document:
            content = document[body.end() : document.rfind("</TEXT>")]
        yield kind[1].strip() if kind else "unnamed", re.sub(r"</(?:XBRL|XML)>\s*$", "", content)


def is_html(text: str) -> bool:
    """Return whether a document of a submission is HTML."""
    return re.search(r"<(?:html|body|div|p|font)\b", text[:5000], re.IGNORECASE) is not None


def plain_filing(text: str) -> str:
    """Return a text without the tags of tables and without headers and footers.

    Page breaks are `<PAGE>` or form feeds. Page numbers, running heads and `Table of Contents` at
    page breaks are dropped, and sentences continue across pages.
    """
    if not _PAGES.search(text):
        return text
    return join_bodies(page_bodies([_TAGS.sub("", page) for page in _PAGES.split(text)]))


def page_bodies(pages: Sequence[str]) -> list[str]:
    """Return the pages of a text without their running heads; see `page_cleanup.head_lines`."""
    lines = [page.split("\n") for page in pages]
    filled = list(map(_filled_indices, lines))
    bare = list(map(_bare_lines, lines))
    contents = list(map(_contents_titles, bare))
    repeated = sum(map(bool, contents)) > 1
    bodies = []
    for page, indices, heads, titles in zip(lines, filled, head_lines(bare), contents, strict=True):
        dropped_heads = heads | titles if repeated else heads
        dropped = {indices[index] for index in dropped_heads}
        body_lines = [line.rstrip() for index, line in enumerate(page) if index not in dropped]
        bodies.append("\n".join(body_lines).strip("\n"))
    return bodies


def _filled_indices(lines: Sequence[str]) -> list[int]:
    return [index for index, line in enumerate(lines) if line.strip()]


def _bare_lines(lines: Sequence[str]) -> list[str]:
    """Return the lines with text, with single spaces."""
    return [" ".join(line.split()) for line in lines if line.strip()]


def _contents_titles(bare_lines: Sequence[str]) -> set[int]:
    """Return which of a page's first lines are the title of the table of contents."""
    return {index for index, line in enumerate(bare_lines[:3]) if line.lower() == _CONTENTS}


def join_bodies(bodies: Sequence[str]) -> str:
    """Join pages so that a sentence may continue across them."""
    text = ""
    for body in bodies:
        if text and body.strip():
            above = text.rpartition("\n")[2].strip()
            below = body.partition("\n")[0].strip()
            text += "\n" if separator_between(above, below) != "\n" else "\n\n"
        text += body
    return text
