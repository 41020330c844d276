"""Clean printed pages: running heads, page numbers, hyphens, broken paragraphs."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

_EDGE = 3
"""Lines at the top and bottom of a page that may be running heads."""

_OFTEN = 5
"""Pages on which a running head must recur; half of the pages in short documents."""

_HYPHEN = re.compile(r"(?<!\w)(\w+)(?:\ufffe\n?|(?<=[a-z])[-\u00ad]\n(?=[a-z]))(\w+)")
"""A word broken at the end of a line; PDFium writes the hyphen as U+FFFE."""

_NUMBERED = re.compile(r"(?P<front>\d{1,4})(?: ?[|·•-])? (?=\D)| [|·•-]? ?(?P<back>\d{1,4})$")
_PAGE_NUMBER = re.compile(
    r"(?:page\s*)?(?:[A-Z]{1,2}-|[-–—]\s*)?\d{1,4}(?:\s*[-–—])?(?:\s*(?:of|/)\s*\d{1,4})?"
    r"|[ivxl]{1,7}",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"[$€£(]*[-–—]?[\d,]*\.?\d+[%)xX]*|[-–—]+|[$€£%()]+|N/?[AM]|\*+")
_BULLET = re.compile(r"[•◦○▪■●·§\uf0b7\uf0a7\uf0be\uf06f\uf078]|\(?(?:[a-z]|[ivx]+|\d{1,2})[.)]\s")
_HEADING = re.compile(r"(?:item|part|note)\s+\d*[A-Z]?\d*\b[.:]?", re.IGNORECASE)
_TERMINAL = re.compile(r"[.!?:;][\"'”’)]*$")


def clean_pages(pages: Sequence[str]) -> list[str]:
    """Clean the text of a document's pages.

    1. Lines at the top or bottom of many pages are dropped; so are page numbers, alone or beside a
       running head. A line with two figures is a table row, not a running head. The first
       occurrence of a line at the top of fewer than half of the pages stays, as it may be a
       chapter heading.
    2. A word broken at the end of a line is joined, without its hyphen if the document has the
       joined word elsewhere.
    3. The lines of a paragraph become one line. Rows of a table, headings and list items keep their
       own line, so that a figure stays beside its label.

    Args:
        pages: Text of each page, with line breaks as printed.

    Returns:
        The same number of pages; some may be empty.
    """
    lines = [[" ".join(line.split()) for line in _tidy(page).split("\n")] for page in pages]
    lines = [[line for line in page if line] for page in lines]
    cleaned = _without_heads(lines)
    words = {word for page in cleaned for line in page for word in line.split()}
    return ["\n".join(_paragraphs(_join_broken_words(page, words))) for page in cleaned]


def continues(above: str, below: str) -> bool:
    """Return whether a page's first line continues the previous page's last line."""
    if not above or not below or is_row(above) or _TERMINAL.search(above):
        return False
    return below[0].islower() and not _BULLET.match(below) and not is_row(below)


def _tidy(page: str) -> str:
    return page.replace("\xa0", " ").replace("\r", "\n").replace("\0", "")


class _Edge(NamedTuple):
    """A line as it recurs on several pages."""

    text: str
    offset: int | None = None
    """Printed page number minus page index, if the number was removed from the text."""


def _without_heads(pages: list[list[str]]) -> list[list[str]]:
    min_pages = min(_OFTEN, max(3, len(pages) // 2))
    counts = Counter(
        edge
        for number, page in enumerate(pages)
        for edge in {edge for index in _edge_indices(page) for edge in _edges(page[index], number)}
    )
    cleaned = []
    chapter_lines: set[str] = set()
    for number, page in enumerate(pages):
        heads = {
            index
            for index in _edge_indices(page)
            if not _has_columns(page[index])
            and any(counts[edge] >= min_pages for edge in _edges(page[index], number))
        }
        chapters = {
            index
            for index in heads
            if index < _EDGE
            and _may_be_heading(page[index])
            and 2 * counts[_Edge(page[index])] < len(pages)
        }
        heads -= {index for index in chapters if page[index] not in chapter_lines}
        chapter_lines.update(page[index] for index in chapters)
        if page and _PAGE_NUMBER.fullmatch(page[0]):
            heads.add(0)
        if page and _PAGE_NUMBER.fullmatch(page[-1]):
            heads.add(len(page) - 1)
        cleaned.append([line for index, line in enumerate(page) if index not in heads])
    return cleaned


def _may_be_heading(line: str) -> bool:
    return line[0].isalpha() and not line[-1].isdigit()


def _edge_indices(page: list[str]) -> set[int]:
    """Return the positions at which running heads may occur."""
    indices = range(len(page))
    return {*indices[:_EDGE], *indices[-_EDGE:]}


def _edges(line: str, number: int) -> list[_Edge]:
    """Return a line unchanged, and without the page number at its start or end."""
    match = _NUMBERED.match(line) or _NUMBERED.search(line)
    if match is None:
        return [_Edge(line)]
    rest = line[: match.start()] + line[match.end() :]
    page_number = int(match["front"] or match["back"])
    return [_Edge(line), _Edge(rest.strip(), page_number - number)]


def _has_columns(line: str) -> bool:
    return len(re.findall(r"\d[\d,.]*", line)) >= 2


def _join_broken_words(page: list[str], words: set[str]) -> list[str]:
    def join(match: re.Match[str]) -> str:
        word = match[1] + match[2]
        return word if word in words else f"{match[1]}-{match[2]}"

    return _HYPHEN.sub(join, "\n".join(page)).split("\n")


def _paragraphs(lines: list[str]) -> list[str]:
    margin = sorted(len(line) for line in lines)[int(len(lines) * 0.9)] if lines else 0
    paragraphs: list[str] = []
    above = ""
    for line in lines:
        if paragraphs and _goes_on(above, line, margin):
            paragraphs[-1] += f" {line}"
        else:
            paragraphs.append(line)
        above = line
    return paragraphs


def _goes_on(above: str, line: str, margin: int) -> bool:
    """Return whether a line continues the paragraph of the line above it.

    A line that reaches the margin is continued, unless it ends a sentence and the next line
    looks like a heading.
    """
    if is_row(above) or is_row(line) or _BULLET.match(line) or _HEADING.match(line):
        return False
    if len(above) < 40:
        return False
    if not _TERMINAL.search(above):
        return line[0].islower() or len(above) >= 0.75 * margin
    ends_a_sentence = len(line) >= 0.5 * margin or line.endswith(".")
    return len(above) >= 0.9 * margin and ends_a_sentence


def is_row(line: str) -> bool:
    """Return whether a line ends like a table row: in two figures, or one if short."""
    figures = 0
    words = line.split()
    for word in reversed(words):
        if not _FIGURE.fullmatch(word):
            break
        figures += any(sign.isdigit() or sign in "-–—" for sign in word)
    return figures >= 2 or (figures == 1 and len(words) <= 8)
