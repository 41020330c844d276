"""Paragraphs of a text: which line breaks only wrap a column."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, chain, pairwise
from typing import NamedTuple
from unicodedata import east_asian_width

from .folding import is_unspaced

_NARROWEST = 40
"""First column at which text may be wrapped."""

_WIDEST = 140
"""Last column at which text may be wrapped."""

_RAGGED = 0.75
"""Minimum width of a wrapped line, as a share of its paragraph's, if no column is known."""

_COLUMNS = 3
"""Maximum columns of a text."""

_UNEVEN = re.compile(r"[ \t](?:[ \t]+|(?<=\t))")
"""A gap between words that is a tab, or wider than a space."""

_GAP = re.compile(" +")
_WORD = re.compile(r"[\w$(]")
_TERMINALS = tuple(".!?:;…。！？｡।॥۔؟")
_CLOSING = "\"'”’»)]」』"
_ITEM = re.compile(
    r"(?:[-–—*+•·‣◦○▪■●§]|\(?(?:[a-z]|[ivx]{1,5}|\d{1,3})[.)]|o(?=\s+[A-Z])|#{1,6})\s"
)
_CELL_MARKS = "\t", "|", "....", " . . ."
_FIGURES = re.compile(r"(?: {2,}[$€£¥]? ?\(?\d(?:\S*[^\s,])?){2}$")
"""Figures in columns at the end of a line."""

_HYPHEN = re.compile(r"\w--?$")
_OPEN_END = re.compile(
    r"\w (?:an?|and|as|at|by|for|from|in|is|its|of|on|or|our|than|that|the|to|under|was|were|with"
    r"|am|auf|das|dem|den|der|die|ein|eine[mnrs]?|für|mit|und|von|vom|zum|zur|au|aux|de|des|du|et|la|le|les"
    r"|par|pour|sur|un|une)$"
)
"""Word at the end of a line that continues, in English, German or French: of, und, pour."""

WHOLE = frozenset(("million", "millions", "billion", "billions", "trillion", "thousand", "percent"))
"""Words without a hyphen, which a line's end may break."""

_OPEN_LENGTH = 8
"""Characters of a line's end that such a word may take, with the letter and space before it."""

LABELLED = re.compile(r"[^\W\d_][^:;]{1,60}:\s(?:\w{1,8}\s?)?[^\s\w]{0,3}\s?\d.{0,40}$")
"""A line `label: figure`; two of them are two rows, in upper or lower case."""

_SUSPENDED = re.compile(r"(?:and|or|to|und|oder|bis|et|ou)\s")
"""Words after the hyphen of `short- and long-term`."""


class Paragraph:
    """Joined lines, with single spaces."""

    def __init__(self, parts: Sequence[tuple[int, str]]) -> None:
        """Join parts of a text.

        Args:
            parts: Offset in the text and letters of each, with what separates it from the next.
        """
        self.text = "".join(letters for _, letters in parts)
        self._parts = parts

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(len(letters) for _, letters in self._parts)]

    def offset(self, position: int) -> int:
        """Return the offset in the text of the letter at a position."""
        index = bisect_right(self._starts, position, hi=len(self._parts)) - 1
        return self._parts[index][0] + position - self._starts[index]


class _Line(NamedTuple):
    start: int
    """Offset of its first letter in the text."""

    text: str
    indent: int
    end: int
    """Column after its last letter, at most `_WIDEST` + 1; 0 if it is blank."""

    apart: bool
    """Whether it is blank, a row of a table, a rule, or code: never joined."""

    item: bool
    """Whether it looks like the first line of an item of a list, or like a heading of Markdown."""


def unwrap(text: str) -> str:
    """Join the lines of wrapped and justified paragraphs, with single spaces between words.

    Lines are joined where the column of the text left no room for the next word, and in text
    whose right edge is ragged where a wide line ends within a sentence. Headings, items of
    lists, rows of tables, addresses, verse and lines of one sentence each stay as they are.

    Args:
        text: Plain text or Markdown.
    """
    raw = text.splitlines()
    joined_lines = []
    for number, lines in _groups(text):
        joined_lines.append(_join(lines, text).text if len(lines) > 1 else raw[number])
    return "\n".join(joined_lines)


def paragraphs(text: str) -> Iterator[Paragraph]:
    """Yield the paragraphs of a text, joined as by `unwrap`; other lines are one each."""
    for _, lines in _groups(text):
        if lines[0].text:
            yield _join(lines, text)


def is_open(line: str) -> bool:
    """Return whether a line ends in a word that never ends a sentence: `of`, `und`, `pour`."""
    return _OPEN_END.search(line[-_OPEN_LENGTH:]) is not None


def _groups(text: str) -> Iterator[tuple[int, list[_Line]]]:
    """Yield the lines that belong together, with the number of the first."""
    lines = _lines(text)
    if not lines:
        return
    soft = _soft_ends(lines)
    starts = [number for number in range(len(lines)) if number not in soft]
    for start, end in pairwise([*starts, len(lines)]):
        yield start, lines[start:end]


def _lines(text: str) -> list[_Line]:
    lines = []
    start = 0
    fenced = False
    for raw in text.splitlines(keepends=True):
        bare = raw.strip()
        fence = bare.startswith(("```", "~~~"))
        fenced ^= fence
        end = _width(raw.rstrip().expandtabs()) if len(raw) <= 4 * _WIDEST else _WIDEST + 1
        indent = len(raw) - len(raw.lstrip())
        lines.append(
            _Line(
                start=start + indent,
                text=bare,
                indent=indent,
                end=min(end, _WIDEST + 1) if bare else 0,
                apart=not bare or fence or fenced or (end <= _WIDEST and _is_row(bare)),
                item=_ITEM.match(bare) is not None,
            )
        )
        start += len(raw)
    return lines


def _width(text: str) -> int:
    """Return the columns that a text takes; letters of Chinese and Japanese take two."""
    if text.isascii():
        return len(text)
    return len(text) + sum(east_asian_width(letter) in "WF" for letter in text)


def _is_row(line: str) -> bool:
    """Return whether a line is one of a table: cells, leaders, a rule, or columns far apart."""
    if any(mark in line for mark in _CELL_MARKS) or not _WORD.search(line):
        return True
    if "  " not in line:
        return False
    gaps = sorted(map(len, _GAP.findall(line)))
    uneven = gaps[-1] >= 3 and (gaps[-1] - gaps[0] >= 2 or len(gaps) < 3)
    return uneven or _FIGURES.search(line) is not None


class _Break(NamedTuple):
    """A line end that may be soft."""

    line: int
    """Number of the line after it."""

    end: int
    """Column at which the line before it ends."""

    need: int
    """Column at which that line would end with the next word."""

    within: bool
    """Whether the two lines look like parts of one sentence."""

    item: bool
    stays: bool
    """Whether the line after it begins an item or an indented paragraph after a full stop."""

    def fits(self, columns: Sequence[int]) -> bool:
        """Return whether one of the columns left no room for the next word."""
        return any(self.end <= column < self.need for column in columns)

    def may_join(self, is_list: bool) -> bool:
        """Return whether the two lines may be one if a column fits."""
        return not (self.stays or (self.item and is_list))


def _soft_ends(lines: Sequence[_Line]) -> set[int]:
    """Return the numbers of the lines that continue the line before."""
    blocks: list[list[_Break]] = []
    for number, (above, below) in enumerate(pairwise(lines), start=1):
        if above.apart or below.apart:
            blocks.append([])
        elif blocks:
            blocks[-1].append(_break(number, above, below))
        else:
            blocks.append([_break(number, above, below)])
    columns, certain = _columns(list(chain.from_iterable(blocks)))
    soft: set[int] = set()
    for block in blocks:
        if block:
            items = sum(line.item for line in lines[block[0].line - 1 : block[-1].line + 1])
            soft.update(_soft_in(block, columns, certain, items > 1))
    return soft


def _break(number: int, above: _Line, below: _Line) -> _Break:
    may_be_wrapped = above.end >= _NARROWEST and max(above.end, below.end) <= _WIDEST
    if not may_be_wrapped:
        return _Break(number, _WIDEST + 1, need=0, within=False, item=False, stays=False)
    next_word = below.text[0]
    if not is_unspaced(next_word):
        next_word = below.text.split(maxsplit=1)[0]
    needs_space = not (_ends_in_hyphen(above.text) or is_unspaced(next_word[0]))
    ends_sentence = above.text.rstrip(_CLOSING).endswith(_TERMINALS)
    first_letter = next(filter(str.isalnum, below.text), "A")
    are_rows = (
        ":" in above.text
        and LABELLED.match(above.text) is not None
        and LABELLED.match(below.text) is not None
    )
    goes_on = is_open(above.text)
    is_new = not goes_on and (below.item or first_letter.isupper())
    is_indented = below.indent > above.indent + 1
    return _Break(
        number,
        above.end,
        above.end + needs_space + _width(next_word),
        within=not (ends_sentence or is_new or are_rows),
        item=below.item and not goes_on,
        stays=are_rows or (ends_sentence and (below.item or is_indented)),
    )


def _ends_in_hyphen(line: str) -> bool:
    return line.endswith("-") and _HYPHEN.search(line[-3:]) is not None


def _columns(breaks: Sequence[_Break]) -> tuple[list[int], bool]:
    """Return the columns at which a text is wrapped, and whether three line ends show one."""
    unexplained_breaks = [line_break for line_break in breaks if line_break.need]
    columns: list[int] = []
    while len(columns) < _COLUMNS:
        column = _likeliest_column(unexplained_breaks)
        unfit = [line_break for line_break in unexplained_breaks if not line_break.fits([column])]
        if _count_within(unexplained_breaks) - _count_within(unfit) < (3 if columns else 1):
            break
        columns.append(column)
        unexplained_breaks = unfit
    unexplained = _count_within(unexplained_breaks)
    explained = _count_within(breaks) - unexplained
    return (columns, explained >= 3) if unexplained <= explained else ([], False)


def _likeliest_column(breaks: Iterable[_Break]) -> int:
    """Return the column that explains most breaks; a break in a sentence counts four times."""
    votes = [0] * (3 * _WIDEST)
    for line_break in breaks:
        weight = 4 if line_break.within else 1
        votes[line_break.end] += weight
        votes[min(line_break.need, 2 * _WIDEST)] -= weight
    counts = list(accumulate(votes))
    return counts.index(max(counts))


def _count_within(breaks: Iterable[_Break]) -> int:
    return sum(line_break.within for line_break in breaks)


def _soft_in(
    block: Sequence[_Break], columns: Sequence[int], certain: bool, is_list: bool
) -> Iterator[int]:
    """Yield the numbers of a block's lines that continue the line before.

    Args:
        block: Line ends without a blank line or a row between them.
        columns: See `_columns`.
        certain: See `_columns`.
        is_list: Whether the block has several items, so that no item mark is a dash or a date.
    """
    fitting = {line_break.line for line_break in block if line_break.fits(columns)}
    has_evidence = certain or any(
        line_break.within and line_break.line in fitting for line_break in block
    )
    is_wrapped = has_evidence and 3 * len(fitting) >= len(block)
    width = max((line_break.end for line_break in block if line_break.need), default=0)
    for line_break in block:
        if line_break.line in fitting:
            is_soft = line_break.within or (is_wrapped and line_break.may_join(is_list))
        else:
            is_wide = line_break.need > _RAGGED * width
            is_soft = line_break.within and is_wide and not (is_wrapped and certain)
        if is_soft:
            yield line_break.line


def _join(lines: Sequence[_Line], text: str) -> Paragraph:
    parts: list[tuple[int, str]] = []
    for line, below in zip(lines, [*lines[1:], None], strict=True):
        bare, separator = _line_end(line.text, below.text, text) if below else (line.text, "")
        start = 0
        for gap in _UNEVEN.finditer(bare):
            parts.append((line.start + start, f"{bare[start : gap.start()]} "))
            start = gap.end()
        parts.append((line.start + start, f"{bare[start:]}{separator}"))
    return Paragraph(parts)


def _line_end(above: str, below: str, text: str) -> tuple[str, str]:
    """Return a line as joined with the next line, and the separator between them."""
    if above.endswith("\u00ad"):
        return above[:-1], ""
    if is_unspaced(above[-1]) and is_unspaced(below[0]):
        return above, ""
    if not _ends_in_hyphen(above) or _SUSPENDED.match(below):
        return above, " "
    left = re.findall(r"\w+(?=-$)", above)
    right = re.findall(r"^[a-z]+", below)
    words = _words(text) if left and right else frozenset()
    joined = "".join(left + right).lower()
    hyphenated = "-".join(left + right).lower()
    is_word = joined in WHOLE or (joined in words and hyphenated not in words)
    return (above[:-1] if is_word else above), ""


@lru_cache(maxsize=2)
def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+(?:-\w+)*", text.lower()))
