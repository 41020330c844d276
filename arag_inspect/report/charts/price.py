"""Quality against cost, and recall by loop."""

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt

from ..build import BenchmarkReport
from ..labels import label_of
from ..table import raw
from .chart import GREY, WIDTH, Chart, labels_of, rows_of, system_color


def frontier(report: BenchmarkReport) -> Chart | None:
    """Draw cost against quality, one point per system, with the Pareto frontier."""
    benchmark = report.benchmark
    name, points = _quality(report)
    priced = all(point["cost"] is not None for point in points) and any(
        point["cost"] for point in points
    )
    effort, unit = ("cost", "USD per sample") if priced else ("tokens", "tokens per sample")
    points = [
        point | {"n": point["known"][effort]} for point in points if point[effort] is not None
    ]
    if len(points) < 2:
        return None
    best = _undominated(points, effort)
    spec, most = benchmark.spec(name), max(point[effort] for point in points)
    bounded = spec.low is not None and spec.high is not None
    scale = alt.Scale(domain=[spec.low, spec.high]) if bounded else alt.Scale(zero=False)
    base = alt.Chart().encode(
        x=alt.X(f"{effort}:Q", title=f"Mean {unit}", scale=alt.Scale(domain=[0, most * 1.1])),
        y=alt.Y("quality:Q", title=f"Mean {spec.label}", scale=scale),
    )
    line = base.mark_line(color=GREY, strokeDash=[5, 4]).encode(order=f"{effort}:Q")
    drawing = alt.layer(
        line.properties(data=rows_of(best)),
        base.mark_circle(size=160, opacity=0.95)
        .encode(
            color=system_color(benchmark),
            tooltip=["system:N", "quality:Q", "cost:Q", "tokens:Q", "n:Q", "skipped:Q"],
        )
        .properties(data=rows_of(points)),
    )
    listed = "; ".join(f"{p['system']}: {p['quality']:.3g} at {p[effort]:.4g}" for p in points)
    counted = "; ".join(f"{p['system']} n {p['n']}, {p['skipped']} skipped" for p in points)
    return Chart(
        "frontier",
        "cost",
        f"{spec.label} against {'cost' if priced else 'tokens'}",
        f"Mean {spec.label} and mean {unit} of each system. {listed}. Answers: {counted}. "
        f"On the frontier: {', '.join(p['system'] for p in best)}.",
        drawing.properties(width=WIDTH, height=260),
    )


def _quality(report: BenchmarkReport) -> tuple[str, list[dict[str, Any]]]:
    """Return the measure that most systems have; coverage and primary ones first."""
    main = (spec.key for spec in report.benchmark.main)
    names = dict.fromkeys(("geval_coverage", *report.primary, *main))
    points = {name: list(_points(report, name)) for name in names}
    best = max(points, key=lambda name: len(points[name]))
    return best, points[best]


def _points(report: BenchmarkReport, name: str) -> Iterator[dict[str, Any]]:
    benchmark, rows = report.benchmark, {row.system: row for row in report.leaderboard.rows}
    scores = benchmark.scores[benchmark.scores["measure"] == name]
    for system, own in benchmark.by_system(scores.dropna(subset=["value"])):
        row = rows[system]
        if len(own):
            yield {
                "system": row.label,
                "quality": float(own["value"].mean()),
                "cost": raw(row.cost) if row.cost else None,
                "tokens": raw(row.tokens) if row.tokens else None,
                "known": {"cost": row.cost and row.cost.n, "tokens": row.tokens and row.tokens.n},
                "skipped": row.skipped,
            }


def _undominated(points: Sequence[dict[str, Any]], effort: str) -> list[dict[str, Any]]:
    """Return the points that no other dominates."""

    def beaten(point: dict[str, Any]) -> bool:
        return any(
            other[effort] <= point[effort]
            and other["quality"] >= point["quality"]
            and (other[effort], other["quality"]) != (point[effort], point["quality"])
            for other in points
        )

    return sorted((p for p in points if not beaten(p)), key=lambda p: float(p[effort]))


def recall_by_loop(report: BenchmarkReport) -> Chart | None:
    """Draw the mean recall after each loop; a system with one search is a dashed line."""
    table = report.table("recall_by_loop")
    if table is None:
        return None
    benchmark = report.benchmark
    rows: list[dict[str, Any]] = [
        {"system": label_of(str(system)), "loop": loop, "recall": recall}
        for system, loop, _, recall, _ in table.rows
    ]
    single = [
        {"system": label_of(system), "recall": mean.mean}
        for system in benchmark.systems
        if (mean := benchmark.estimate(system, "retrieval_pr.recall")) is not None
        and label_of(system) not in {row["system"] for row in rows}
    ]
    color = system_color(benchmark)
    drawing = alt.layer(
        alt.Chart(rows_of(rows))
        .mark_line(point=True)
        .encode(
            x=alt.X("loop:O", title="Loop", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("recall:Q", title="Mean recall", scale=alt.Scale(domain=[0, 1])),
            color=color,
            tooltip=["system:N", "loop:O", alt.Tooltip("recall:Q", format=".3f")],
        ),
        alt.Chart(rows_of(single))
        .mark_rule(strokeDash=[6, 4], strokeWidth=2)
        .encode(y="recall:Q", color=color, tooltip=["system:N", "recall:Q"]),
    )
    listed = "; ".join(
        f"{row['system']} {row['recall']:.2f} after loop {row['loop']}" for row in rows
    )
    alone = "; ".join(f"{row['system']} {row['recall']:.2f} with one search" for row in single)
    return Chart(
        "recall_by_loop",
        "retrieval",
        "Recall after each loop",
        f"Mean recall over all samples: {listed}{f'; {alone}' if alone else ''}. "
        f"Systems: {', '.join(labels_of(benchmark))}.",
        drawing.properties(width=WIDTH, height=240),
    )
