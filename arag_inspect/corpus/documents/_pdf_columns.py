"""Find the columns of a table in a PDF, and the cells in them."""

from collections.abc import Iterable, Sequence
from itertools import chain, pairwise

from ._grid import GridCell, join_signs, middle
from ._pdf_lines import PageLine, is_figure, is_year

Extent = tuple[float, float]
"""Left and right edge."""

LabelledRow = Sequence[GridCell]
"""A label and the cells to the right of it."""

_RARE = 0.2
"""Smallest share of rows with words in a column of words."""


class TableColumns:
    """Where the labels and the columns of a table are."""

    def __init__(self, rows: Sequence[LabelledRow]) -> None:
        """Find the columns of some rows.

        Figures that overlap share a column. Words beside the figures make further columns.
        """
        cells = list(chain.from_iterable(row[1:] for row in rows))
        figures = _merge_extents(cell for cell in cells if is_figure(cell.text))
        words = _word_columns(cells, figures, _RARE * len(rows))
        self.extents: list[Extent] = sorted([*figures, *words])
        """The edges of the text in each column."""

        self.margin = min(row[0].start for row in rows)
        """Left edge of the labels."""

        edges = [_edge(left, right, left in words) for left, right in pairwise(self.extents)]
        self.boxes: list[Extent] = list(pairwise([self._left_edge(), *edges, self.extents[-1][1]]))
        """The columns with the space to the left of figures and around words."""

    def _left_edge(self) -> float:
        """Return the left edge of the first column, as wide as the second one."""
        start, end = self.extents[0]
        if len(self.extents) == 1:
            return (self.margin + end) / 2
        width = self.extents[1][1] - end
        return max(self.margin, min(start, end - width))

    def above(self, line: PageLine) -> list[GridCell]:
        """Return the cells of a line of a head that are above columns, not above the labels."""
        margin = self.margin + line.height
        left = self.boxes[0][0]
        return [cell for cell in line.cells if cell.start > margin and middle(cell) > left]

    def find_overlaps(self, cell: GridCell) -> list[int]:
        """Return the indices of the columns that a cell of a head overlaps."""
        return _find_overlaps(cell, self.boxes)

    def cells(self, line: PageLine) -> Sequence[GridCell]:
        """Return the cells of a row; figures that nearly touch its label are separate cells."""
        label = line.cells[0]
        left = self.extents[0][0]
        words = [word for word in line.words if word.end <= label.end]
        beside = join_signs([word for word in words if word.start >= left])
        before = [word for word in words if word.start < left]
        is_label = bool(before) and before[-1].end <= left
        if not (is_label and beside and all(self._is_figure_of_column(cell) for cell in beside)):
            return line.cells
        text = " ".join(word.text for word in before)
        return [GridCell(label.start, before[-1].end, text), *beside, *line.cells[1:]]

    def _is_figure_of_column(self, cell: GridCell) -> bool:
        is_amount = is_figure(cell.text) and not is_year(cell.text)
        return is_amount and len(_find_overlaps(cell, self.extents)) == 1

    def texts(self, row: LabelledRow) -> list[str] | None:
        """Return the label of a row and the text in each column; None if that is unclear."""
        texts = [""] * (1 + len(self.extents))
        left = self.extents[0][0]
        for number, cell in enumerate(row):
            positions = _find_overlaps(cell, self.extents)
            is_label = number == 0 and not (positions and is_figure(cell.text))
            if is_label and (not positions or cell.start < left):
                texts[0] = cell.text
            elif not positions and cell.end <= left:
                texts[0] = f"{texts[0]} {cell.text}"
            elif len(positions) != 1 or texts[1 + positions[0]]:
                return None
            else:
                texts[1 + positions[0]] = cell.text
        return texts


def _edge(left: Extent, right: Extent, is_words: bool) -> float:
    """Return where a column ends: figures are aligned right, words left."""
    return (left[1] + right[0]) / 2 if is_words else left[1]


def _word_columns(
    cells: Iterable[GridCell], figures: Sequence[Extent], fewest: float
) -> list[Extent]:
    """Return the columns of words with enough cells beside the columns of figures."""
    words = (cell for cell in cells if not is_figure(cell.text))
    other_words = [cell for cell in words if not _find_overlaps(cell, figures)]
    return [
        column
        for column in _merge_extents(other_words)
        if sum(bool(_find_overlaps(cell, [column])) for cell in other_words) >= fewest
    ]


def _merge_extents(cells: Iterable[GridCell]) -> list[Extent]:
    """Return the extents of cells; cells that overlap share one."""
    extents: list[Extent] = []
    for start, end, _ in sorted(cells):
        if extents and start < extents[-1][1]:
            extents[-1] = extents[-1][0], max(extents[-1][1], end)
        else:
            extents.append((start, end))
    return extents


def _find_overlaps(cell: GridCell, extents: Sequence[Extent]) -> list[int]:
    """Return the indices of the extents that a cell overlaps."""
    return [i for i, (start, end) in enumerate(extents) if cell.start < end and start < cell.end]
