"""Composite faithfulness: systems, cases, parts, ranks and correlations, by judge."""

from collections.abc import Iterator, Mapping

from arag_inspect.report.chart import WIDTH, Chart, Spec, rows_of, scale_of_series
from arag_inspect.report.drawing import (
    ALL,
    chart_of,
    distinct,
    heat_map,
    layer_of,
    melt,
    nominal,
    quantitative,
    records,
)
from arag_inspect.report.frames import Row
from arag_inspect.report.table import Table
from arag_inspect.stats.estimates import Estimate

_SHARE = {"domain": [0, 1]}


def charts(tables: Mapping[str, Table]) -> Iterator[Chart]:
    """Yield the charts of composite faithfulness for the tables of a report."""
    pillars = tables.get("pillars")
    if pillars:
        rows = [*_mean_rows(pillars)]
        yield _intervals("faithfulness", "Composite faithfulness and its parts", rows, "measure")
    composites = tables.get("composite_by_judge")
    if composites:
        rows = [
            {"judge": judge, "rank": rank, "system": system, **_mean(cell)}
            for judge, rank, system, cell, *_ in composites.rows
            if isinstance(cell, Estimate)
        ]
        yield _intervals("ranking", "Ranking by each judge", rows, "judge")
        yield _composite_chart(composites)
    cases = tables.get("composite_cases")
    if cases:
        heading = Chart("composite_cases", "pillars", "Composite of every case by judge")
        rows = melt(cases, 1, "row", "composite")
        for row in rows:
            row["judge"], _, row["system"] = str(row["row"]).partition(": ")
        judges = [ALL, *distinct(rows, "judge")]
        axes = "case", "row", "composite"
        yield heat_map(heading, rows, *axes, filter_field="judge", options=judges)
    correlations = tables.get("composite_correlations")
    if correlations:
        yield _correlations(correlations)


def _mean_rows(pillars: Table) -> Iterator[Row]:
    """Yield the mean of each system in each measure."""
    for _, system, *cells in pillars.rows:
        for name, cell in zip(pillars.columns[2:], cells, strict=True):
            if isinstance(cell, Estimate):
                yield {"system": system, "measure": name, **_mean(cell)}


def _mean(cell: Estimate) -> Row:
    return {"mean": cell.mean, "low": cell.low, "high": cell.high}


def _intervals(name: str, title: str, rows: list[Row], field: str) -> Chart:
    """Draw means with their intervals by system, one colour for each value of a field."""
    encoding = {
        "y": nominal("system", sort=None),
        "yOffset": nominal(field, sort=None),
        "color": nominal(field, scale=scale_of_series(distinct(rows, field))),
    }
    title_of_axis = "Mean with its 95 % interval"
    low = quantitative("low", title_of_axis, scale=_SHARE)
    mean = quantitative("mean", title_of_axis)
    layers = [
        layer_of({"type": "rule", "strokeWidth": 2}, rows, **encoding, x=low, x2={"field": "high"}),
        layer_of({"type": "point", "filled": True, "size": 80}, rows, **encoding, x=mean),
    ]
    values_text = "; ".join(f"{row['system']}, {row[field]}: {row['mean']:.2f}" for row in rows)
    return _layer_chart(name, title, rows, layers, values_text, 16)


def _layer_chart(
    name: str, title: str, rows: list[Row], layers: list[Spec], values_text: str, step: int
) -> Chart:
    size = {"width": WIDTH, "height": {"step": step}}
    spec = {"data": rows_of(rows), **size, "layer": layers}
    return Chart(name, "pillars", title, f"{title}: {values_text}.", spec)


def _composite_chart(table: Table) -> Chart:
    """Draw the weighted parts of the composite, stacked, by judge and system."""
    rows: list[Row] = []
    for judge, _, system, _, *values in table.rows:
        label = f"{judge}: {system}"
        for part, value in zip(table.columns[4:], values, strict=True):
            if value is not None:
                row = {"judge": judge, "system": system, "part": part, "value": value}
                rows.append({**row, "row": label})
    return chart_of(
        Chart("parts_by_judge", "pillars", "Parts of the composite by judge"),
        rows,
        {"type": "bar"},
        x=quantitative("value", "Composite, as the sum of its weighted parts", scale=_SHARE),
        y=nominal("row", sort=None),
        color=nominal("part", scale=scale_of_series(distinct(rows, "part"))),
    )


def _correlations(table: Table) -> Chart:
    """Draw Kendall's tau of each pair of measures; grey where p is 0.05 or more."""
    pairs = records(table)
    rows = pairs + [row | {"a": row["b"], "b": row["a"]} for row in pairs]
    names = distinct(rows, "a")
    x = nominal("a", sort=names, axis={"labelAngle": -40})
    axes = {"x": x, "y": nominal("b", sort=names)}
    grey = {"test": "datum.p >= 0.05", "value": "#cccccc"}
    scale = {"domain": [-1, 1], "scheme": "purpleorange"}
    color = quantitative("tau", "Kendall's tau", scale=scale) | {"condition": grey}
    layers = [
        layer_of({"type": "rect"}, rows, **axes, color=color),
        layer_of({"type": "text"}, rows, **axes, text=quantitative("tau", format=".2f")),
    ]
    title = "Composite, parts and overlap: correlation"
    pair_texts = (f"{row['a']} / {row['b']} {row['tau']:.2f} (p {row['p']:.3f})" for row in pairs)
    return _layer_chart("composite_correlations", title, rows, layers, "; ".join(pair_texts), 30)
