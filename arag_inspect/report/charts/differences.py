"""Paired differences with their intervals."""

from typing import Any

import altair as alt

from ..build import BenchmarkReport
from ..comparisons import Comparison
from ..labels import label_of
from ..table import Signed, show
from .chart import GREY, Chart, labels_of, rows_of, scale_of_colors

_NOT_SHOWN = "not shown"
_MOST_PAIRS = 6
"""Most pairs in the chart; of more only those with the leader are drawn."""

_MOST_SECONDARY = 20
"""Most secondary measures in the chart; the table has all."""


def forest(report: BenchmarkReport) -> Chart | None:
    """Draw one line per comparison: primary measures first, then secondary ones."""
    leader, systems = report.leaderboard.rows[0].system, report.benchmark.systems
    many = len(systems) * (len(systems) - 1) / 2 > _MOST_PAIRS
    drawn = [pair for pair in report.comparisons if not many or leader in (pair.a, pair.b)]
    rows = [row for pair in drawn if (row := _row(pair))]
    groups = [
        (role, [row for row in rows if row["role"] == role]) for role in ("primary", "secondary")
    ]
    parts = [_group(report, role, own) for role, own in groups if own]
    if not parts:
        return None
    listed = "; ".join(f"{row['measure']}, {row['pair']}: {row['shown']}" for row in groups[0][1])
    return Chart(
        "forest",
        "quality",
        f"Differences from {label_of(leader)}" if many else "Differences between systems",
        "Paired difference of two systems with its 95 % interval, as a share of the measure's "
        f"scale; right of zero the first system is better. Primary: {listed or 'none'}.",
        alt.vconcat(*parts).resolve_scale(x="shared", color="shared"),
    )


def _row(comparison: Comparison) -> dict[str, Any] | None:
    low, high = comparison.measure.low, comparison.measure.high
    paired = comparison.paired
    if low is None or high is None or paired.low is None or paired.high is None:
        return None
    scale = (high - low) * (1 if comparison.measure.higher_is_better else -1)
    ends = sorted((paired.low / scale, paired.high / scale))
    return {
        "role": comparison.role,
        "measure": comparison.measure.label,
        "pair": f"{label_of(comparison.a)} − {label_of(comparison.b)}",
        "difference": paired.difference / scale,
        "low": ends[0],
        "high": ends[1],
        "shown": show(Signed(paired.difference, paired.low, paired.high)),
        "system": label_of(comparison.winner) if comparison.winner else _NOT_SHOWN,
        "verdict": comparison.verdict,
    }


def _group(report: BenchmarkReport, role: str, rows: list[dict[str, Any]]) -> alt.FacetChart:
    measures = list(dict.fromkeys(str(row["measure"]) for row in rows))[:_MOST_SECONDARY]
    rows = [row for row in rows if row["measure"] in measures]
    scale = scale_of_colors(labels_of(report.benchmark), (_NOT_SHOWN, GREY))
    color = alt.Color("system:N", title="Better", scale=scale)
    base = alt.Chart().encode(y=alt.Y("measure:N", title=None, sort=measures))
    tooltip = ["measure:N", "pair:N", alt.Tooltip("shown:N", title="difference"), "verdict:N"]
    position = alt.X("low:Q", title="Difference, share of the scale", axis=alt.Axis(format="+.0%"))
    layers = alt.layer(
        alt.Chart().mark_rule(strokeDash=[3, 3], color=GREY).encode(x=alt.datum(0)),
        base.mark_rule(strokeWidth=3).encode(x=position, x2="high:Q", color=color, tooltip=tooltip),
        base.mark_point(size=70, filled=True, opacity=1).encode(
            x="difference:Q", color=color, tooltip=tooltip
        ),
    ).properties(width=210, height=alt.Step(22))
    pairs = list(dict.fromkeys(str(row["pair"]) for row in rows))
    return layers.facet(
        facet=alt.Facet("pair:N", title=f"{role.capitalize()} measures", sort=pairs),
        columns=3,
        data=rows_of(rows),
    )
