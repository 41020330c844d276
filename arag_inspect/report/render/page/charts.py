"""Charts of a benchmark, declared once: drawn in the page, and rendered to SVG or PNG without a browser."""

import json
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Any, NamedTuple

import altair as alt
import numpy as np

from ...._util.encodable import drawable
from ....types.measures import MeasureSpec, by_role
from ...analysis.examples import main_measure
from ...analysis.matrix import ScoreMatrix
from ...load.records import Benchmark, Run
from ...tables.cost import known, skipped
from ...tables.faithfulness import case_grades

_COLORS = ["#3b6fb6", "#d1702f", "#3f8f5b", "#8a5aa8", "#b0413e", "#7a7a7a"]
"""Told apart by most of those who do not see all colours; every chart says the names as well."""

_WIDTH = 560
_GRADES = 10
"""Longest scale whose grades have a bar each."""
_ALL_JUDGES = "all judges"


class Chart(NamedTuple):
    """A picture, and what it says in words."""

    name: str
    """For file names and anchors, e.g. `errors`."""

    section: str
    """Section of the report that it belongs to."""

    title: str
    description: str
    """For whoever does not see it."""

    drawing: alt.TopLevelMixin


def charts(benchmark: Benchmark) -> list[Chart]:
    """Every chart that the scores of a benchmark allow, in the order in which they tell the story."""
    measures = benchmark.specs
    found = [
        _frontier(benchmark),
        _errors(benchmark),
        _histograms(benchmark, measures),
        _cases_by_judge(benchmark),
        _heat_map(benchmark, measures),
    ]
    return [chart for chart in found if chart is not None]


def as_svg(chart: Chart) -> str:
    """Render a chart as SVG."""
    return str(_to_bytes(chart, "svg"), "utf-8")


def as_png(chart: Chart, scale: float = 2.0) -> bytes:
    """Render a chart as PNG.

    Args:
        chart: What to render.
        scale: Pixels a point.
    """
    return _to_bytes(chart, "png", scale)


def as_spec(chart: Chart) -> dict[str, Any]:
    """The chart's Vega-Lite specification, fit for JSON."""
    spec: dict[str, Any] = chart.drawing.to_dict()
    return drawable(spec)


def _to_bytes(chart: Chart, kind: str, scale: float = 1.0) -> bytes:
    import vl_convert

    if kind == "svg":
        return vl_convert.vegalite_to_svg(as_spec(chart)).encode()
    return bytes(vl_convert.vegalite_to_png(as_spec(chart), scale=scale))


def _frontier(benchmark: Benchmark) -> Chart | None:
    """Cost against quality, a point a system, with the line of those that no other beats in both."""
    main = main_measure(benchmark, ScoreMatrix(benchmark))
    points = [point for run in benchmark.runs if (point := _point(run, main.key))] if main else []
    if len(points) < 2:
        return None
    priced = all(point["cost"] is not None for point in points) and any(
        point["cost"] for point in points
    )
    effort, said = ("cost", "USD a sample") if priced else ("tokens", "tokens a sample")
    points = [
        point | {"n": point["known"][effort]} for point in points if point[effort] is not None
    ]
    best = _undominated(points, effort)
    label = main.label if main else ""
    base = alt.Chart(alt.InlineData(values=points)).encode(
        x=alt.X(f"{effort}:Q", title=f"Mean {said}", scale=alt.Scale(zero=False, padding=20)),
        y=alt.Y("quality:Q", title=f"Mean {label}", scale=alt.Scale(zero=False, padding=20)),
    )
    line = alt.Chart(alt.InlineData(values=best)).mark_line(color="#999", strokeDash=[5, 4])
    drawing = alt.layer(
        line.encode(x=f"{effort}:Q", y="quality:Q", order=f"{effort}:Q"),
        base.mark_circle(size=140, opacity=0.95).encode(
            color=_color(benchmark),
            tooltip=["system:N", "quality:Q", "cost:Q", "tokens:Q", "n:Q", "skipped:Q"],
        ),
        base.mark_text(dy=-14).encode(text="system:N"),
    )
    told = "; ".join(f"{p['system']}: {p['quality']:.3g} at {p[effort]:.4g}" for p in points)
    counted = "; ".join(f"{p['system']} n {p['n']}, {p['skipped']} skipped" for p in points)
    return Chart(
        "frontier",
        "effort",
        f"{label} against {'cost' if priced else 'tokens'}",
        f"Mean {label} and mean {said} of each system. {told}. Answers: {counted}. "
        f"On the frontier: {', '.join(p['system'] for p in best)}.",
        drawing.properties(width=_WIDTH, height=300),
    )


def _point(run: Run, name: str) -> dict[str, Any] | None:
    values = [value for sample in run.samples if (value := sample.value(name)) is not None]
    if not values:
        return None
    costs, tokens = known(run, lambda s: s.cost_usd), known(run, lambda s: s.tokens)
    return {
        "system": run.system,
        "quality": fmean(values),
        "cost": float(costs.mean()) if costs.size else None,
        "tokens": float(tokens.mean()) if tokens.size else None,
        "known": {"cost": costs.size, "tokens": tokens.size},
        "skipped": skipped(run),
    }


def _undominated(points: Sequence[dict[str, Any]], effort: str) -> list[dict[str, Any]]:
    """Points that no other is at least as good as in both, and better in one."""

    def beaten(one: dict[str, Any]) -> bool:
        return any(
            other[effort] <= one[effort]
            and other["quality"] >= one["quality"]
            and (other[effort], other["quality"]) != (one[effort], one["quality"])
            for other in points
        )

    return sorted((p for p in points if not beaten(p)), key=lambda p: float(p[effort]))


def _errors(benchmark: Benchmark) -> Chart | None:
    """Share of samples with each error code, by system; no bar where the code was never looked for."""
    rows: list[dict[str, Any]] = []
    values = ScoreMatrix(benchmark)
    for run in benchmark.runs:
        for name in run.measures:
            code = name.removeprefix("error_taxonomy.")
            found = values.of(run.system, name)
            found = found[~np.isnan(found)]
            if code not in (name, "any") and found.size:
                share, of = float(found.mean()), found.size
                rows.append({"system": run.system, "code": code, "share": share, "of": of})
    if not rows:
        return None
    order = list(dict.fromkeys(str(row["code"]) for row in rows))
    drawing = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_bar()
        .encode(
            x=alt.X("code:N", title="Error code", sort=order, axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("system:N", sort=list(benchmark.systems)),
            y=alt.Y("share:Q", title="Share of samples", axis=alt.Axis(format="%")),
            color=_color(benchmark),
            tooltip=[
                "system:N",
                "code:N",
                alt.Tooltip("share:Q", format=".1%"),
                "of:Q",
            ],
        )
        .properties(width=_WIDTH, height=260)
    )
    told = "; ".join(
        f"{row['system']} {row['code']} {row['share']:.0%}" for row in rows if row["share"]
    )
    return Chart(
        "errors",
        "errors",
        "Errors by system",
        f"Share of samples with each error code. {told or 'No sample has one'}.",
        drawing,
    )


def _histograms(benchmark: Benchmark, measures: Sequence[MeasureSpec]) -> Chart | None:
    """How the values of the judged measures and of recall are spread, system by system."""
    wanted = [m for m in measures if m.family == "judgement" and m.high is not None]
    wanted += [m for m in measures if m.key in ("retrieval_pr.recall", "rouge.rouge2")]
    rows = [row for m in wanted[:4] for run in benchmark.runs for row in _bins(run, m)]
    if not rows:
        return None
    drawing = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_bar()
        .encode(
            x=alt.X("bin:O", title=None, sort=None, axis=alt.Axis(labelAngle=0)),
            y=alt.Y("count:Q", title="Samples"),
            color=_color(benchmark),
            tooltip=["measure:N", "system:N", "bin:O", "count:Q"],
        )
        .properties(width=150, height=90)
        .facet(
            row=alt.Row("system:N", title=None, sort=list(benchmark.systems)),
            column=alt.Column("measure:N", title=None, sort=[m.label for m in wanted]),
        )
        .resolve_scale(x="independent")
    )
    return Chart(
        "histograms",
        "quality",
        "How scores are spread",
        "Number of samples by score, for each system and measure: "
        + ", ".join(dict.fromkeys(row["measure"] for row in rows)),
        drawing,
    )


def _bins(run: Run, measure: MeasureSpec) -> Iterator[dict[str, Any]]:
    """Counts by grade, or by fifth of a share or of a long scale."""
    values = [value for sample in run.samples if (value := sample.value(measure.key)) is not None]
    low, high = measure.low or 0.0, measure.high or 1.0
    grades = measure.graded and high - low <= _GRADES
    steps = int(high - low) + 1 if grades else 5
    counts = [0] * steps
    for value in values:
        place = int(value - low + 0.5) if grades else int((value - low) / (high - low) * steps)
        counts[min(max(place, 0), steps - 1)] += 1
    for place, count in enumerate(counts):
        name = f"{low + place:g}" if grades else f"{low + place / steps * (high - low):.1f}+"
        yield {"measure": measure.label, "system": run.system, "bin": name, "count": count}


def _cases_by_judge(benchmark: Benchmark) -> Chart | None:
    """Grades of every case by judge and system; the page can show one judge alone."""
    found = case_grades(benchmark)
    if not found:
        return None
    alone = len(benchmark.systems) == 1
    rows = [
        one._asdict() | {"row": one.grader if alone else f"{one.grader}: {one.system}"}
        for one in found
    ]
    judges = list(dict.fromkeys(one.grader for one in found))
    cases = list(dict.fromkeys(one.case for one in found))
    choice = alt.param(
        name="judge",
        value=_ALL_JUDGES,
        bind=alt.binding_select(options=[_ALL_JUDGES, *judges], name="Judge: "),
    )
    shown = f"judge == {json.dumps(_ALL_JUDGES)} || datum.grader == judge"
    drawing = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_rect()
        .encode(
            x=alt.X("case:N", title="Case, worst first", sort=cases),
            y=alt.Y("row:N", title=None, sort=list(dict.fromkeys(row["row"] for row in rows))),
            color=alt.Color(
                "grade:Q", title="grade", scale=alt.Scale(domain=[1, 5], scheme="viridis")
            ),
            tooltip=["case:N", "grader:N", "system:N", "grade:Q"],
        )
        .transform_filter(shown)
        .add_params(choice)
        .properties(width=max(_WIDTH, min(1100, 14 * len(cases))), height=alt.Step(26))
    )
    return Chart(
        "cases_by_judge",
        "pillars",
        "Cases by judge",
        f"Grades from 1 to 5 of {len(cases)} cases by {', '.join(judges)}; the table Cases by "
        "judge has the same values.",
        drawing,
    )


def _heat_map(benchmark: Benchmark, measures: Sequence[MeasureSpec]) -> Chart | None:
    """Every document by system, coloured by a measure that the reader chooses."""
    wanted = by_role(m for m in measures if m.quality)[:8]
    rows = [
        {
            "document": sample.id,
            "company": sample.company,
            "system": run.system,
            "measure": one.label,
            "value": value,
            "good": _goodness(one, value),
        }
        for one in wanted
        for run in benchmark.runs
        for sample in run.samples
        if sample.epoch == 1 and (value := sample.value(one.key)) is not None
    ]
    if not rows:
        return None
    labels = list(dict.fromkeys(str(row["measure"]) for row in rows))
    choice = alt.param(
        name="measure", value=labels[0], bind=alt.binding_select(options=labels, name="Measure: ")
    )
    documents = len({row["document"] for row in rows})
    drawing = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_rect()
        .encode(
            x=alt.X("document:N", title=None, axis=alt.Axis(labels=documents <= 40)),
            y=alt.Y("system:N", title=None, sort=list(benchmark.systems)),
            color=alt.Color(
                "good:Q",
                title="worst to best",
                scale=alt.Scale(domain=[0, 1], scheme="viridis"),
            ),
            tooltip=["document:N", "company:N", "system:N", "measure:N", "value:Q"],
        )
        .transform_filter("datum.measure == measure")
        .add_params(choice)
        .properties(width=max(_WIDTH, min(1100, 14 * documents)), height=34 * len(benchmark.runs))
    )
    return Chart(
        "documents",
        "samples",
        "Document by document",
        f"{documents} documents by system, coloured from the worst to the best value of a measure "
        f"({', '.join(labels)}). The table of samples below has the same values.",
        drawing,
    )


def _goodness(measure: MeasureSpec, value: float) -> float:
    low = measure.low if measure.low is not None else 0.0
    high = measure.high if measure.high is not None else 1.0
    share = min(max((value - low) / (high - low), 0.0), 1.0)
    return share if measure.higher_is_better else 1 - share


def _color(benchmark: Benchmark) -> alt.Color:
    systems = list(benchmark.systems)
    colors = [_COLORS[place % len(_COLORS)] for place in range(len(systems))]
    return alt.Color("system:N", title="System", scale=alt.Scale(domain=systems, range=colors))
