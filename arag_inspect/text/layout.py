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

_UNEVEN = re.compile(r"[ \t]{2,}|\t")
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
"""Word at a line's end after which a sentence continues; English, German, French."""

WHOLE = frozenset(("million", "millions", "billion", "billions", "trillion", "thousand", "percent"))
"""Words without a hyphen, which a line's end may break."""

_OPEN_LENGTH = 8
"""Characters of a line's end that such a word may take, with the letter and space before it."""

LABELLED = re.compile(r"[^\W\d_][^:;]{1,60}:\s(?:\w{1,8}\s?)?[^\s\w]{0,3}\s?\d.{0,40}$")
"""A line `label: figure`; two of them are two rows, in upper or lower case."""

_SUSPENDED = re.compile(r"(?:and|or|to|und|oder|bis|et|ou)\s")
"""What follows the hyphen of `short- and long-term`."""


class Paragraph:
    """Joined lines, with single spaces."""

    def __init__(self, pieces: Sequence[tuple[int, str]]) -> None:
        """Join pieces of a text.

        Args:
            pieces: Offset in the text and letters of each, with what separates it from the next.
        """
        self.text = "".join(piece for _, piece in pieces)
        self._pieces = pieces

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(len(piece) for _, piece in self._pieces)]

    def offset(self, position: int) -> int:
        """Return the offset in the text of the letter at a position."""
        index = bisect_right(self._starts, position, hi=len(self._pieces)) - 1
        return self._pieces[index][0] + position - self._starts[index]


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
    return "\n".join(
        _joined(lines, text).text if len(lines) > 1 else raw[number]
        for number, lines in _groups(text)
    )


def paragraphs(text: str) -> Iterator[Paragraph]:
    """Yield the paragraphs of a text, joined as by `unwrap`; other lines are one each."""
    for _, lines in _groups(text):
        if lines[0].text:
            yield _joined(lines, text)


def is_open(line: str) -> bool:
    """Return whether a line ends in a word that a sentence continues after: `of`, `und`, `pour`."""
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
    return len(text) if text.isascii() else len(text) + sum(map(_is_wide, text))


def _is_wide(letter: str) -> bool:
    return east_asian_width(letter) in "WF"


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

    def joins(self, listed: bool) -> bool:
        """Return whether a fitting line may be joined."""
        return not (self.stays or (self.item and listed))


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
    first = below.text[0] if is_unspaced(below.text[0]) else below.text.split(maxsplit=1)[0]
    gap = not (_ends_in_hyphen(above.text) or is_unspaced(first[0]))
    wrapped = above.end >= _NARROWEST and max(above.end, below.end) <= _WIDEST
    ends = above.text.rstrip(_CLOSING).endswith(_TERMINALS)
    start = next(filter(str.isalnum, below.text), "A")
    rows = ":" in above.text and LABELLED.match(above.text) and LABELLED.match(below.text)
    goes_on = is_open(above.text)
    is_new = not goes_on and (below.item or start.isupper())
    return _Break(
        number,
        above.end if wrapped else _WIDEST + 1,
        above.end + gap + _width(first) if wrapped else 0,
        within=wrapped and not (ends or is_new or rows),
        item=below.item and not goes_on,
        stays=bool(rows) or (ends and (below.item or below.indent > above.indent + 1)),
    )


def _ends_in_hyphen(line: str) -> bool:
    return line.endswith("-") and _HYPHEN.search(line[-3:]) is not None


def _columns(breaks: Sequence[_Break]) -> tuple[list[int], bool]:
    """Return the columns at which a text is wrapped, and whether three line ends show one."""
    unexplained_breaks = [gap for gap in breaks if gap.need]
    columns: list[int] = []
    while len(columns) < _COLUMNS:
        votes = [0] * (3 * _WIDEST)
        for gap in unexplained_breaks:
            weight = 4 if gap.within else 1
            votes[gap.end] += weight
            votes[min(gap.need, 2 * _WIDEST)] -= weight
        counts = list(accumulate(votes))
        column = counts.index(max(counts))
        unfit = [gap for gap in unexplained_breaks if not gap.end <= column < gap.need]
        if _within(unexplained_breaks) - _within(unfit) < (3 if columns else 1):
            break
        columns.append(column)
        unexplained_breaks = unfit
    unexplained = _within(unexplained_breaks)
    explained = _within(breaks) - unexplained
    return (columns, explained >= 3) if unexplained <= explained else ([], False)


def _within(breaks: Iterable[_Break]) -> int:
    return sum(gap.within for gap in breaks)


def _soft_in(
    block: Sequence[_Break], columns: Sequence[int], certain: bool, listed: bool
) -> Iterator[int]:
    """Yield the numbers of a block's lines that continue the line before.

    Args:
        block: Line ends without a blank line or a row between them.
        columns: See `_columns`.
        certain: See `_columns`.
        listed: Whether the block has several items, so that no mark of one is a dash or a date.
    """
    fitting = {gap.line for gap in block if gap.fits(columns)}
    wrapped = 3 * len(fitting) >= len(block) and (
        certain or any(gap.within and gap.line in fitting for gap in block)
    )
    width = max((gap.end for gap in block if gap.need), default=0)
    for gap in block:
        if gap.line in fitting:
            soft = gap.within or (wrapped and gap.joins(listed))
        else:
            soft = gap.within and not (wrapped and certain) and gap.need > _RAGGED * width
        if soft:
            yield gap.line


def _joined(lines: Sequence[_Line], text: str) -> Paragraph:
    pieces: list[tuple[int, str]] = []
    for line, below in zip(lines, [*lines[1:], None], strict=True):
        bare, separator = _line_end(line.text, below.text, text) if below else (line.text, "")
        start = 0
        for gap in _uneven_gaps(bare):
            pieces.append((line.start + start, f"{bare[start : gap.start()]} "))
            start = gap.end()
        pieces.append((line.start + start, f"{bare[start:]}{separator}"))
    return Paragraph(pieces)


def _uneven_gaps(line: str) -> Iterable[re.Match[str]]:
    """Return the gaps of a line that are tabs or wider than a space."""
    if "  " not in line and "\t" not in line:  # faster than the pattern
        return ()
    return _UNEVEN.finditer(line)


def _line_end(above: str, below: str, text: str) -> tuple[str, str]:
    """Return a line as it is joined with the next one, and the separator between them."""
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
