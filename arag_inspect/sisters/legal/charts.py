"""Composite faithfulness: systems, cases, parts, ranks and correlations, by judge."""

from collections.abc import Callable, Mapping
from typing import Any

import altair as alt

from arag_inspect.report.chart import WIDTH, Chart, rows_of, scale_of_series
from arag_inspect.report.table import Table, raw
from arag_inspect.stats.estimates import Estimate

Rows = list[dict[str, Any]]
Drawn = tuple[str, str, alt.TopLevelMixin]
"""Title, description and drawing."""

_SHARE = alt.Scale(domain=[0, 1])


def charts(tables: Mapping[str, Table]) -> list[Chart]:
    """Return every chart of composite faithfulness that a report has a table for."""
    return [
        Chart(name, "pillars", *draw(tables[of]))
        for name, (of, draw) in _DRAWN.items()
        if of in tables
    ]


def _overall(table: Table) -> Drawn:
    """Draw the composite and its parts by system."""
    names = table.columns[2:]
    rows = [
        {"system": system, "measure": name, **_mean(cell)}
        for _, system, *cells in table.rows
        for name, cell in zip(names, cells, strict=True)
        if isinstance(cell, Estimate)
    ]
    text = f"Means by system: {_listed(rows, '{system} {measure} {mean:.2f}')}."
    return "Composite faithfulness and its parts", text, _intervals(rows, "measure")


def _ranking(table: Table) -> Drawn:
    """Draw systems by composite, best first, with the mean by each judge."""
    rows = [
        {"system": system, "judge": judge, "rank": rank, **_mean(cell)}
        for judge, rank, system, cell, *_ in table.rows
        if isinstance(cell, Estimate)
    ]
    listed = _listed(rows, "{judge}: {rank} {system} {mean:.2f}")
    text = f"Systems from the best composite to the worst. {listed}."
    return "Ranking by each judge", text, _intervals(rows, "judge")


def _mean(cell: Estimate) -> dict[str, Any]:
    return {"mean": cell.mean, "low": cell.low, "high": cell.high}


def _intervals(rows: Rows, field: str) -> alt.TopLevelMixin:
    """Draw means with their intervals by system, one colour for each name of a field."""
    base = alt.Chart(rows_of(rows)).encode(
        y=alt.Y("system:N", title=None, sort=_distinct(rows, "system")),
        yOffset=alt.YOffset(f"{field}:N", sort=_distinct(rows, field)),
        color=_color(rows, field),
        tooltip=_tip(rows),
    )
    mean = alt.X("mean:Q", title="Mean with its 95 % interval", scale=_SHARE)
    layers = alt.layer(
        base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", scale=_SHARE), x2="high:Q"),
        base.mark_point(filled=True, size=80, opacity=1).encode(x=mean),
    )
    return layers.properties(width=WIDTH, height=alt.Step(16))


def _parts(table: Table) -> Drawn:
    """Draw the weighted parts of the composite, stacked, by judge and system."""
    parts = [column.removesuffix(", weighted") for column in table.columns[4:]]
    rows: Rows = [
        {"judge": judge, "system": system, "part": part, "value": value, "order": n}
        for judge, _, system, _, *cells in table.rows
        for n, (part, value) in enumerate(zip(parts, cells, strict=True))
        if value is not None
    ]
    drawing = _facets(
        alt.Chart(rows_of(rows)).mark_bar(),
        "judge",
        alt.Step(24),
        x=alt.X("value:Q", title="Composite, as the sum of its weighted parts", scale=_SHARE),
        y=alt.Y("system:N", title=None),
        color=_color(rows, "part"),
        order=alt.Order("order:Q"),
        tooltip=_tip(rows),
    )
    text = f"Means: {_listed(rows, '{judge}, {system}: {part} {value:.2f}')}."
    return "Parts of the composite by judge", text, drawing


def _cases(table: Table) -> Drawn:
    """Draw the composite of every case, one mark per judge, one row per system."""
    rows: Rows = [
        {"case": case, "judge": judge, "system": system, "value": value}
        for case, *values in table.rows
        for column, value in zip(table.columns[1:], values, strict=True)
        if value is not None
        for judge, _, system in [column.partition(": ")]
    ]
    cases, judges = _distinct(rows, "case"), _distinct(rows, "judge")
    drawing = _facets(
        alt.Chart(rows_of(rows)).mark_point(filled=True, size=60, opacity=0.8),
        "system",
        140,
        max(WIDTH, min(1100, 14 * len(cases))),
        x=alt.X("case:N", title="Case, worst first", sort=cases),
        y=alt.Y("value:Q", title="Composite", scale=_SHARE),
        color=_color(rows, "judge"),
        shape=alt.Shape("judge:N", title="Judge", scale=alt.Scale(domain=judges)),
        tooltip=_tip(rows),
    )
    text = f"{len(cases)} cases by {', '.join(judges)}; the table of the same name has the values."
    return "Composite of every case by judge", text, drawing


def _correlations(table: Table) -> Drawn:
    """Draw Kendall's tau of every two measures, with its p."""
    rows: Rows = [
        {"a": a, "b": b, "n": n, "tau": tau, "p": raw(p)}
        for first, second, n, tau, p, _ in table.rows
        for a, b in ((first, second), (second, first))
    ]
    names = _distinct(rows, "a")
    base = alt.Chart(rows_of(rows)).encode(
        x=alt.X("a:N", title=None, sort=names, axis=alt.Axis(labelAngle=-40, labelLimit=220)),
        y=alt.Y("b:N", title=None, sort=names),
        tooltip=_tip(rows),
    )
    colors = alt.Scale(domain=[-1, 1], scheme="purpleorange")
    faint = alt.condition("datum.p < 0.05", alt.value(1), alt.value(0.6))
    drawing = alt.layer(
        base.mark_rect().encode(color=alt.Color("tau:Q", scale=colors)),
        base.mark_text(fontSize=11).encode(text=alt.Text("tau:Q", format=".2f"), opacity=faint),
    ).properties(width=alt.Step(46), height=alt.Step(30))
    listed = _listed(rows[::2], "{a} / {b} {tau:.2f} (p {p:.3f})")
    text = f"Kendall's tau-b, faint where p is 0.05 or more: {listed}."
    return "Composite, parts and overlap: correlation", text, drawing


def _facets(
    marks: alt.Chart, row: str, height: int | alt.Step, width: int = WIDTH, **encodings: Any
) -> alt.TopLevelMixin:
    drawing = marks.encode(**encodings).properties(width=width, height=height)
    return drawing.facet(row=alt.Row(f"{row}:N", title=None))


def _color(rows: Rows, field: str) -> alt.Color:
    scale = scale_of_series(_distinct(rows, field))
    return alt.Color(f"{field}:N", title=field.capitalize(), scale=scale)


def _tip(rows: Rows) -> list[alt.Tooltip]:
    return [alt.Tooltip(field=name, type="nominal", title=name) for name in rows[0]]


def _distinct(rows: Rows, field: str) -> list[str]:
    return list(dict.fromkeys(str(row[field]) for row in rows))


def _listed(rows: Rows, form: str) -> str:
    return "; ".join(form.format(**row) for row in rows)


_DRAWN: dict[str, tuple[str, Callable[[Table], Drawn]]] = {
    "faithfulness": ("pillars", _overall),
    "ranking": ("composite_by_judge", _ranking),
    "parts_by_judge": ("composite_by_judge", _parts),
    "composite_cases": ("composite_cases", _cases),
    "composite_correlations": ("composite_correlations", _correlations),
}
"""Table that each chart draws, and how."""
