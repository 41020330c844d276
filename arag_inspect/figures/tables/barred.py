"""Read the tables of a text whose cells are separated by bars."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .barred_lines import BarredLine, find_tables, find_titles, read_lines
from .column_heads import Head, read_head

_RULE = re.compile(r":?-{2,}:?")
"""A cell of the line below a head in Markdown."""

_FIGURE = re.compile(
    r"[~<>≈]?\s?[-–—−(]*+\s?"
    r"(?:[A-Za-z]{0,3}[$€£¥₹]|[A-Z]{3}\s)?\s?[-–—−(]*+\s?"  # US$, EUR
    r"(?:\d[\d,.]*+|\.\d+)-?\s?\)?\s?"
    r"(?:%|x|bps?|pp|pts|[BMbm]n?|[mb]illion|thousand)?\s?\)?"
    r"(?:\s?(?:[-–—]|to)\s?[$€£¥₹]?\s?\d[\d,.]*+\s?(?:%|x|[BMbm]n?|[mb]illion)?)?"  # to 5%
)
"""A cell that is a figure or a range."""

_NONE = re.compile(r"[$€£¥₹]?\s?[-–—−]+|n[./]?\s?[ams]f?\.?|\*+|\.+", re.IGNORECASE)
"""Marks of an empty cell."""

_ZERO = re.compile(r"[$€£¥₹]?\s?[-–—−]+")
"""A mark that a figure is zero, or that there is none."""

_UNIT_HEAD = re.compile(r"units?(?: of measure(?:ment)?)?", re.IGNORECASE)
"""Head of a column with the unit of each row."""

_MARKS = re.compile(
    r"(?<=[\d%)\w.])(?:\s?\((?:\d{1,2}|[abd-oq-wyz])\)|\s?\[\d{1,2}\]|\s?[*†‡§]|(?<!\bm)(?<!\bkm)(?<!\bft)[¹²³⁰⁴-⁹]){1,4}$"
)
"""Marks of footnotes after a label."""

_MARK_OF_NUMBER = re.compile(r"(?<=\d)\s?(?:\((?:\d{1,2}|[a-wyz])\)|\[\d{1,2}\]|[*†‡§¹²³⁰⁴-⁹]+)$")
"""A mark of a footnote after a figure."""

_PART_OF_ROW = re.compile(
    r"(?:as a )?(?:%|percent(?:age)?) (?:of|change)\b|(?:%|percent|percentage)$", re.IGNORECASE
)
"""Label of the shares or changes of the row above."""

_LONGEST_CELL = 120
"""Characters; a line with a longer cell is read as prose."""


_QUARTERS = ("Q1", "Q2", "Q3", "Q4")
"""Columns beside which a bare year is a whole year."""


class PrintedCell(NamedTuple):
    """A figure as printed, with the head of its column."""

    head: Head
    text: str


@dataclass(frozen=True, slots=True)
class CellRow:
    """A row with its figures."""

    label: str
    block: str
    """Line above with the title of its block of rows; empty if there is none."""

    title: str
    """Lines above the table, and the corner of its head, which may state unit and period."""

    cells: tuple[PrintedCell, ...]
    line: str
    start: int
    end: int
    unit: str = ""
    """Its cell in a column of units."""

    blank: frozenset[frozenset[str]] = frozenset()
    """Words of the columns in which it has no figure."""

    table: int = -1
    """Position of the head of its table."""


@dataclass(slots=True)
class _TableSection:
    """A head, and the rows of a table for which it holds."""

    start: int
    """Position of its first line."""

    titles: list[str]
    """Lines above it, and lines without figures within the head."""

    head: list[list[str]] = field(default_factory=list)
    body: list[tuple[BarredLine, list[str]]] = field(default_factory=list)
    """Its rows with figures, each with the lines without figures since the row before."""


def read_barred_tables(text: str) -> tuple[list[CellRow], list[tuple[int, int]]]:
    """Read the tables of a text whose cells are separated by bars.

    Each figure gets the head of its column. A blank cell of a head continues the one on its left.
    Rows with more or fewer cells than their head are left out, and so are tables without figures.

    Returns:
        The rows, and the positions of the lines of the tables, except lines with long cells.
    """
    rows: list[CellRow] = []
    positions: list[tuple[int, int]] = []
    lines = list(read_lines(text))
    for first, after in find_tables(lines):
        table = lines[first:after]
        if not _has_figures(table):
            continue
        positions += [
            (line.start, line.start + len(line.text))
            for line in table
            if line.cells and max(map(len, line.cells)) <= _LONGEST_CELL
        ]
        rows += _rows(table, find_titles(lines, first))
    return rows, positions


def _has_figures(table: Sequence[BarredLine]) -> bool:
    """Return whether a cell other than the label of a row is a figure."""
    return any(_is_figure(cell) for line in table for cell in line.cells[1:])


def _rows(table: Sequence[BarredLine], titles: list[str]) -> Iterator[CellRow]:
    """Yield the rows of a table with figures, each with what the rows above it say of it."""
    width = max(len(line.cells) for line in table)
    whole = ""  # label of the last row that is not a share or change of another
    for section in _sections(table, titles):
        texts = _column_texts(section, width)
        section.titles = [*section.titles, texts[0]]
        heads = _column_heads(texts, section.titles)
        block = ""
        for line, above in section.body:
            label = line.cells[0]
            if above and label[:1].islower():
                *above, first_words = above  # a label of two lines
                label = f"{first_words} {label}"
            if above:
                block = above[-1]
            if _PART_OF_ROW.match(label):
                label = f"{whole} {label}"
            else:
                whole = label
            row = _row(line, section, heads, label, block)
            if row is not None:
                yield row


def _sections(table: Sequence[BarredLine], titles: list[str]) -> list[_TableSection]:
    """Divide a table into the heads with their rows."""
    sections = [_TableSection(table[0].start, titles)]
    above: list[str] = []  # lines without figures since the last row
    for line in table:
        section = sections[-1]
        others = list(filter(None, line.cells[1:]))
        if not others:
            above.append(line.cells[0] if line.cells else line.text.strip())
            if section.head and not section.body:
                section.titles = [*section.titles, above[-1]]
        elif _is_rule(line.cells):
            continue
        elif _is_head(line.cells, not section.body and not any(map(_is_figure, others))):
            if section.body:
                titles = above or _without_periods(titles)
                section = _TableSection(line.start, titles)
                sections.append(section)
            section.head.append(line.cells)
            above = []
        else:
            section.body.append((line, above))
            above = []
    return sections


def _without_periods(titles: Sequence[str]) -> list[str]:
    """Return the titles of a table that may apply to the next table."""
    return [title for title in titles if not read_head(title).has_period]


def _is_rule(cells: Sequence[str]) -> bool:
    """Return whether a row is the line between head and body in Markdown."""
    filled = [cell for cell in cells if cell]
    return bool(filled) and all(map(_RULE.fullmatch, filled))


def _is_head(cells: Sequence[str], may_be_words: bool) -> bool:
    """Return whether a row is a head: it has no figure, and periods unless it is the first."""
    others = [cell for cell in cells[1:] if cell]
    if any(map(_NONE.fullmatch, others)):
        return False
    if all(map(_is_period, others)) and read_head(cells[0]).year is None:
        return True
    names_period = any(read_head(cell).has_period for cell in others)
    return may_be_words or (names_period and len(others) > 1 and not any(map(_is_figure, others)))


def _is_figure(cell: str) -> bool:
    """Return whether a cell holds a figure or a mark of an empty cell."""
    bare = _MARK_OF_NUMBER.sub("", cell)
    return bool(_FIGURE.fullmatch(bare) or _NONE.fullmatch(bare)) and not _is_period(cell)


def _is_period(cell: str) -> bool:
    """Return whether a cell has a period and no other digits."""
    if any(sign in cell for sign in "$€£¥₹%(),") and not any(map(str.isalpha, cell)):
        return False
    head = read_head(cell)
    letters_only = not re.search(r"\d", cell)
    return head.has_period and (letters_only or not head.words)


def _column_texts(section: _TableSection, width: int) -> list[str]:
    """Return the cells of all head rows above one another, by column."""
    rows = section.head or [[""] * width]
    width = max(map(len, rows))
    filled = [_fill_blanks([""] * (width - len(row)) + row) for row in rows]
    return [" ".join(dict.fromkeys(cells)) for cells in zip(*filled, strict=True)]


def _column_heads(texts: Sequence[str], titles: Sequence[str]) -> list[Head]:
    """Return the heads of columns, with the period of the titles where they leave it open."""
    column_heads = [read_head(text.strip()) for text in texts]
    title = read_head(" ".join(titles))
    if any(head.year for head in column_heads):
        title = title._replace(year=None)
    if any(head.span in _QUARTERS for head in column_heads):
        column_heads = [
            head._replace(span=head.span or ("FY" if head.year else None)) for head in column_heads
        ]
    heads: list[Head] = []
    for head in column_heads:
        heads.append(_with_period(head, heads[-1] if heads else None, title))
    values = [head.words for head in heads[1:] if head.kind == "value"]
    common = frozenset.intersection(*values) if values else frozenset()
    return [head._replace(words=head.words - common) for head in heads]


def _with_period(head: Head, left: Head | None, title: Head) -> Head:
    """Return a head with its period completed.

    A share has the period of the column on its left. A value has the period of the title.
    """
    if left and head.kind == "share" and head.year is None:
        return head._replace(year=left.year, span=left.span, month=left.month)
    if head.kind == "value":
        month = title.month if head.year else None
        return head._replace(
            year=head.year or title.year,
            span=head.span or title.span,
            month=head.month or month,
        )
    return head


def _fill_blanks(row: Sequence[str]) -> list[str]:
    """Return a head row whose blank cells, except the first two, repeat the cell on their left."""
    texts = list(row)
    for index in range(2, len(texts)):
        texts[index] = texts[index] or texts[index - 1]
    return texts


def _below_dates(cells: list[str], heads: Sequence[Head]) -> list[str]:
    """Return the cells of a short row, its figures below the columns on the right with years.

    A total has no cells for maturities and rates.
    """
    figures = cells[1:]
    first_dated = len(heads)
    while first_dated > 1 and heads[first_dated - 1].year:
        first_dated -= 1
    missing = len(heads) - len(cells)
    is_clear = missing > 0 and 1 < len(figures) == len(heads) - first_dated
    if is_clear and all(map(_is_figure, figures)):
        return [cells[0], *[""] * missing, *figures]
    return cells


def _joined_signs(cells: Sequence[str]) -> list[str]:
    """Return cells with `$`, `(45` and `)` in cells of their own as one."""
    joined: list[str] = []
    for cell in cells:
        opened = bool(joined) and joined[-1] in ("$", "€", "£", "¥", "(", "$(")
        if opened or (joined and cell in (")", "%", ")%")):
            joined[-1] += cell
        else:
            joined.append(cell)
    return joined


def _of_block(heads: list[Head], block: str) -> list[Head]:
    """Return heads with the year of a block of rows: "Fiscal year 2016"."""
    year = read_head(block).year
    return [head._replace(year=head.year or year) for head in heads] if year else heads


def _read_cells(heads: Sequence[Head], cells: Sequence[str]) -> Iterator[PrintedCell]:
    """Yield the figures of a row; a dash in a column of values is zero."""
    for head, cell in zip(heads, cells, strict=True):
        if _ZERO.fullmatch(cell) and head.kind == "value":
            yield PrintedCell(head, "0")
        elif head.kind != "note" and _is_figure(cell) and not _NONE.fullmatch(cell):
            yield PrintedCell(head, _MARK_OF_NUMBER.sub("", cell))


def _row(
    line: BarredLine, section: _TableSection, heads: list[Head], label: str, block: str
) -> CellRow | None:
    """Return a row with its figures; None without figures, or if cells and heads do not match."""
    cells = [label, *line.cells[1:]]
    heads = _of_block(heads, block)
    if len(cells) > len(heads) + 1:
        cells = _joined_signs(cells)
    if len(cells) == len(heads) + 1:
        heads = [Head(), *heads]
    cells = _below_dates(cells, heads)
    if len(cells) != len(heads):
        return None
    first = 1
    while first < len(cells) - 1 and cells[first] and not _is_figure(cells[first]):
        first += 1
    label_cells = zip(heads[:first], cells[:first], strict=True)
    unit = next((cell for head, cell in label_cells if _UNIT_HEAD.fullmatch(head.text)), "")
    parts = [f"({cell})" if cell == unit else cell for cell in cells[:first] if cell]
    label = " ".join(parts)
    printed = tuple(_read_cells(heads[first:], cells[first:]))
    has_no_head = len(printed) > 1 and not section.head
    if has_no_head or not (printed and label):
        return None
    columns = frozenset(head.words for head in heads[first:] if head.kind == "value")
    return CellRow(
        label=_MARKS.sub("", label),
        block=block,
        title="\n".join(section.titles),
        cells=printed,
        line=line.text.strip(),
        start=line.start,
        end=line.start + len(line.text),
        unit=unit,
        blank=columns - {cell.head.words for cell in printed},
        table=section.start,
    )
