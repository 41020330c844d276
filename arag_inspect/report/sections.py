"""Sections of a report, with their tables in reading order."""

from collections.abc import Callable, Mapping, Sequence

from .._util.errors import check_choice
from ..types.additions import ADDITIONS
from .analyses import find_analyses
from .analysis import Analysis
from .study import Study
from .table import Table

SECTIONS = {
    "changes": "What differs",
    "moves": "Regressions and gains",
    "overview": "Overview",
    "quality": "Quality",
    "cost": "Cost",
    "retrieval": "Retrieval",
    "errors": "Errors",
    "samples": "Samples",
    "method": "Method and details",
    "appendix": "Samples behind the figures",
}
"""Titles of the sections by id, in reading order; sections of benchmarks follow quality."""

Tables = Mapping[tuple[str, str], Sequence[Callable[[Study], Table | None]]]
"""Analyses of a section, or functions that make its tables, by its id and title."""


def tables_by_section(more: Sequence[Analysis] = ()) -> Tables:
    """Return the analyses of a report, and the sections that benchmarks add.

    Args:
        more: Analyses of the caller.

    Raises:
        InputError: An analysis has no section, or an unknown section.
    """
    analyses: dict[str, list[Analysis]] = {name: [] for name in SECTIONS}
    for analysis in sorted((*find_analyses(), *more), key=lambda analysis: analysis.order):
        check_choice(f"section of the analysis {analysis.id}", analysis.section, tuple(SECTIONS))
        analyses[analysis.section].append(analysis)
    tables: dict[tuple[str, str], Sequence[Callable[[Study], Table | None]]] = {}
    for name, title in SECTIONS.items():
        tables[name, title] = analyses[name]
        if name == "quality":
            for addition in ADDITIONS.value:
                tables |= addition.tables() if addition.tables is not None else {}
    return tables
