"""Distributions of scores by value, document and judge."""

import json
from collections.abc import Iterator
from typing import Any

import altair as alt

from ...types.measures import MeasureSpec, by_role
from ..benchmark import Benchmark
from ..build import BenchmarkReport
from ..labels import label_of
from .chart import WIDTH, Chart, labels_of, rows_of, system_color

_GRADES = 10
"""Longest scale with one bar per grade."""

_ALL_JUDGES = "all judges"


def histograms(report: BenchmarkReport) -> Chart | None:
    """Draw the distribution of the primary measures by system."""
    benchmark = report.benchmark
    measures = [measure for measure in _primary_first(report) if measure.high is not None]
    systems = benchmark.systems
    rows = [row for m in measures[:4] for name in systems for row in _bins(benchmark, name, m)]
    if not rows:
        return None
    drawing = (
        alt.Chart(rows_of(rows))
        .mark_bar()
        .encode(
            x=alt.X("bin:O", title=None, sort=None, axis=alt.Axis(labelAngle=0)),
            y=alt.Y("count:Q", title="Samples"),
            color=system_color(benchmark, legend=False),
            tooltip=["measure:N", "system:N", "bin:O", "count:Q"],
        )
        .properties(width=150, height=90)
        .facet(
            row=alt.Row("system:N", title=None, sort=labels_of(benchmark)),
            column=alt.Column("measure:N", title=None, sort=[m.label for m in measures]),
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


def _bins(benchmark: Benchmark, system: str, measure: MeasureSpec) -> Iterator[dict[str, Any]]:
    """Yield counts per grade, or per fifth of a share or of a long scale."""
    scores = benchmark.scores
    own = scores[(scores["measure"] == measure.key) & (scores["system"] == system)]
    values = own["value"].dropna()
    low, high = measure.low or 0.0, measure.high or 1.0
    grades = measure.graded and high - low <= _GRADES
    steps = int(high - low) + 1 if grades else 5
    counts = [0] * steps
    for value in values:
        index = int(value - low + 0.5) if grades else int((value - low) / (high - low) * steps)
        counts[min(max(index, 0), steps - 1)] += 1
    for index, count in enumerate(counts):
        name = f"{low + index:g}" if grades else f"{low + index / steps * (high - low):.1f}+"
        yield {
            "measure": measure.label,
            "system": label_of(system),
            "bin": name,
            "count": count,
        }


def cases_by_judge(report: BenchmarkReport) -> Chart | None:
    """Draw the grades of every case by judge and system; the page can filter by judge."""
    table = report.table("cases_by_judge")
    if table is None:
        return None
    rows: list[dict[str, Any]] = []
    for case, *cells in table.rows:
        for row, grade in zip(table.columns[1:], cells, strict=True):
            grader = row.partition(": ")[0]
            rows += [{"case": case, "grader": grader, "row": row, "grade": grade}] * (
                grade is not None
            )
    judges = list(dict.fromkeys(row["grader"] for row in rows))
    cases = list(dict.fromkeys(row["case"] for row in rows))
    choice = alt.param(
        name="judge",
        value=_ALL_JUDGES,
        bind=alt.binding_select(options=[_ALL_JUDGES, *judges], name="Judge: "),
    )
    judge_filter = f"judge == {json.dumps(_ALL_JUDGES)} || datum.grader == judge"
    drawing = (
        alt.Chart(rows_of(rows))
        .mark_rect()
        .encode(
            x=alt.X("case:N", title="Case, worst first", sort=cases),
            y=alt.Y("row:N", title=None, sort=list(dict.fromkeys(row["row"] for row in rows))),
            color=alt.Color(
                "grade:Q", title="grade", scale=alt.Scale(domain=[1, 5], scheme="viridis")
            ),
            tooltip=["case:N", "row:N", "grade:Q"],
        )
        .transform_filter(judge_filter)
        .add_params(choice)
        .properties(width=max(WIDTH, min(1100, 14 * len(cases))), height=alt.Step(26))
    )
    return Chart(
        "cases_by_judge",
        "meta",
        "Cases by judge",
        f"Grades from 1 to 5 of {len(cases)} cases by {', '.join(judges)}; the table Cases by "
        "judge has the same values.",
        drawing,
    )


def heat_map(report: BenchmarkReport) -> Chart | None:
    """Draw every document by system, coloured by a measure that the reader selects."""
    benchmark = report.benchmark
    measures = _primary_first(report)[:8]
    scores = benchmark.scores[(benchmark.scores["epoch"] == 1) & benchmark.scores["value"].notna()]
    rows = [
        {
            "document": score.id,
            "company": score.company,
            "system": label_of(score.system),
            "measure": measure.label,
            "value": round(score.value, 4),
            "good": round(_goodness(measure, score.value), 4),
        }
        for measure in measures
        for score in scores[scores["measure"] == measure.key].itertuples()
    ]
    if not rows:
        return None
    labels = list(dict.fromkeys(str(row["measure"]) for row in rows))
    choice = alt.param(
        name="measure", value=labels[0], bind=alt.binding_select(options=labels, name="Measure: ")
    )
    documents = len({row["document"] for row in rows})
    drawing = (
        alt.Chart(rows_of(rows))
        .mark_rect()
        .encode(
            x=alt.X("document:N", title=None, axis=alt.Axis(labels=documents <= 40)),
            y=alt.Y("system:N", title=None, sort=labels_of(benchmark)),
            color=alt.Color(
                "good:Q",
                title="score (low to high)",
                scale=alt.Scale(domain=[0, 1], scheme="viridis"),
            ),
            tooltip=["document:N", "company:N", "system:N", "measure:N", "value:Q"],
        )
        .transform_filter("datum.measure == measure")
        .add_params(choice)
        .properties(width=max(WIDTH, min(1100, 14 * documents)), height=34 * len(benchmark.systems))
    )
    return Chart(
        "documents",
        "samples",
        "Document by document",
        f"{documents} documents by system, coloured from the worst to the best value of a measure "
        f"({', '.join(labels)}). The table of samples below has the same values.",
        drawing,
    )


def _primary_first(report: BenchmarkReport) -> list[MeasureSpec]:
    """Return the measures of quality, primary ones first."""
    quality = by_role(measure for measure in report.benchmark.specs if measure.quality)
    primary = report.primary
    return sorted(
        quality,
        key=lambda measure: primary.index(measure.key) if measure.key in primary else len(primary),
    )


def _goodness(measure: MeasureSpec, value: float) -> float:
    low = measure.low if measure.low is not None else 0.0
    high = measure.high if measure.high is not None else 1.0
    share = min(max((value - low) / (high - low), 0.0), 1.0)
    return share if measure.higher_is_better else 1 - share
