"""Every chart of the core: its rows, from the report's tables and scores."""

from collections.abc import Iterator, Sequence
from typing import Any

from ...types.measures import MeasureSpec, Role, by_role
from ..benchmark import Benchmark
from ..build import BenchmarkReport
from ..comparisons import baseline_of
from ..frames import Row
from ..table import Over, raw, show
from .chart import Chart, chosen, described, scale_of_colors

_COLUMNS = 3
"""Most small charts beside each other."""

_GRADES = 10
"""Longest scale with one bar per grade."""

_MOST = 12
"""Most measures in a chart; the tables have all."""

_ALL_JUDGES = "all judges"


def differences(report: BenchmarkReport, role: Role) -> Chart | None:
    """Draw one row per system: its difference to the baseline on each measure of a role."""
    benchmark, baseline = report.benchmark, baseline_of(report.benchmark)
    rows: list[Row] = [
        {
            **{"measure": pair.measure.label, "system": system, "difference": signed.value},
            **{"low": signed.low, "high": signed.high, "n": pair.paired.n},
            **{"shown": show(signed), "verdict": pair.verdict},
        }
        for pair in report.comparisons
        if pair.role == role and baseline in (pair.a, pair.b)
        for system, signed in [pair.seen_from(baseline)]
        if signed.low is not None
    ]
    measures = list(dict.fromkeys(row["measure"] for row in rows))[:_MOST]
    if not rows:
        return None
    primary = role == "primary"
    return described(
        "differences",
        benchmark=benchmark,
        as_name="differences" if primary else f"{role}_differences",
        section="overview" if primary else "quality",
        rows=[row for row in rows if row["measure"] in measures],
        baseline=baseline,
        of="" if primary else f", {role} measures",
        measures=measures,
        columns=min(_COLUMNS, len(measures)),
        listed="; ".join(f"{row['measure']}, {row['system']}: {row['shown']}" for row in rows),
    )


def frontier(report: BenchmarkReport) -> Chart | None:
    """Draw cost against quality, one point per system, with the Pareto frontier."""
    name, points = _quality(report)
    priced = all(point["cost"] is not None for point in points) and any(
        point["cost"] for point in points
    )
    effort = "cost" if priced else "tokens"
    points = [{**point, "n": point["n"][effort]} for point in points if point[effort] is not None]
    if len(points) < 2:
        return None
    best, spec = _undominated(points, effort), report.benchmark.spec(name)
    listed = (f"{p['system']}: {p['quality']:.3g} at {p[effort]:.4g}" for p in points)
    counted = (f"{p['system']} n {p['n']}, {p['skipped']} skipped" for p in points)
    return described(
        "frontier",
        benchmark=report.benchmark,
        rows=points,
        frontier=best,
        effort=effort,
        unit="USD per question" if priced else "tokens per question",
        label=spec.label,
        scale={"domain": [spec.low, spec.high]} if spec.span else {"zero": False},
        listed="; ".join(listed),
        counted="; ".join(counted),
        best=", ".join(p["system"] for p in best),
    )


def _quality(report: BenchmarkReport) -> tuple[str, list[Row]]:
    """Return the measure that most systems have; coverage and primary ones first."""
    main = (spec.key for spec in report.benchmark.main)
    names = dict.fromkeys(("geval_coverage", *report.primary, *main))
    points = {name: list(_points(report, name)) for name in names}
    best = max(points, key=lambda name: len(points[name]))
    return best, points[best]


def _points(report: BenchmarkReport, name: str) -> Iterator[Row]:
    benchmark, rows = report.benchmark, {row.system: row for row in report.leaderboard.rows}
    scores = benchmark.scores[benchmark.scores["measure"] == name]
    for system, own in benchmark.by_system(scores.dropna(subset=["value"])):
        row = rows[system]
        if len(own):
            yield {
                **{"system": system, "quality": float(own["value"].mean())},
                **{"cost": raw(row.cost), "tokens": raw(row.tokens), "skipped": row.skipped},
                "n": {"cost": row.cost and row.cost.n, "tokens": row.tokens and row.tokens.n},
            }


def _undominated(points: Sequence[Row], effort: str) -> list[Row]:
    """Return the points that no other dominates."""

    def beaten(point: Row) -> bool:
        return any(
            other[effort] <= point[effort]
            and other["quality"] >= point["quality"]
            and (other[effort], other["quality"]) != (point[effort], point["quality"])
            for other in points
        )

    return sorted((p for p in points if not beaten(p)), key=lambda p: float(p[effort]))


def recall_by_loop(report: BenchmarkReport) -> Chart | None:
    """Draw the mean recall after each loop; a system with one search is a dashed line."""
    table, benchmark = report.table("recall_by_loop"), report.benchmark
    if table is None:
        return None
    rows: list[Row] = [
        {"system": system, "recall": recall, "loop": loop}
        for system, loop, _, recall, _ in table.rows
    ]
    single: list[Row] = [
        {"system": system, "recall": mean.mean}
        for system in benchmark.systems
        if (mean := benchmark.estimate(system, "retrieval_pr.recall")) is not None
        and system not in {row["system"] for row in rows}
    ]
    when = (f"{r['system']} {r['recall']:.2f} after loop {r['loop']}" for r in rows)
    alone = (f"{r['system']} {r['recall']:.2f} with one search" for r in single)
    listed = "; ".join([*when, *alone])
    return described("recall_by_loop", benchmark=benchmark, rows=rows, single=single, listed=listed)


def documents(report: BenchmarkReport) -> Chart | None:
    """Draw every document by system, coloured by a measure that the reader selects."""
    benchmark = report.benchmark
    scores = benchmark.scores[(benchmark.scores["epoch"] == 1) & benchmark.scores["value"].notna()]
    rows: list[Row] = [
        {
            **{"document": score.id, "system": score.system, "measure": measure.label},
            **{"value": round(score.value, 4), "good": round(_goodness(measure, score.value), 4)},
        }
        for measure in _primary_first(report)[:8]
        for score in scores[scores["measure"] == measure.key].itertuples()
    ]
    if not rows:
        return None
    labels = list(dict.fromkeys(str(row["measure"]) for row in rows))
    count = len({row["document"] for row in rows})
    return described(
        "documents",
        benchmark=benchmark,
        rows=rows,
        choice=chosen(labels, "Measure"),
        labels=", ".join(labels),
        count=count,
        few=count <= 40,
    )


def histograms(report: BenchmarkReport) -> Chart | None:
    """Draw the distribution of the primary measures by system."""
    benchmark = report.benchmark
    measures = [measure for measure in _primary_first(report) if measure.high is not None][:4]
    rows = [
        row for m in measures for name in benchmark.systems for row in _bins(benchmark, name, m)
    ]
    labels = [measure.label for measure in measures]
    if not rows:
        return None
    return described(
        "histograms",
        benchmark=benchmark,
        rows=rows,
        measures=labels,
        columns=min(_COLUMNS, len(labels)),
        labels=", ".join(labels),
    )


def _bins(benchmark: Benchmark, system: str, measure: MeasureSpec) -> Iterator[Row]:
    """Yield counts per grade, or per fifth of a share or of a long scale."""
    scores = benchmark.scores
    own = scores[(scores["measure"] == measure.key) & (scores["system"] == system)]
    low, high = measure.low or 0.0, measure.high or 1.0
    grades = measure.graded and high - low <= _GRADES
    steps = int(high - low) + 1 if grades else 5
    counts = [0] * steps
    for value in own["value"].dropna():
        index = int(value - low + 0.5) if grades else int((value - low) / (high - low) * steps)
        counts[min(max(index, 0), steps - 1)] += 1
    for index, count in enumerate(counts):
        name = f"{low + index:g}" if grades else f"{low + index / steps * (high - low):.1f}+"
        yield {"measure": measure.label, "system": system, "bin": name, "count": count}


def _primary_first(report: BenchmarkReport) -> list[MeasureSpec]:
    """Return the measures of quality, primary ones first."""
    quality = by_role(measure for measure in report.benchmark.specs if measure.quality)
    positions = {key: position for position, key in enumerate(report.primary)}
    return sorted(quality, key=lambda measure: positions.get(measure.key, len(positions)))


def _goodness(measure: MeasureSpec, value: float) -> float:
    low = measure.low if measure.low is not None else 0.0
    high = measure.high if measure.high is not None else 1.0
    share = min(max((value - low) / (high - low), 0.0), 1.0)
    return share if measure.higher_is_better else 1 - share


def errors(report: BenchmarkReport) -> Chart | None:
    """Draw the errors per answer by system, stacked by code; one not looked for has no bar."""
    failures, benchmark = report.table("failures"), report.benchmark
    counts = {row[:2]: row[2:] for row in (failures.rows if failures else ())}
    rows: list[Row] = []
    for system in benchmark.systems:
        for name in benchmark.measures:
            code = name.removeprefix("error_taxonomy.")
            mean = benchmark.estimate(system, name) if code not in (name, "any") else None
            if mean is not None:
                error = benchmark.error(code)
                count, part = counts.get((system, error), (0, None))
                figures = {"share": mean.mean, "of": mean.n, "count": count}
                of_all = {"of all errors": raw(part) or 0.0}
                rows.append({"system": system, "error": error, **figures, **of_all})
    if not rows:
        return None
    kinds = list(dict.fromkeys(str(row["error"]) for row in rows))
    listed = "; ".join(
        f"{r['system']} {r['error']} {r['share']:.0%} ({r['count']}, {r['of all errors']:.0%})"
        for r in rows
        if r["share"]
    )
    return described(
        "errors",
        benchmark=benchmark,
        rows=rows,
        kinds=kinds,
        palette=scale_of_colors(kinds),
        listed=listed or "No sample has one",
    )


def fact_paths(report: BenchmarkReport) -> Chart | None:
    """Draw the share of facts that end at each stage, a bar per system."""
    table = report.table("fact_paths")
    if table is None:
        return None
    stages = list(dict.fromkeys(str(row[1]) for row in table.rows))
    rows: list[Row] = [
        {
            **{"system": system, "stage": stage, "facts": facts},
            **{"share": raw(share), "order": stages.index(str(stage))},
        }
        for system, stage, facts, share in table.rows
    ]
    return described(
        "fact_paths",
        benchmark=report.benchmark,
        rows=rows,
        stages=stages,
        palette=scale_of_colors(stages),
        listed="; ".join(f"{r['system']}, {r['stage']} {r['share']:.0%}" for r in rows),
    )


def sections(report: BenchmarkReport) -> Chart | None:
    """Draw the share of summaries that use each section and topic, by system."""
    table = report.table("sections")
    rows: list[Row] = [
        {"part": f"{kind}: {name}", "system": system, "share": raw(cell), "of": cell.n}
        for kind, name, *cells in (table.rows if table else ())
        for system, cell in zip(report.benchmark.systems, cells, strict=True)
        if isinstance(cell, Over)
    ]
    listed = "; ".join(f"{r['part']}, {r['system']} {r['share']:.0%}" for r in rows)
    if not rows:
        return None
    return described("sections", benchmark=report.benchmark, rows=rows, listed=listed)


def judge_agreement(report: BenchmarkReport) -> Chart | None:
    """Draw the agreement of every two judges: alpha, kappa and tau."""
    table, coefficients = report.table("agreement"), ("alpha", "kappa", "tau")
    rows: list[Row] = [
        {"row": f"{dimension}: {judges}", "coefficient": name, "value": value}
        for dimension, judges, _, *values in (table.rows if table else ())
        for name, value in zip(coefficients, values[:3], strict=True)
        if value is not None
    ]
    if not rows:
        return None
    return described(
        "judges",
        benchmark=report.benchmark,
        rows=rows,
        palette=scale_of_colors(coefficients),
        listed="; ".join(f"{r['row']} {r['coefficient']} {r['value']:.2f}" for r in rows),
    )


def cases_by_judge(report: BenchmarkReport) -> Chart | None:
    """Draw the grades of every case by judge and system; the page can filter by judge."""
    table = report.table("cases_by_judge")
    if table is None:
        return None
    rows: list[Row] = [
        {"case": case, "judge": row.partition(": ")[0], "row": row, "grade": grade}
        for case, *cells in table.rows
        for row, grade in zip(table.columns[1:], cells, strict=True)
        if grade is not None
    ]
    judges = list(dict.fromkeys(row["judge"] for row in rows))
    cases: list[Any] = list(dict.fromkeys(row["case"] for row in rows))
    return described(
        "cases_by_judge",
        benchmark=report.benchmark,
        rows=rows,
        choice=chosen([_ALL_JUDGES, *judges], "Judge"),
        cases=cases,
        count=len(cases),
        judges=", ".join(judges),
    )
