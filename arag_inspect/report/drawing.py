"""Vega-Lite building blocks: kinds of charts and their parts, from rows with named fields."""

from collections.abc import Iterable, Sequence
from typing import Any

from ..measure import MeasureSpec
from .cells import raw, show
from .chart import WIDTH, Chart, Spec, rows_of, scale_of_systems
from .frames import Row
from .table import Table

GREY = "#7a7a7a"
"""Colour of lines and names that belong to no system."""

BAR = {"type": "bar"}
POINT = {"type": "point", "filled": True, "size": 80, "opacity": 0.9}

_MOST_PANELS = 12
"""Maximum number of measures side by side; the tables have all."""

ALL = "all judges"
"""Option of a heat map that hides no row."""


def chart_of(
    heading: Chart,
    rows: Sequence[Row],
    mark: Spec,
    *,
    height: Any = None,
    **encoding: Spec,
) -> Chart:
    """Return a chart of rows, which its description lists.

    Args:
        heading: Its name, section and title.
        rows: One row per mark; all fields are in the tooltip. A field `row` repeats others.
        mark: The mark.
        height: Height of the chart in pixels; None for one row per name.
        encoding: Field of each channel.
    """
    figures = "; ".join(map(_in_words, rows))
    spec = {
        "data": rows_of(rows),
        "width": WIDTH,
        "height": height or {"step": 34},
        **layer_of(mark, rows, **encoding),
    }
    return heading._replace(description=f"{heading.title}: {figures}.", drawing=spec)


def heat_map(
    heading: Chart,
    rows: Sequence[Row],
    x: str,
    y: str,
    value: str,
    *,
    filter_field: str,
    options: Sequence[str],
) -> Chart:
    """Return a heat map that the reader filters by one of a field's values.

    Args:
        heading: Its name, section and title.
        rows: One row per cell.
        x: Field of the columns.
        y: Field of the lines.
        value: Field of the colours.
        filter_field: Field to filter by.
        options: Values of that field, or `ALL`; the first is chosen at the beginning.
    """
    bind = {"input": "select", "options": options, "name": f"{filter_field.capitalize()}: "}
    columns = distinct(rows, x)
    ranges = []
    for option in options:
        values = [row[value] for row in rows if option in (ALL, row[filter_field])]
        ranges.append(f"{option} from {min(values):g} to {max(values):g}")
    title = f"{value}, from the lowest to the highest of the chosen {filter_field}"
    encoding = {
        "x": nominal(x, sort=columns, axis={"labels": len(columns) <= 40}),
        "y": nominal(y, sort=None),
        "color": quantitative(value, title, scale={"scheme": "viridis"}),
    }
    spec = {
        "data": rows_of(rows),
        "params": [{"name": "chosen", "value": options[0], "bind": bind}],
        "transform": [{"filter": f"chosen == datum.{filter_field} || chosen == '{ALL}'"}],
        "width": WIDTH,
        "height": {"step": 30},
        **layer_of({"type": "rect"}, rows, **encoding),
    }
    text = f"{heading.title}: {len(columns)}, by {y}, coloured by {value}: {', '.join(ranges)}."
    return heading._replace(description=text, drawing=spec)


def small_multiples(heading: Chart, text: str, rows: Sequence[Row], spec: Spec) -> Chart:
    """Return small charts side by side, one per measure."""
    measures = distinct(rows, "measure")[:_MOST_PANELS]
    facets = {
        "data": rows_of([row for row in rows if row["measure"] in measures]),
        "facet": nominal("measure", sort=measures),
        "columns": 3,
        "resolve": {"scale": {"x": "independent", "xOffset": "independent"}},
        "spec": {"width": 240, **spec},
    }
    return heading._replace(description=f"{text}.", drawing=facets)


def layer_of(mark: Spec, rows: Sequence[Row], **encoding: Spec) -> Spec:
    """Return a mark with its channels; all fields of the rows are in the tooltip."""
    tip = [{"field": field, "title": field} for field in rows[0]]
    return {"mark": mark, "encoding": {**encoding, "tooltip": tip}}


def nominal(field: str, title: str | None = None, **more: Any) -> Spec:
    """Return a nominal channel, with an optional title."""
    return {"field": field, "type": "nominal", "title": title, **more}


def quantitative(field: str, title: str | None = None, **more: Any) -> Spec:
    """Return a quantitative channel, with an optional title."""
    return {"field": field, "type": "quantitative", "title": title, **more}


def arrow(measure: MeasureSpec) -> str:
    """Return an arrow to a measure's better end; empty if it has no direction."""
    return {True: "↑", False: "↓", None: ""}[measure.higher_is_better]


def by_system(systems: Sequence[str]) -> Spec:
    """Return the channel that gives each system its colour."""
    return {"color": nominal("system", "System", scale=scale_of_systems(systems))}


def records(table: Table) -> list[Row]:
    """Return each row of a table as figures by column."""
    return [dict(zip(table.columns, map(raw, row), strict=True)) for row in table.rows]


def melt(table: Table, keys: int, heading: str, value: str) -> list[Row]:
    """Return a row per cell after the key columns: the keys, the heading, and the figure."""
    rows = []
    for row in table.rows:
        shared = dict(zip(table.columns, row[:keys], strict=False))
        for name, cell in zip(table.columns[keys:], row[keys:], strict=True):
            if cell is not None:
                rows.append({**shared, heading: name, value: raw(cell), "shown": show(cell)})
    return rows


def distinct(rows: Iterable[Row], field: str) -> list[str]:
    """Return the distinct values of a field, in row order."""
    return list(dict.fromkeys(str(row[field]) for row in rows))


def _in_words(row: Row) -> str:
    """Return a row's fields for a description, without those that only place or repeat others."""
    words = []
    for field, value in row.items():
        if field not in ("shown", "order", "row"):
            words.append(f"{value:.2f}" if isinstance(value, float) else str(value))
    return " ".join(words)
