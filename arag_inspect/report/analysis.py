"""Analyses: rows computed from a study, with their place in a report and their meaning."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .._util.errors import InputError
from .._util.wording import plural
from .cells import Cell
from .study import Study, cached_per_study
from .table import Table

Words = Mapping[str, str]
"""Replacements of `{name}` in titles and texts, by name; empty for sentences that do not apply."""

RowCells = Mapping[str, "Cell | RowCells"]
"""Cells by heading; nested cells by heading fill several columns."""

Rows = Callable[[Study], Iterable[RowCells]]

_NAMED = re.compile(r"\{(\w+)\}")
_SPACES = re.compile(" {2,}")


@dataclass(frozen=True, eq=False)
class Analysis:
    """A table of a report, on the page, in Markdown and as CSV; made by `analysis`."""

    id: str
    """For links and file names."""

    title: str
    text: str
    """What the table shows and how to read it."""

    rows: Rows
    words: Callable[[Study], Words]
    """Replacements other than `{clusters}`."""

    meanings: Mapping[str, str] = field(default_factory=dict)
    """Explanations of headings, beyond those that tables share (`page/columns.yaml`)."""

    section: str = ""
    """Id of its section in `sections.py`."""

    order: int = 1000
    """Sort position in its section, lowest first."""

    def __call__(self, study: Study) -> Table | None:
        """Return the table, computed once for everything that shows it; None without rows."""
        return _tabulate(study, self)


def analysis(
    title: str,
    text: str,
    *,
    id: str = "",
    words: Callable[[Study], Words] = lambda study: {},
    meanings: Mapping[str, str] | None = None,
    section: str = "",
    order: int = Analysis.order,
) -> Callable[[Rows], Analysis]:
    """Declare an analysis with the function that computes its rows.

    Args:
        title: Title of the table.
        text: What the table shows and how to read it; line breaks are spaces.
        id: See `Analysis`; the function's name by default.
        words: See `Analysis`.
        meanings: See `Analysis`.
        section: See `Analysis`.
        order: See `Analysis`.

    Returns:
        A decorator that returns the analysis.
    """

    def declare(rows: Rows) -> Analysis:
        return Analysis(
            id=id or getattr(rows, "__name__", ""),
            title=title,
            text=" ".join(text.split()),
            rows=rows,
            words=words,
            meanings=meanings or {},
            section=section,
            order=order,
        )

    return declare


@cached_per_study
def _tabulate(study: Study, analysis: Analysis) -> Table | None:
    rows = list(analysis.rows(study))
    if not rows:
        return None
    words = {"clusters": plural(study.cluster), **analysis.words(study)}
    title, text = (_fill(part, words) for part in (analysis.title, analysis.text))
    cells = [list(_cells_of(row)) for row in rows]
    columns = tuple(heading for heading, _ in cells[0])
    for number, row in enumerate(cells, 1):
        _check_headings(analysis, number, [heading for heading, _ in row], columns)
    values = tuple(tuple(cell for _, cell in row) for row in cells)
    return Table(analysis.id, title, text, columns, values, analysis.meanings)


def _check_headings(
    analysis: Analysis, number: int, headings: Sequence[str], columns: Sequence[str]
) -> None:
    """Check that a row has the headings of the first row, in their order.

    Raises:
        InputError: It has others.
    """
    missing = [heading for heading in columns if heading not in headings]
    extra = [heading for heading in headings if heading not in columns]
    if missing:
        problem = f"lacks {', '.join(missing)}"
    elif extra:
        problem = f"also has {', '.join(extra)}"
    elif list(headings) != list(columns):
        problem = f"has its cells in another order: {', '.join(headings)}"
    else:
        return
    raise InputError(
        f"rows of the analysis {analysis.id} have different headings: row {number} {problem}; "
        "give every row the cells of the first one, None where it has no value"
    )


def _cells_of(row: RowCells) -> Iterator[tuple[str, Cell]]:
    """Yield the heading and the content of each cell of a row."""
    for heading, cell in row.items():
        if isinstance(cell, Mapping):
            yield from _cells_of(cell)
        else:
            yield heading, cell


def _fill(text: str, words: Words) -> str:
    filled = _NAMED.sub(lambda name: words[name[1]], text)
    return _SPACES.sub(" ", filled).strip()
