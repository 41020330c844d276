"""Composite faithfulness: systems, cases, parts, ranks and correlations, by judge."""

from collections.abc import Callable, Sequence
from typing import Any

import altair as alt

from arag_inspect.report.build import BenchmarkReport
from arag_inspect.report.charts.chart import WIDTH, Chart, rows_of, scale_of_colors
from arag_inspect.report.table import Table, raw
from arag_inspect.stats.estimates import Estimate

Rows = list[dict[str, Any]]
Drawn = tuple[str, str, alt.TopLevelMixin]
"""Title, description and drawing."""

_SHARE = alt.Scale(domain=[0, 1])


def charts(report: BenchmarkReport) -> list[Chart]:
    """Return every chart of composite faithfulness that the report has a table for."""
    made = [
        (name, draw(table))
        for name, of, draw in _DRAWN
        if (table := report.table(of)) is not None and table.rows
    ]
    return [Chart(name, "pillars", *chart) for name, chart in made]


def _overall(table: Table) -> Drawn:
    """Draw the composite and its parts by system."""
    names = list(table.columns[2:])
    rows = [
        _mean(str(system), cell, measure=name)
        for _, system, *cells in table.rows
        for name, cell in zip(names, cells, strict=True)
        if isinstance(cell, Estimate)
    ]
    listed = "; ".join(f"{row['system']} {row['measure']} {row['mean']:.2f}" for row in rows)
    drawing = _intervals(rows, "measure", names)
    return "Composite faithfulness and its parts", f"Means by system: {listed}.", drawing


def _ranking(table: Table) -> Drawn:
    """Draw systems by composite, best first, with the mean by each judge."""
    rows = [
        _mean(str(system), cell, judge=judge, rank=rank)
        for judge, rank, system, cell, *_ in table.rows
        if isinstance(cell, Estimate)
    ]
    listed = "; ".join(f"{r['judge']}: {r['rank']} {r['system']} {r['mean']:.2f}" for r in rows)
    text = f"Systems from the best composite to the worst. {listed}."
    return "Ranking by each judge", text, _intervals(rows, "judge", _distinct(rows, "judge"))


def _mean(system: str, cell: Estimate, **more: object) -> dict[str, Any]:
    ends = {"mean": cell.mean, "low": cell.low, "high": cell.high}
    return {"system": system, **ends, **more}


def _intervals(rows: Rows, field: str, names: list[str]) -> alt.TopLevelMixin:
    """Draw means with their intervals by system, one colour for each name of a field."""
    base = alt.Chart(rows_of(rows)).encode(
        y=alt.Y("system:N", title=None, sort=_distinct(rows, "system")),
        yOffset=alt.YOffset(f"{field}:N", sort=names),
        color=_color(field, names),
    )
    mean = alt.X("mean:Q", title="Mean with its 95 % interval", scale=_SHARE)
    more = ["rank:Q"] if any("rank" in row for row in rows) else []
    tooltip = ["system:N", f"{field}:N", *more, alt.Tooltip("mean:Q", format=".3f")]
    layers = alt.layer(
        base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", scale=_SHARE), x2="high:Q"),
        base.mark_point(filled=True, size=80, opacity=1).encode(x=mean, tooltip=tooltip),
    )
    return layers.properties(width=WIDTH, height=alt.Step(16))


def _parts(table: Table) -> Drawn:
    """Draw the weighted parts of the composite, stacked, by judge and system."""
    parts = [column.removesuffix(", weighted") for column in table.columns[4:]]
    rows: Rows = [
        {"judge": judge, "system": str(system), "part": part, "value": value, "order": n}
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
        color=_color("part", parts),
        order=alt.Order("order:Q"),
        tooltip=["judge:N", "system:N", "part:N", alt.Tooltip("value:Q", format=".3f")],
    )
    listed = "; ".join(f"{r['judge']}, {r['system']}: {r['part']} {r['value']:.2f}" for r in rows)
    return "Parts of the composite by judge", f"Means: {listed}.", drawing


def _cases(table: Table) -> Drawn:
    """Draw the composite of every case, one mark per judge, one row per system."""
    rows = [
        {"case": case, "judge": judge, "system": system, "value": value}
        for case, *values in table.rows
        for column, value in zip(table.columns[1:], values, strict=True)
        if value is not None
        for judge, _, system in [column.partition(": ")]
    ]
    cases, judges = [str(row[0]) for row in table.rows], _distinct(rows, "judge")
    drawing = _facets(
        alt.Chart(rows_of(rows)).mark_point(filled=True, size=60, opacity=0.8),
        "system",
        140,
        max(WIDTH, min(1100, 14 * len(cases))),
        x=alt.X("case:N", title="Case, worst first", sort=cases),
        y=alt.Y("value:Q", title="Composite", scale=_SHARE),
        color=_color("judge", judges),
        shape=alt.Shape("judge:N", title="Judge", scale=alt.Scale(domain=judges)),
        tooltip=["case:N", "judge:N", "system:N", alt.Tooltip("value:Q", format=".3f")],
    )
    text = (
        f"Composite faithfulness of {len(cases)} cases by {', '.join(judges)}; the table of the "
        "same name has the values."
    )
    return "Composite of every case by judge", text, drawing


def _correlations(table: Table) -> Drawn:
    """Draw Kendall's tau of every two measures, with its p."""
    rows: Rows = [
        {"a": a, "b": b, "n": n, "tau": tau, "p": raw(p), "shown": f"{tau:.2f}"}
        for first, second, n, tau, p, _ in table.rows
        for a, b in ((first, second), (second, first))
    ]
    names = _distinct(rows, "a")
    base = alt.Chart(rows_of(rows)).encode(
        x=alt.X("a:N", title=None, sort=names, axis=alt.Axis(labelAngle=-40, labelLimit=220)),
        y=alt.Y("b:N", title=None, sort=names, axis=alt.Axis(labelLimit=220)),
        tooltip=["a:N", "b:N", "n:Q", "tau:Q", alt.Tooltip("p:Q", format=".4f")],
    )
    colors = alt.Scale(domain=[-1, 1], scheme="purpleorange")
    faint = alt.condition("datum.p < 0.05", alt.value(1), alt.value(0.6))
    drawing = alt.layer(
        base.mark_rect().encode(color=alt.Color("tau:Q", title="tau", scale=colors)),
        base.mark_text(fontSize=11).encode(text="shown:N", opacity=faint),
    )
    listed = "; ".join(
        f"{row[0]} / {row[1]} {row[3]:.2f} (p {raw(row[4]):.3f})" for row in table.rows
    )
    text = f"Kendall's tau-b, faint where p is 0.05 or more: {listed}."
    drawing = drawing.properties(width=alt.Step(46), height=alt.Step(30))
    return "Composite, parts and overlap: correlation", text, drawing


def _facets(
    marks: alt.Chart, row: str, height: int | alt.Step, width: int = WIDTH, **encodings: Any
) -> alt.TopLevelMixin:
    drawing = marks.encode(**encodings).properties(width=width, height=height)
    return drawing.facet(row=alt.Row(f"{row}:N", title=None))


def _color(field: str, names: Sequence[str]) -> alt.Color:
    return alt.Color(f"{field}:N", title=field.capitalize(), scale=scale_of_colors(names))


def _distinct(rows: Rows, field: str) -> list[str]:
    return list(dict.fromkeys(str(row[field]) for row in rows))


_DRAWN: tuple[tuple[str, str, Callable[[Table], Drawn]], ...] = (
    ("faithfulness", "pillars", _overall),
    ("ranking", "composite_by_judge", _ranking),
    ("parts_by_judge", "composite_by_judge", _parts),
    ("composite_cases", "composite_cases", _cases),
    ("composite_correlations", "composite_correlations", _correlations),
)
"""Name of each chart, and the table that it draws."""
