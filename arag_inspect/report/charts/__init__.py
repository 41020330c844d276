"""Every chart of the core, in reading order."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from ...types.additions import ADDITIONS
from ..chart import Chart
from ..study import Study
from ..table import Table
from .frontier import frontier
from .of_scores import differences, spread
from .of_tables import OF_TABLES

__all__ = ["charts"]


def charts(study: Study, sections: Mapping[str, Sequence[Table]]) -> Iterator[Chart]:
    """Yield every chart that a benchmark allows, in reading order."""
    tables = {table.id: table for table in chain.from_iterable(sections.values())}
    yield from differences(study, "primary")
    yield from differences(study, "secondary")
    yield from frontier(study)
    for name, draw in OF_TABLES.items():
        chart = draw(study, tables[name]) if name in tables else None
        if chart is not None:
            yield chart
    yield from spread(study)
    for section in sections:
        for addition in ADDITIONS.value:
            if section in addition.charts:
                yield from addition.charts[section](tables)
