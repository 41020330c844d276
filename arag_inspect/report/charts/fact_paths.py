"""Where the paths of facts end, by system."""

import altair as alt

from ..build import BenchmarkReport
from ..labels import label_of
from ..table import raw
from .chart import WIDTH, Chart, labels_of, rows_of, scale_of_colors


def fact_paths(report: BenchmarkReport) -> Chart | None:
    """Draw the share of facts that end at each stage, a bar per system."""
    table = report.table("fact_paths")
    if table is None:
        return None
    rows = [
        {"system": label_of(str(system)), "stage": stage, "facts": facts, "share": raw(share)}
        for system, stage, facts, share in table.rows
    ]
    stages = list(dict.fromkeys(str(row["stage"]) for row in rows))
    for row in rows:
        row["order"] = stages.index(str(row["stage"]))
    drawing = (
        alt.Chart(rows_of(rows))
        .mark_bar()
        .encode(
            x=alt.X("share:Q", title="share of facts", axis=alt.Axis(format=".0%")),
            y=alt.Y("system:N", title=None, sort=labels_of(report.benchmark)),
            color=alt.Color("stage:N", title="path ends", scale=scale_of_colors(stages)),
            order=alt.Order("order:Q"),
            tooltip=["system:N", "stage:N", "facts:Q", alt.Tooltip("share:Q", format=".1%")],
        )
        .properties(width=WIDTH, height=alt.Step(28))
    )
    listed = "; ".join(f"{row['system']}, {row['stage']} {row['share']:.0%}" for row in rows)
    return Chart(
        "fact_paths",
        "fact_paths",
        "Where facts are lost",
        f"Share of the facts by the stage where their path ends: {listed}.",
        drawing,
    )
