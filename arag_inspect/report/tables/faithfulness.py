"""Faithfulness in parts: bands of the composite, its pillars, the ranking, and cases by judge."""

import math
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import NamedTuple

from ...stats.estimates import Estimate
from ..analysis.matrix import ScoreMatrix
from ..load.records import Benchmark, Judgement
from .table import Cell, Share, Table

COMPOSITE = "composite_faithfulness"
PILLARS = ("nli_contradiction", "severity_judge", "embedding_coverage")
"""What the composite is made of, in its order."""

BANDS = ((0.90, "faithful"), (0.75, "mostly faithful"), (0.60, "doubtful"), (0.0, "unfaithful"))
"""Least value of each band, best first; those of the scorer."""

_MOST_CASES = 60
"""Rows of the table of cases by judge; the cases that judges see least well come first."""


def ranking(benchmark: Benchmark, values: ScoreMatrix) -> Table | None:
    """Systems by composite with its pillars; None where no two pillars were measured."""
    present = [name for name in PILLARS if name in benchmark.measures]
    if len(present) < 2:
        return None
    names = [COMPOSITE, *present] if COMPOSITE in benchmark.measures else present
    found = {
        system: [values.estimate(system, name) for name in names] for system in benchmark.systems
    }
    order = sorted(benchmark.systems, key=lambda system: _order(found[system]))
    return Table(
        "pillars",
        "Ranking by faithfulness, and its pillars",
        "Mean with its 95 % interval. By the composite; where a system has none, after the others, "
        "by the mean of its pillars. Systems whose intervals overlap much are not told apart: see "
        "the comparisons.",
        ("rank", "system", *(benchmark.spec(name).label for name in names)),
        tuple((place, system, *found[system]) for place, system in enumerate(order, start=1)),
    )


def bands(benchmark: Benchmark) -> Table | None:
    """Share of answers in each band of the composite; None where it has no value."""
    rows: list[tuple[Cell, ...]] = []
    for run in benchmark.runs:
        known = [value for s in run.samples if (value := s.value(COMPOSITE)) is not None]
        if known:
            counts = [sum(band(value) == name for value in known) for _, name in BANDS]
            rows.append((run.system, len(known), *(Share(count / len(known)) for count in counts)))
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
    """The band of a composite."""
    return next((name for least, name in BANDS if value >= least - 1e-9), BANDS[-1][1])


class Graded(NamedTuple):
    """The severity judges' mean grade of one case."""

    case: str
    grader: str
    system: str
    grade: float


def case_grades(benchmark: Benchmark) -> list[Graded]:
    """Grades (1 to 5) by case, judge and system, worst cases first; none with fewer than two judges or cases."""
    cells: dict[str, dict[tuple[str, str], list[float]]] = {}
    for run, sample in benchmark.samples():
        for verdict in _verdicts(sample.judgements):
            column = (verdict.grader, run.system)
            if verdict.verdict is not None:
                cells.setdefault(sample.id, {}).setdefault(column, []).append(verdict.verdict)
    if len({grader for row in cells.values() for grader, _ in row}) < 2 or len(cells) < 2:
        return []
    worst = sorted(cells, key=lambda case: fmean(v for got in cells[case].values() for v in got))
    return [
        Graded(case, grader, system, fmean(got))
        for case in worst[:_MOST_CASES]
        for (grader, system), got in cells[case].items()
    ]


def cases_by_judge(benchmark: Benchmark) -> Table | None:
    """Mean severity of each case by judge and system; None with fewer than two judges or cases."""
    found = case_grades(benchmark)
    if not found:
        return None
    columns = list(dict.fromkeys((one.grader, one.system) for one in found))
    grades = {(one.case, one.grader, one.system): one.grade for one in found}
    alone = len(benchmark.systems) == 1
    return Table(
        "cases_by_judge",
        "Cases by judge",
        f"Mean grade (1 to 5) of the severity judges, worst cases first, at most {_MOST_CASES}. A row that "
        "is low throughout is a hard case; one with a single low value is a judge to look at.",
        ("case", *(grader if alone else f"{grader}: {system}" for grader, system in columns)),
        tuple(
            (case, *(grades.get((case, *column)) for column in columns))
            for case in dict.fromkeys(one.case for one in found)
        ),
    )


def _verdicts(judgements: Iterable[Judgement]) -> list[Judgement]:
    return [one for one in judgements if one.scorer == "severity_judge" and one.repeat == 0]


def _order(found: Sequence[Estimate | None]) -> tuple[bool, float]:
    """Sorts the best first, and what has no composite last."""
    first, *others = found
    known = [one.mean for one in others if one is not None]
    return first is None, -(first.mean if first else fmean(known) if known else -math.inf)
