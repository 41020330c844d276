"""Clean printed pages: running heads, page numbers, hyphens, broken paragraphs."""

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from ...text.layout import LABELLED, WHOLE, is_open
from ...text.tables import is_barred, is_row

_EDGE = 3
"""Lines at the top and bottom of a page that may be running heads."""

_LONGEST = 500
"""Longest running head, in characters."""

_OFTEN = 5
"""Minimum pages on which a running head recurs; half of the pages in short documents."""

_HYPHEN = re.compile(r"(?<!\w)(\w+)(?:\ufffe\n|(?<=[a-z])[-\u00ad]\n(?=[a-z]))(\w+)")
"""A word broken at the end of a line; PDFium writes the hyphen as U+FFFE."""

_NUMBER = re.compile(
    r"(?:^|(?<=[\s|·•–—/-]))(?P<number>\d{1,4})(?=$|[\s|·•–—/-])(?:\s?(?:of|/)\s?\d{1,4}\b)?"
)
"""A line with only a number, like a page number."""

_SEPARATORS = " \t|·•-–—/"
_NO_SEPARATORS = str.maketrans(dict.fromkeys(_SEPARATORS, " "))
_YEAR_LIKE = 1950, 2050
_PAGE = re.compile(r"\b(?:page|pages|p\.|pg\.?|seite|s\.|folio|slide)\s*$", re.IGNORECASE)
_LONE = re.compile(r"(?:page|pg|seite|folio|slide|[a-z]{1,2})?", re.IGNORECASE)
"""Text that may accompany a page number on a separate line, as in `Page 4` or `A-4`."""

_UNIT = re.compile(
    r"[$€£¥₹%]|\b(?:[mb]illions?|thousands?|hundreds?|crores?|lakhs?|[mb]n|mio|mrd|tsd|euros?"
    r"|dollars?|pounds?|yen|per share|USD|EUR|GBP|CHF|JPY)\b",
    re.IGNORECASE,
)
"""Sign of an amount; a line with such a sign is never a running head."""

_DAY = re.compile(r"\d{1,2},")
_COLUMNS = re.compile(r"(?<![\d.,])\d[\d.,]*\)?\s(?:[A-Z]\w+\s)?\s?\(?\d[\d.,]*\)?$")
"""Two figures at the end of a line, possibly with a month between."""

_LONE_FIGURE = re.compile(r"[$€£]?\d[\d,.]*(?: ?(?:%|[mb]illion|[mb]n))?\+?", re.IGNORECASE)
"""A figure in large type, above what it counts."""

_BULLET = re.compile(r"[•◦○▪■●·§\uf0b7\uf0a7\uf0be\uf06f\uf078]|\(?(?:[a-z]|[ivx]+|\d{1,2})[.)]\s")
_HEADING = re.compile(r"(?:item|part|note)\s+\d*[A-Z]?\d*\b[.:]?", re.IGNORECASE)
_FOOTNOTE = re.compile(r"(?:\(?\d{1,2}\)?\s|[*†‡§]\s?)[A-Z][a-z]*\s[a-z]")
_MOST_NOTES = 8
"""Maximum lines of footnotes at the foot of a page."""

_CONTINUES = re.compile(r"[a-z]|[$€£]?\d[\d,.]*\s?(?:[a-z%]|$)")
"""Start of a page that continues a sentence."""

_TERMINAL = re.compile(r"[.!?:;][\"'”’)]*$")


def clean_pages(pages: Sequence[str]) -> list[str]:
    """Clean the text of a document's pages.

    1. A number at the top or bottom that ascends with the pages is their number; its line is
       dropped if it contains only the number or the other words recur. A line without figures that
       recurs on many pages is dropped too, except its first occurrence at the top of fewer than
       half of them, which may be a chapter heading. A recurring line with a figure is kept once; a
       table row or a line with a unit is always kept.
    2. A word broken at the end of a line is joined, without its hyphen if the document has the
       joined word elsewhere.
    3. The lines of a paragraph become one line. Rows of a table, headings, list items and lines
       that recur on many pages stay separate lines, so that a figure stays beside its label.
    4. Footnotes below a sentence that continues on the next page are moved before its paragraph.

    Args:
        pages: Text of each page, with line breaks as printed.

    Returns:
        The same number of pages; some may be empty.
    """
    lines = list(map(_filled_lines, pages))
    cleaned = list(map(_drop_lines, lines, head_lines(lines)))
    counts = Counter(chain.from_iterable(map(set, cleaned)))
    separate_lines = {
        line for line, count in counts.items() if count >= _repeat_threshold(len(pages))
    }
    words: set[str] = set()
    for line in chain.from_iterable(cleaned):
        words.update(line.split())
    joined_pages = [_join_broken_words(page, words) for page in cleaned]
    return [
        "\n".join(_page_paragraphs(page, following, separate_lines)).replace("\ufffe", "-")
        for page, following in pairwise([*joined_pages, []])
    ]


def separator_between(above: str, below: str) -> str:
    """Return the separator between a page's last line and the next page's first.

    Within a sentence, this is a space, or nothing after a hyphen; else a line break.
    """
    if not above or not below or _is_row(above) or _is_row(below) or _BULLET.match(below):
        return "\n"
    if above.endswith("-") and below[0].islower():
        return ""
    if below[0].islower() and not _TERMINAL.search(above):
        return " "
    return " " if _goes_on_after(above) and not _HEADING.match(below) else "\n"


def _is_row(line: str) -> bool:
    """Return whether a line is a row of a table, or its head."""
    return is_barred(line) or is_row(line)


def _goes_on_after(line: str) -> bool:
    return line.endswith(",") or is_open(line)


class _Numbered(NamedTuple):
    """A line without its page number, as it recurs."""

    rest: str
    """The other words, wherever the number is."""

    offset: int
    """Printed page number minus page index: equal on pages whose numbers ascend with them."""


def head_lines(pages: Sequence[Sequence[str]]) -> list[set[int]]:
    """Return the positions of each page's running heads and page numbers; see `clean_pages`.

    Args:
        pages: Lines of each page, not empty and with single spaces.
    """
    numbered: dict[_Numbered, set[int]] = defaultdict(set)
    repeated: dict[tuple[bool, str], set[int]] = defaultdict(set)
    for number, page in enumerate(pages):
        for index, at_top in _edges(page):
            repeated[at_top, page[index]].add(number)
            for key in _page_numbers(page[index], number):
                numbered[key].add(number)

    def is_page_number(line: str, number: int) -> bool:
        keys = _page_numbers(line, number)
        return any(_ascends(key, numbered[key], len(pages)) for key in keys)

    def is_head(line: str, number: int, at_top: bool) -> bool:
        return _is_head(line, number, at_top, repeated[at_top, line], len(pages))

    heads = []
    for number, page in enumerate(pages):
        positions = set()
        for index, at_top in _edges(page):
            line = page[index]
            if is_page_number(line, number) or is_head(line, number, at_top):
                positions.add(index)
        heads.append(positions)
    return heads


def _edges(page: Sequence[str]) -> list[tuple[int, bool]]:
    """Return the positions at which running heads may occur, and whether each is at the top."""
    indices = range(len(page))
    return [
        (index, index < (len(page) + 1) // 2)
        for index in {*indices[:_EDGE], *indices[-_EDGE:]}
        if len(page[index]) <= _LONGEST
    ]


def _filled_lines(page: str) -> list[str]:
    """Return the lines of a page that have text, with single spaces."""
    lines = (" ".join(line.split()) for line in _tidy(page).split("\n"))
    return [line for line in lines if line]


def _tidy(page: str) -> str:
    page = page.replace("\xa0", " ").replace("\r", "\n").replace("\0", "")
    return page.replace("\ufffe", "\ufffe\n")


def _drop_lines(page: list[str], indices: Container[int]) -> list[str]:
    return [line for index, line in enumerate(page) if index not in indices]


def _page_numbers(line: str, number: int) -> Iterator[_Numbered]:
    """Yield a line without each number in it that may be its page number."""
    for match in _NUMBER.finditer(line):
        before = line[: match.start()]
        after = line[match.end() :]
        if not before.strip(_SEPARATORS) or not after.strip(_SEPARATORS) or _PAGE.search(before):
            words = f"{before} {after}".translate(_NO_SEPARATORS).split()
            is_numbered = len(words) == 1 and before == f"{words[0]} "
            template = (
                f"{words[0]} #" if is_numbered and not _PAGE.search(before) else " ".join(words)
            )
            yield _Numbered(template, int(match["number"]) - number)


def _ascends(key: _Numbered, pages: set[int], total: int) -> bool:
    """Return whether a number that ascends with its pages is their number."""
    if _UNIT.search(key.rest):
        return False
    if _YEAR_LIKE[0] <= key.offset + min(pages) <= _YEAR_LIKE[1]:
        return len(pages) >= 2 * _OFTEN
    if _LONE.fullmatch(key.rest):
        return len(pages) >= 3 or (len(pages) == 2 and max(pages) - min(pages) <= 2)
    if key.rest.endswith(" #"):  # `Note 3`, `Exhibit 4`: headings may be counted, too
        return len(pages) >= max(3, total // 3)
    return len(pages) >= (2 if total < 2 * _EDGE else 3)


def _is_head(line: str, number: int, at_top: bool, pages: set[int], total: int) -> bool:
    """Return whether a line without a page number recurs as a running head does."""
    figures = len(re.findall(r"\d[\d,.]*", line))
    if _UNIT.search(line) or _COLUMNS.search(_DAY.sub("", line)):
        return False
    min_pages = max(3, total // 3) if figures > 1 else _repeat_threshold(total)
    if len(pages) < min_pages or 2 * len(pages) < max(pages) - min(pages):
        return False
    if figures:
        return number != min(pages)
    is_chapter = at_top and line[0].isalpha() and 2 * len(pages) < total
    return not is_chapter or number != min(pages)


def _repeat_threshold(total: int) -> int:
    """Return on how many pages a line outside of paragraphs recurs."""
    return min(_OFTEN, max(3, total // 2))


def _join_broken_words(page: list[str], words: set[str]) -> list[str]:
    def join(match: re.Match[str]) -> str:
        word = match[1] + match[2]
        return word if word in words or word in WHOLE else f"{match[1]}-{match[2]}"

    if not any(line.endswith(("-", "\u00ad", "\ufffe")) for line in page):
        return page
    return _HYPHEN.sub(join, "\n".join(page)).split("\n")


def _page_paragraphs(page: list[str], following: list[str], separate_lines: set[str]) -> list[str]:
    """Return the paragraphs of a page, with footnotes before one that continues on the next."""
    is_sentence_end = not page or _TERMINAL.search(page[-1])
    goes_on = is_sentence_end and following and _CONTINUES.match(following[0])
    start = _first_footnote(page) if goes_on else len(page)
    body = _paragraphs(page[:start], separate_lines)
    notes = _paragraphs(page[start:], separate_lines)
    return [*body[:-1], *notes, *body[-1:]]


def _first_footnote(page: list[str]) -> int:
    """Return the first footnote line that interrupts a sentence, or the length of the page."""
    for index in range(max(1, len(page) - _MOST_NOTES), len(page)):
        above = page[index - 1]
        is_parted = not (_TERMINAL.search(above) or _is_row(above)) and above[-1].islower()
        if is_parted and _FOOTNOTE.match(page[index]):
            return index
    return len(page)


def _paragraphs(lines: list[str], separate_lines: set[str]) -> list[str]:
    widths = sorted(map(_printed_width, lines))
    margin = widths[int(len(lines) * 0.9)] if lines else 0
    rows = list(map(_is_row, lines))
    paragraphs = lines[:1]
    for number, (above, line) in enumerate(pairwise(lines), start=1):
        counts = line[0].islower() and _LONE_FIGURE.fullmatch(above)
        prose = not (rows[number - 1] or rows[number])
        if separate_lines.isdisjoint((above, line)) and (
            counts or (prose and _goes_on(above, line, margin))
        ):
            paragraphs[-1] += f" {line}"
        else:
            paragraphs.append(line)
    return paragraphs


def _printed_width(line: str) -> int:
    """Return the width of a line without bars; 0 for a head, which was on several lines."""
    text = line.replace(" | ", " ")
    return len(text) if text == line or is_row(text) else 0


def _goes_on(above: str, line: str, margin: int) -> bool:
    """Return whether a line continues the paragraph of the line above it.

    A line that reaches the margin continues, unless it ends a sentence and the next line looks like
    a heading.
    """
    if _BULLET.match(line) or _HEADING.match(line):
        return False
    if LABELLED.match(above) and LABELLED.match(line):
        return False
    if _goes_on_after(above):
        return True
    if len(above) < 40 and above[0] in "(IA" and _UNIT.search(above):  # (in millions)
        return False
    if len(above) < 40:  # a narrow column, or a list
        return line[0].islower() and len(above) >= max(12, 0.6 * margin) and line[-1] not in ":"
    if not _TERMINAL.search(above):
        return line[0].islower() or 0.75 * margin <= len(above) <= 1.3 * margin
    ends_a_sentence = len(line) >= 0.5 * margin or line.endswith(".")
    return len(above) >= 0.9 * margin and ends_a_sentence
