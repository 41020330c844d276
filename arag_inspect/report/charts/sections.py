"""Use of document sections by the summaries."""

import altair as alt

from ..build import BenchmarkReport
from ..labels import label_of
from ..table import Over, raw
from .chart import WIDTH, Chart, labels_of, rows_of


def sections(report: BenchmarkReport) -> Chart | None:
    """Draw the share of summaries that use each section and topic, by system."""
    table = report.table("sections")
    if table is None:
        return None
    rows = [
        {
            "part": f"{kind}: {name}",
            "system": label_of(system),
            "share": raw(cell),
            "of": cell.n,
        }
        for kind, name, *cells in table.rows
        for system, cell in zip(table.columns[2:], cells, strict=True)
        if isinstance(cell, Over)
    ]
    systems = labels_of(report.benchmark)
    drawing = (
        alt.Chart(rows_of(rows))
        .mark_rect()
        .encode(
            x=alt.X("system:N", title=None, sort=systems, axis=alt.Axis(labelAngle=0)),
            y=alt.Y("part:N", title=None, sort=None, axis=alt.Axis(labelLimit=320)),
            color=alt.Color(
                "share:Q",
                title="summaries",
                scale=alt.Scale(domain=[0, 1], scheme="viridis"),
                legend=alt.Legend(format=".0%"),
            ),
            tooltip=["part:N", "system:N", alt.Tooltip("share:Q", format=".0%"), "of:Q"],
        )
        .properties(width=min(WIDTH, 140 * len(systems)), height=alt.Step(20))
    )
    listed = "; ".join(f"{row['part']}, {row['system']} {row['share']:.0%}" for row in rows)
    return Chart(
        "sections",
        "sections",
        "Sections and topics used",
        f"Share of summaries that use each part of their documents: {listed}.",
        drawing,
    )
