"""Error codes, and agreement between judges."""

from typing import Any

import altair as alt

from ..build import BenchmarkReport
from ..labels import label_of
from ..table import raw
from .chart import WIDTH, Chart, labels_of, rows_of, scale_of_colors


def errors(report: BenchmarkReport) -> Chart | None:
    """Draw the errors per answer by system, stacked by code.

    A code that was not looked for has no bar.
    """
    failures = report.table("failures")
    counts = {row[:2]: row[2:] for row in (failures.rows if failures else ())}
    benchmark = report.benchmark
    rows: list[dict[str, Any]] = []
    names = benchmark.code_names
    for system in benchmark.systems:
        for name in benchmark.measures:
            code = name.removeprefix("error_taxonomy.")
            mean = benchmark.estimate(system, name) if code not in (name, "any") else None
            if mean is not None:
                count, part = counts.get((system, code), (0, None))
                rows.append(
                    {
                        "system": label_of(system),
                        "code": code,
                        "error": f"{code} {names[code]}" if code in names else code,
                        "share": mean.mean,
                        "of": mean.n,
                        "count": count,
                        "part": raw(part) or 0.0,
                    }
                )
    if not rows:
        return None
    kinds = list(dict.fromkeys(str(row["error"]) for row in rows))
    drawing = (
        alt.Chart(rows_of(rows))
        .mark_bar()
        .encode(
            y=alt.Y("system:N", title=None, sort=labels_of(report.benchmark)),
            x=alt.X("share:Q", title="Errors per answer"),
            color=alt.Color("error:N", title="Error", sort=kinds, scale=scale_of_colors(kinds)),
            order=alt.Order("error:N"),
            tooltip=[
                "system:N",
                "error:N",
                alt.Tooltip("share:Q", format=".1%"),
                "of:Q",
                "count:Q",
                alt.Tooltip("part:Q", format=".1%", title="of all errors"),
            ],
        )
        .properties(width=WIDTH, height=alt.Step(40))
    )
    listed = "; ".join(
        f"{row['system']} {row['error']} {row['share']:.0%} ({row['count']}, {row['part']:.0%})"
        for row in rows
        if row["share"]
    )
    return Chart(
        "errors",
        "errors",
        "Errors by system",
        "Share of samples with each error code (in brackets how many, and their share of all "
        f"errors of the system). {listed or 'No sample has one'}.",
        drawing,
    )


def judge_agreement(report: BenchmarkReport) -> Chart | None:
    """Draw the agreement of every two judges: alpha, kappa and tau."""
    table = report.table("agreement")
    if table is None:
        return None
    rows: list[dict[str, Any]] = [
        {"row": f"{dimension}: {judges}", "coefficient": name, "value": value}
        for dimension, judges, _, *values in table.rows
        for name, value in zip(("alpha", "kappa", "tau"), values[:3], strict=True)
        if value is not None
    ]
    if not rows:
        return None
    base = alt.Chart(rows_of(rows)).encode(
        x=alt.X("value:Q", title="0: chance, 1: perfect", scale=alt.Scale(domain=[-0.2, 1])),
        y=alt.Y("row:N", title=None, axis=alt.Axis(labelLimit=320)),
    )
    drawing = base.mark_point(size=90, filled=True, opacity=1).encode(
        color=alt.Color(
            "coefficient:N", title=None, scale=scale_of_colors(["alpha", "kappa", "tau"])
        ),
        shape=alt.Shape("coefficient:N", title=None),
        tooltip=["row:N", "coefficient:N", alt.Tooltip("value:Q", format=".2f")],
    )
    listed = "; ".join(f"{row['row']} {row['coefficient']} {row['value']:.2f}" for row in rows)
    return Chart(
        "judges",
        "meta",
        "Do the judges agree?",
        f"Agreement of every two judges: {listed}.",
        drawing.properties(width=WIDTH, height=alt.Step(34)),
    )
