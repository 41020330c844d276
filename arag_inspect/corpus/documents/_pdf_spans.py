"""Find the head cells above each column of a table in a PDF."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from ._grid import GridCell, middle
from ._pdf_columns import Extent, TableColumns
from ._pdf_lines import PageLine, is_year, merge_levels
from ._pdf_rules import HeadRule

_PERIOD = re.compile(
    r"(?:(?:19|20)\d\d|\d{1,2},?|fiscal|years?|months?|quarters?|weeks?|periods?|half|ended|ending"
    r"|three|six|nine|twelve|first|second|third|fourth"
    r"|(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?|q[1-4]|fy\d*|[\s,])+",
    re.IGNORECASE,
)
"""A head that contains only a period."""

_BELOW = 1.3
"""Largest distance of a rule below its head, in heights of a letter."""

_CENTRAL = 0.1
"""Largest distance of a head from the middle of its columns, as a share of their width."""

_NEARLY_CENTRAL = 0.25
"""The same distance for heads with a period."""

_ALIGNED = 5
"""Largest distance between the right edges of a head and of its last column, in points."""

_OVERLAP = 0.1
"""Smallest share of a head that is above its column."""

_MOST_WIDENED = 2

CellSpan = tuple[GridCell, Sequence[int]]
"""A cell of a head, and the columns below it."""


def texts_above(
    lines: Sequence[PageLine], columns: TableColumns, find_rules: Callable[[], Sequence[HeadRule]]
) -> list[str] | None:
    """Return the text above the labels and above each column; None if that is unclear.

    Where a head recurs after another one, the heads at the top may span more columns.

    Args:
        lines: Lines of the head.
        columns: Columns of the table.
        find_rules: Returns the rules of the page.
    """
    levels = merge_levels(lines)
    labels: list[str] = []
    for line in levels:
        above = columns.above(line)
        labels[:0] = [cell.text for cell in line.cells if cell not in above]
    rules = list(_rules_within(levels, columns, find_rules))
    for widened in range(1 + min(_MOST_WIDENED, len(levels) - 1)):
        heads = _heads(levels, columns, rules, widened)
        if heads is None:
            return None
        if not _recur_apart(heads):
            return [" ".join(labels), *heads]
    return None


def _rules_within(
    levels: Sequence[PageLine], columns: TableColumns, find_rules: Callable[[], Sequence[HeadRule]]
) -> Iterator[HeadRule]:
    """Yield the rules of a head that begin at the labels; none if each cell has one column."""
    if all(len(columns.above(line)) == len(columns.boxes) for line in levels):
        return
    bottom = levels[0].baseline - _BELOW * levels[0].height
    for rule in find_rules():
        is_beside = rule.start < columns.margin + levels[0].height or rule.end < columns.boxes[0][0]
        if bottom < rule.level < levels[-1].baseline and not is_beside:
            yield rule


def _heads(
    levels: Sequence[PageLine], columns: TableColumns, rules: Sequence[HeadRule], widened: int
) -> list[str] | None:
    """Return the text above each column; None if that is unclear.

    Args:
        levels: Lines of the head from bottom to top.
        columns: Columns of the table.
        rules: Rules in the head.
        widened: Number of lines at the top whose cells span as many columns as they can.
    """
    texts: list[list[str]] = [[] for _ in columns.boxes]
    below: list[CellSpan] = []
    for number, line in enumerate(levels):
        spans = _spans(line, columns, below, rules)
        if spans is None or _name_several_years(spans, below, columns):
            return None
        if below and number >= len(levels) - widened:
            spans = _widen(spans, columns)
        for cell, positions in spans:
            for position in positions:
                texts[position].insert(0, cell.text)
        below = [*spans, *below]
    return list(map(" ".join, texts)) if all(texts) else None


def _name_several_years(
    spans: Sequence[CellSpan], below: Sequence[CellSpan], columns: TableColumns
) -> bool:
    """Return whether a head of the lowest line may contain the heads of two columns: 2024 2023."""
    return _is_lowest(below, columns) and any(
        len(positions) > 1 and sum(map(is_year, cell.text.split())) > 1 for cell, positions in spans
    )


def _recur_apart(heads: Sequence[str]) -> bool:
    """Return whether a head recurs after another one."""
    changes = [head for above, head in pairwise(["", *heads]) if above != head]
    return len({*changes}) < len(changes)


def _spans(
    line: PageLine, columns: TableColumns, below: Sequence[CellSpan], rules: Sequence[HeadRule]
) -> list[CellSpan] | None:
    """Return the cells of a line with the columns below each cell; None if unclear."""
    cells = columns.above(line)
    if len(cells) == len(columns.boxes):
        return [(cell, [index]) for index, cell in enumerate(cells)]
    ruled = list(_ruled_spans(line, cells, columns, rules))
    groups = [] if ruled or not cells else _groups(cells, columns, below, has_rules=bool(rules))
    if groups:
        return list(zip(cells, groups, strict=True))
    return _overlapping_spans(line, cells, columns, below, ruled)


def _ruled_spans(
    line: PageLine, cells: Sequence[GridCell], columns: TableColumns, rules: Sequence[HeadRule]
) -> Iterator[CellSpan]:
    """Yield the cells with a rule below them that is not below another cell."""
    near_rules = [rule for rule in rules if 0 <= line.baseline - rule.level < _BELOW * line.height]
    for cell in cells:
        widest = HeadRule(0, 0, 0)
        for rule in near_rules:
            inside = [other for other in cells if rule.start < middle(other) < rule.end]
            if inside == [cell] and rule.end - rule.start > widest.end - widest.start:
                widest = rule
        positions = [
            index
            for index, extent in enumerate(columns.extents)
            if widest.start < middle(extent) < widest.end
        ]
        if positions:
            yield cell, positions


def _groups(
    cells: Sequence[GridCell], columns: TableColumns, below: Sequence[CellSpan], has_rules: bool
) -> list[range]:
    """Return equally many columns for each cell, if cells are above such groups; else none."""
    count = len(columns.boxes)
    size, remainder = divmod(count, len(cells))
    if remainder or size < 2:
        return []
    groups = [range(start, start + size) for start in range(0, count, size)]
    pairs = list(zip(cells, groups, strict=True))
    if _is_lowest(below, columns):  # names of columns are above such a line
        is_likely = size == 2 or all(is_year(cell.text) for cell in cells)
        return groups if is_likely and all(_stands_above(*pair, columns) for pair in pairs) else []
    distance = max(_distance(*pair, columns) for pair in pairs)
    if all(_PERIOD.fullmatch(cell.text) for cell, _ in [*pairs, *below]):
        return groups if distance <= _NEARLY_CENTRAL else []
    return groups if distance < _CENTRAL and len(cells) > 1 and not has_rules else []


def _is_lowest(below: Sequence[CellSpan], columns: TableColumns) -> bool:
    """Return whether the columns have no heads yet."""
    covered = {position for _, positions in below for position in positions}
    return len(covered) < len(columns.boxes)


def _overlapping_spans(
    line: PageLine,
    cells: Sequence[GridCell],
    columns: TableColumns,
    below: Sequence[CellSpan],
    ruled: Sequence[CellSpan],
) -> list[CellSpan] | None:
    """Return the cells with the columns that they overlap most, or all columns of a head below."""
    is_lowest = _is_lowest(below, columns)
    free = [cell for cell in cells if cell not in dict(ruled)]
    if is_lowest:
        free = [part for cell in free for part in _parts(cell, line, columns)]
    taken = {position for _, positions in ruled for position in positions}
    owners = [
        None if index in taken else _owner(box, free) for index, box in enumerate(columns.boxes)
    ]
    spans = list(ruled)
    for number, cell in enumerate(free):
        positions = {index for index, owner in enumerate(owners) if owner == number}
        for other, others in below:
            if cell.start < other.end and other.start < cell.end and positions & {*others}:
                positions |= {*others}
        span = sorted(positions)
        is_clear = len(span) == 1 or not is_lowest or _is_pair(cell, span, columns)
        if not span or not is_clear:
            return None
        spans.append((cell, span))
    return spans


def _is_pair(cell: GridCell, positions: Sequence[int], columns: TableColumns) -> bool:
    is_pair = len(positions) == 2 and positions[1] == positions[0] + 1
    return is_pair and _stands_above(cell, range(positions[0], positions[0] + 2), columns)


def _owner(box: Extent, cells: Sequence[GridCell]) -> int | None:
    """Return the index of the cell that overlaps a column most."""
    overlaps = [min(box[1], cell.end) - max(box[0], cell.start) for cell in cells]
    largest_overlap = max(overlaps, default=0)
    if largest_overlap <= 0:
        return None
    index = overlaps.index(largest_overlap)
    return index if largest_overlap > _OVERLAP * (cells[index].end - cells[index].start) else None


def _widen(spans: Sequence[CellSpan], columns: TableColumns) -> list[CellSpan]:
    """Return spans widened to the most free columns that they end with or are in the middle of."""
    ordered = sorted(spans)
    widened: list[CellSpan] = []
    for number, (cell, positions) in enumerate(ordered):
        first = max(widened[-1][1]) + 1 if widened else 0
        after = min(ordered[number + 1][1]) if number + 1 < len(ordered) else len(columns.boxes)
        stops = range(max(positions) + 1, after + 1)
        groups = [
            range(start, stop) for start in range(first, min(positions) + 1) for stop in stops
        ]
        above = [group for group in groups if _stands_above(cell, group, columns)]
        aligned = [group for group in above if _ends_with(cell, group, columns)]
        widened.append((cell, max(aligned or above, key=len, default=positions)))
    return widened


def _stands_above(cell: GridCell, group: range, columns: TableColumns) -> bool:
    """Return whether a cell is in the middle of a group of columns or ends with it."""
    return _ends_with(cell, group, columns) or _distance(cell, group, columns) < _CENTRAL


def _ends_with(cell: GridCell, group: range, columns: TableColumns) -> bool:
    return abs(cell.end - columns.extents[group[-1]][1]) < _ALIGNED


def _distance(cell: GridCell, group: range, columns: TableColumns) -> float:
    """Return how far a cell is from the middle of some columns, as a share of their width."""
    left = columns.extents[group[0]][0]
    right = columns.extents[group[-1]][1]
    return abs(middle(cell) - middle((left, right))) / (right - left)


def _parts(cell: GridCell, line: PageLine, columns: TableColumns) -> list[GridCell]:
    """Return the heads of several columns that nearly touch, divided at the widest spaces.

    Return the whole cell if a part is not above a column.
    """
    words = [word for word in line.words if cell.start <= word.start < cell.end]
    count = len(columns.find_overlaps(cell))
    if not 1 < count <= len(words):
        return [cell]

    def space(index: int) -> float:
        return words[index].start - words[index - 1].end

    cuts = sorted(sorted(range(1, len(words)), key=space)[1 - count :])
    parts = []
    for start, end in pairwise([0, *cuts, len(words)]):
        text = " ".join(word.text for word in words[start:end])
        parts.append(GridCell(words[start].start, words[end - 1].end, text))
    owners = {_owner(box, parts) for box in columns.boxes}
    return parts if owners >= {*range(len(parts))} else [cell]
