"""Composite faithfulness: systems, cases, parts, ranks and correlations, by judge."""

from typing import Any

import altair as alt

from arag_inspect.report.build import BenchmarkReport
from arag_inspect.report.charts.chart import WIDTH, Chart, rows_of, scale_of_colors
from arag_inspect.report.labels import label_of
from arag_inspect.report.table import raw
from arag_inspect.stats.estimates import Estimate

from .report import by_judge

_SECTION = "pillars"
_SHARE = alt.Scale(domain=[0, 1])


def charts(report: BenchmarkReport) -> list[Chart]:
    """Return every chart of composite faithfulness that the report has values for."""
    drawn = (overall, ranking, parts_by_judge, composite_cases, correlations)
    return [chart for draw in drawn if (chart := draw(report)) is not None]


def overall(report: BenchmarkReport) -> Chart | None:
    """Draw the composite and its parts by system, with intervals."""
    table = report.table("pillars")
    if table is None:
        return None
    rows = [
        {
            "system": label_of(str(system)),
            "measure": label,
            "mean": cell.mean,
            "low": cell.low,
            "high": cell.high,
        }
        for _, system, *cells in table.rows
        for label, cell in zip(table.columns[2:], cells, strict=True)
        if isinstance(cell, Estimate)
    ]
    if not rows:
        return None
    base = alt.Chart(rows_of(rows)).encode(
        y=alt.Y("system:N", title=None, sort=[label_of(str(row[1])) for row in table.rows]),
        color=_color("measure", list(table.columns[2:])),
        yOffset=alt.YOffset("measure:N", sort=list(table.columns[2:])),
    )
    drawing = alt.layer(
        base.mark_bar(opacity=0.75, clip=True).encode(
            x=alt.X("mean:Q", title="Mean with its 95 % interval", scale=_SHARE),
            tooltip=["system:N", "measure:N", alt.Tooltip("mean:Q", format=".3f")],
        ),
        base.mark_rule(strokeWidth=2).encode(x="low:Q", x2="high:Q", color=alt.value("#444444")),
    )
    listed = "; ".join(f"{row['system']} {row['measure']} {row['mean']:.2f}" for row in rows)
    return Chart(
        "faithfulness",
        _SECTION,
        "Composite faithfulness and its parts",
        f"Means by system: {listed}.",
        drawing.properties(width=WIDTH, height=alt.Step(14)),
    )


def composite_cases(report: BenchmarkReport) -> Chart | None:
    """Draw the composite of every case, one mark per judge, one row per system."""
    table = report.table("composite_cases")
    if table is None:
        return None
    order = {str(row[0]): position for position, row in enumerate(table.rows)}
    judged = by_judge(report.benchmark).dropna(subset=["value"])
    own = judged[judged["id"].isin(order)]
    own = own.sort_values("id", key=lambda ids: ids.map(order), kind="stable")
    rows = [
        {"case": row.id, "judge": row.judge, "system": label_of(row.system), "value": row.value}
        for row in own.itertuples()
    ]
    if not rows:
        return None
    cases, judges = _distinct(rows, "case"), _distinct(rows, "judge")
    drawing = (
        alt.Chart(rows_of(rows))
        .mark_point(filled=True, size=60, opacity=0.8)
        .encode(
            x=alt.X("case:N", title="Case, worst first", sort=cases),
            y=alt.Y("value:Q", title="Composite", scale=_SHARE),
            color=_color("judge", judges),
            shape=alt.Shape("judge:N", title="Judge", scale=alt.Scale(domain=judges)),
            tooltip=["case:N", "judge:N", "system:N", alt.Tooltip("value:Q", format=".3f")],
        )
        .properties(width=max(WIDTH, min(1100, 14 * len(cases))), height=140)
        .facet(row=alt.Row("system:N", title=None))
    )
    return Chart(
        "composite_cases",
        _SECTION,
        "Composite of every case by judge",
        f"Composite faithfulness of {len(cases)} cases by {', '.join(judges)}; the table of the "
        "same name has the values.",
        drawing,
    )


def parts_by_judge(report: BenchmarkReport) -> Chart | None:
    """Draw the weighted parts of the composite, stacked, by judge and system."""
    table = report.table("composite_by_judge")
    if table is None:
        return None
    parts = [column.removesuffix(", weighted") for column in table.columns[4:]]
    rows: list[dict[str, Any]] = [
        {"judge": judge, "system": label_of(str(system)), "part": part, "value": value, "order": n}
        for judge, _, system, _, *cells in table.rows
        for n, (part, value) in enumerate(zip(parts, cells, strict=True))
        if value is not None
    ]
    drawing = (
        alt.Chart(rows_of(rows))
        .mark_bar()
        .encode(
            x=alt.X("value:Q", title="Composite, as the sum of its weighted parts", scale=_SHARE),
            y=alt.Y("system:N", title=None),
            color=_color("part", parts),
            order=alt.Order("order:Q"),
            tooltip=["judge:N", "system:N", "part:N", alt.Tooltip("value:Q", format=".3f")],
        )
        .properties(width=WIDTH, height=alt.Step(24))
        .facet(row=alt.Row("judge:N", title=None))
    )
    listed = "; ".join(f"{r['judge']}, {r['system']}: {r['part']} {r['value']:.2f}" for r in rows)
    return Chart(
        "parts_by_judge", _SECTION, "Parts of the composite by judge", f"Means: {listed}.", drawing
    )


def ranking(report: BenchmarkReport) -> Chart | None:
    """Draw systems by composite, best first, with the mean by each judge."""
    table = report.table("composite_by_judge")
    best_first = report.table("pillars")
    if table is None or best_first is None:
        return None
    rows = [
        {
            "judge": judge,
            "system": label_of(str(system)),
            "rank": rank,
            "mean": mean.mean,
            "low": mean.low,
            "high": mean.high,
        }
        for judge, rank, system, mean, *_ in table.rows
        if isinstance(mean, Estimate)
    ]
    order = [label_of(str(row[1])) for row in best_first.rows]
    base = alt.Chart(rows_of(rows)).encode(
        y=alt.Y("system:N", title=None, sort=order),
        yOffset=alt.YOffset("judge:N"),
        color=_color("judge", _distinct(rows, "judge")),
    )
    drawing = alt.layer(
        base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", scale=_SHARE), x2="high:Q"),
        base.mark_point(filled=True, size=80, opacity=1).encode(
            x=alt.X("mean:Q", title="Composite with its 95 % interval", scale=_SHARE),
            tooltip=["judge:N", "rank:Q", "system:N", alt.Tooltip("mean:Q", format=".3f")],
        ),
    )
    listed = "; ".join(f"{r['judge']}: {r['rank']} {r['system']} {r['mean']:.2f}" for r in rows)
    return Chart(
        "ranking",
        _SECTION,
        "Ranking by each judge",
        f"Systems from the best composite to the worst. {listed}.",
        drawing.properties(width=WIDTH, height=alt.Step(16)),
    )


def correlations(report: BenchmarkReport) -> Chart | None:
    """Draw Kendall's tau of every two measures, with its p."""
    table = report.table("composite_correlations")
    if table is None:
        return None
    rows: list[dict[str, Any]] = [
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
    drawing = alt.layer(
        base.mark_rect().encode(
            color=alt.Color(
                "tau:Q", title="tau", scale=alt.Scale(domain=[-1, 1], scheme="purpleorange")
            )
        ),
        base.mark_text(fontSize=11).encode(
            text="shown:N", opacity=alt.condition("datum.p < 0.05", alt.value(1), alt.value(0.6))
        ),
    )
    listed = "; ".join(
        f"{row[0]} / {row[1]} {row[3]:.2f} (p {raw(row[4]):.3f})" for row in table.rows
    )
    return Chart(
        "composite_correlations",
        _SECTION,
        "Composite, parts and overlap: correlation",
        f"Kendall's tau-b, faint where p is 0.05 or more: {listed}.",
        drawing.properties(width=alt.Step(46), height=alt.Step(30)),
    )


def _color(field: str, names: list[str]) -> alt.Color:
    return alt.Color(f"{field}:N", title=field.capitalize(), scale=scale_of_colors(names))


def _distinct(rows: list[dict[str, Any]], field: str) -> list[str]:
    return list(dict.fromkeys(str(row[field]) for row in rows))
