"""Faithfulness in parts: ranking, bands of the composite, and values by judge."""

import math
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np

from ...stats.estimates import Estimate
from ..analysis.composites import COMPOSITE, PARTS, judged_columns, rank_correlations
from ..analysis.matrix import ScoreMatrix
from ..analysis.wording import in_sentence
from ..load.records import Benchmark, Judgement
from .table import Cell, P, Share, Table

BANDS = ((0.90, "faithful"), (0.75, "mostly faithful"), (0.60, "doubtful"), (0.0, "unfaithful"))
"""Lowest value of each band of the scorer, best first."""

_MOST_CASES = 60
"""Rows of the table of cases by judge; the worst-graded cases come first."""


def ranking(benchmark: Benchmark, values: ScoreMatrix) -> Table | None:
    """Return the systems by composite with its pillars; None with fewer than two."""
    present = [name for name in PARTS.values() if name in benchmark.measures]
    if len(present) < 2:
        return None
    names = [COMPOSITE, *present] if COMPOSITE in benchmark.measures else present
    estimates = {
        system: [values.estimate(system, name) for name in names] for system in benchmark.systems
    }
    keys = {system: _order(estimates[system]) for system in benchmark.systems}
    return Table(
        "pillars",
        "Ranking by faithfulness, and its pillars",
        f"Mean with its 95 % interval. Ordered by {in_sentence(benchmark.spec(names[0]))}; systems "
        "without it come last, by the mean of the rest; equal systems share a rank. Systems whose "
        "intervals overlap may not differ: see the comparisons.",
        ("rank", "system", *(benchmark.spec(name).label for name in names)),
        tuple(
            (1 + sum(other < keys[system] for other in keys.values()), system, *estimates[system])
            for system in sorted(benchmark.systems, key=lambda system: keys[system])
        ),
    )


def bands(benchmark: Benchmark) -> Table | None:
    """Return the share of answers by band of the composite; None without values."""
    rows: list[tuple[Cell, ...]] = []
    for run in benchmark.runs:
        composites = [value for s in run.samples if (value := s.value(COMPOSITE)) is not None]
        if composites:
            counts = [sum(band(value) == name for value in composites) for _, name in BANDS]
            rows.append(
                (run.system, len(composites), *(Share(count / len(composites)) for count in counts))
            )
    if not rows:
        return None
    edges = [f"from {least:.2f}" for least, _ in BANDS[:-1]] + [f"below {BANDS[-2][0]:.2f}"]
    headings = (f"{name} ({edge})" for (_, name), edge in zip(BANDS, edges, strict=True))
    return Table(
        "bands",
        "How faithful, in words",
        "Share of answers in each band of composite faithfulness, each epoch counted.",
        ("system", "answers", *headings),
        tuple(rows),
    )


def band(value: float) -> str:
    """Return the band of a composite."""
    return next((name for least, name in BANDS if value >= least - 1e-9), BANDS[-1][1])


class Graded(NamedTuple):
    """One judge's mean grade of one case, or the composite with that judge's grade."""

    case: str
    grader: str
    system: str
    grade: float


def case_grades(benchmark: Benchmark) -> list[Graded]:
    """Return the grades (1 to 5) by case, judge and system, worst first.

    Empty with fewer than two judges or cases.
    """
    cells: dict[str, dict[tuple[str, str], list[float]]] = {}
    for run, sample in benchmark.samples():
        for verdict in _verdicts(sample.judgements):
            column = (verdict.grader, run.system)
            if verdict.verdict is not None:
                cells.setdefault(sample.id, {}).setdefault(column, []).append(verdict.verdict)
    if len({grader for row in cells.values() for grader, _ in row}) < 2 or len(cells) < 2:
        return []
    worst = sorted(
        cells, key=lambda case: fmean(v for grades in cells[case].values() for v in grades)
    )
    return [
        Graded(case, grader, system, fmean(grades))
        for case in worst[:_MOST_CASES]
        for (grader, system), grades in cells[case].items()
    ]


def cases_by_judge(benchmark: Benchmark) -> Table | None:
    """Return the mean severity of each case by judge and system.

    None with fewer than two judges or cases.
    """
    return _by_case(
        benchmark,
        case_grades(benchmark),
        "cases_by_judge",
        "Cases by judge",
        f"Mean grade (1 to 5) of the severity judges, worst cases first, at most {_MOST_CASES}. A row that "
        "is low throughout is a hard case; one with a single low value is a judge to look at.",
    )


def _by_case(
    benchmark: Benchmark, grades: Sequence[Graded], table_id: str, title: str, text: str
) -> Table | None:
    if not grades:
        return None
    columns = list(dict.fromkeys((grade.grader, grade.system) for grade in grades))
    cells = {(grade.case, grade.grader, grade.system): grade.grade for grade in grades}
    alone = len(benchmark.systems) == 1
    return Table(
        table_id,
        title,
        text,
        ("case", *(grader if alone else f"{grader}: {system}" for grader, system in columns)),
        tuple(
            (case, *(cells.get((case, *column)) for column in columns))
            for case in dict.fromkeys(grade.case for grade in grades)
        ),
    )


def composite_by_judge(benchmark: Benchmark, values: ScoreMatrix) -> Table | None:
    """Return the composite by judge, and its weighted parts; None without judges.

    Each is the composite with the severity of one judge alone.
    """
    columns = judged_columns(benchmark)
    if not columns:
        return None
    means = [round(float(np.nanmean(column.values)), 9) for column in columns]
    rows: list[tuple[Cell, ...]] = []
    for column, mean in sorted(zip(columns, means, strict=True), key=lambda p: (p[0].judge, -p[1])):
        own = (m for other, m in zip(columns, means, strict=True) if other.judge == column.judge)
        rank = 1 + sum(other > mean for other in own)
        terms = (term[~np.isnan(term)] for term in column.terms.values())
        parts = (float(term.mean()) if term.size else None for term in terms)
        rows.append((column.judge, rank, column.system, values.mean(column.values, (0, 1)), *parts))
    labels = (f"{benchmark.spec(name).label}, weighted" for name in PARTS.values())
    return Table(
        "composite_by_judge",
        "Composite by judge, and its parts",
        "Composite faithfulness with the severity of one judge alone: mean with its 95 % interval, "
        "rank of the system by it (equal means share one), and the mean of each part times its "
        "weight; these sum to the composite. Only the part of severity differs between judges.",
        ("judge", "rank", "system", "composite", *labels),
        tuple(rows),
    )


def judged_cases(benchmark: Benchmark) -> list[Graded]:
    """Return composites by case, judge and system, worst first.

    Averaged over epochs; empty without judges.
    """
    columns = judged_columns(benchmark)
    if not columns:
        return []
    grid = np.stack([column.values for column in columns], axis=1)
    case_indices = np.flatnonzero(~np.isnan(grid).all(axis=1))
    worst = sorted(case_indices, key=lambda index: float(np.nanmean(grid[index])))[:_MOST_CASES]
    return [
        Graded(benchmark.sample_ids[index], column.judge, column.system, float(value))
        for index in worst
        for column, value in zip(columns, grid[index], strict=True)
        if not np.isnan(value)
    ]


def composite_cases(benchmark: Benchmark) -> Table | None:
    """Return the composite of every case by judge and system; None without judges."""
    return _by_case(
        benchmark,
        judged_cases(benchmark),
        "composite_cases",
        "Composite of every case by judge",
        "Composite faithfulness with the severity of one judge alone, worst cases first, at most "
        f"{_MOST_CASES}; epochs of a case are averaged.",
    )


def composite_correlations(benchmark: Benchmark, values: ScoreMatrix) -> Table | None:
    """Return Kendall's tau of every two of composites, parts and overlap.

    None without a composite.
    """
    pairs = rank_correlations(benchmark, values)
    if not pairs:
        return None
    return Table(
        "composite_correlations",
        "Composite, parts and overlap: correlation with p",
        "Kendall's tau-b over the n answers of all systems for which both have a value, with "
        "its p, and that corrected over all pairs (Holm). p treats answers as independent, "
        "although answers of one company are correlated.",
        ("a", "b", "answers", "tau", "p", "p corrected"),
        tuple((pair.a, pair.b, pair.n, pair.tau, P(pair.p), P(pair.p_corrected)) for pair in pairs),
    )


def _verdicts(judgements: Iterable[Judgement]) -> list[Judgement]:
    return [
        judgement
        for judgement in judgements
        if judgement.scorer == "severity_judge" and judgement.repeat == 0
    ]


def _order(estimates: Sequence[Estimate | None]) -> tuple[bool, float]:
    """Sort key: best first, systems without a composite last."""
    first, *others = estimates
    means = [estimate.mean for estimate in others if estimate is not None]
    mean = first.mean if first else fmean(means) if means else -math.inf
    return first is None, -round(mean, 9)
