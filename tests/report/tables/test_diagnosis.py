"""Tests of diagnostic tables: evidence and outcomes, rubrics, repetitions, floor and ceiling."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog

from arag_inspect.measure import GRADES, MeasureSpec
from arag_inspect.report.cells import Over, Share, raw
from arag_inspect.report.comparison.correctness import outcome_of
from arag_inspect.report.comparison.criteria import judge_criteria
from arag_inspect.report.criterion import Criterion
from tests.report.material import (
    log,
    report_of,
    rows_of,
    run_of,
    sample,
    scored,
    table_of,
)


def _declared(
    spec: MeasureSpec, *values: tuple[float, ...], answer: str = "It was 5.", system: str = "arag"
) -> EvalLog:
    """Return a log of a scorer that declares one measure, with the values of every epoch."""
    samples = [
        sample(n, {spec.key: scored(value)}, system=system, epoch=epoch, answer=answer)
        for n, of_epochs in enumerate(values)
        for epoch, value in enumerate(of_epochs, 1)
    ]
    scorer = {"name": spec.key, "metadata": {"measures": [asdict(spec)]}}
    return log(samples, system=system, scorers=[scorer])


@pytest.mark.parametrize(
    ("declared", "values", "outcomes"),
    [
        (GRADES, [1, 2.9, 3, 5], ["wrong", "wrong", "right", "right"]),
        ({"low": -1.0}, [-1, -0.1, 0, 1], ["wrong", "wrong", "right", "right"]),
        ({"low": 0.2}, [0.2, 0.5, 0.6, 1], ["wrong", "wrong", "right", "right"]),
        ({"higher_is_better": False}, [0, 0.5, 0.6, 1], ["right", "right", "wrong", "wrong"]),
        ({"high": None}, [1, 11, 61], [None, None, None]),
    ],
)
def test_answer_is_right_in_better_half_of_scale(
    tmp_path: Path, declared: Any, values: list[float], outcomes: list[str | None]
) -> None:
    spec = MeasureSpec("solved", "Solved", role="primary", aspect="correctness", **declared)
    study = report_of(tmp_path, _declared(spec, *((value,) for value in values))).study
    rows = study.answers.itertuples(index=False)
    assert [outcome_of(study, row) for row in rows] == outcomes


def test_sufficiency_table_crosses_evidence_with_outcomes(tmp_path: Path) -> None:
    def of(number: int, grade: str, correct: float, answer: str = "It was 5.") -> Any:
        grades = {name: float(name == grade) for name in ("sufficient", "partial", "insufficient")}
        scores = {"numeric_match": scored(correct), "context_sufficiency": scored(grades)}
        return sample(number, scores, answer=answer)

    samples = [of(0, "sufficient", 1.0), of(1, "sufficient", 0.0), of(2, "insufficient", 1.0)]
    samples.append(of(3, "insufficient", 0.0, "I do not know."))
    rows = table_of(report_of(tmp_path, log(samples)), "sufficiency").rows
    assert rows == (
        ("A-RAG", "sufficient", 2, Share(0.5), Share(0.5), Share(0.0)),
        ("A-RAG", "insufficient", 2, Share(0.5), Share(0.0), Share(0.5)),
    )


def test_unmet_rubric_criteria_come_first(tmp_path: Path) -> None:
    def of(number: int, first: bool) -> Any:
        criteria = [
            {"criterion": "Names revenue", "points": 3.0, "met": first, "category": "figures"},
            {"criterion": "Names risks", "points": 1.0, "met": False},
            {"criterion": "Gives advice", "points": -1.0, "met": False, "category": "scope"},
        ]
        judge = {"grader": "g", "reason": None, "raw": ["x"], "verdict": 0.5, "criteria": criteria}
        return sample(number, {"rubric": scored(0.5, judges=[judge])})

    report = report_of(tmp_path, log([of(0, True), of(1, False)]))
    table = table_of(report, "criteria_met")
    assert table.rows == (
        ("Names risks", 1.0, Over(Share(0.0), 2)),
        ("Names revenue", 3.0, Over(Share(0.5), 2)),
        ("Gives advice", -1.0, Over(Share(1.0), 2)),
    )
    assert "1 of 3 were never passed" in table.text
    assert table_of(report, "rubric_categories").rows == (
        ("figures", 1, Over(Share(0.5), 2)),
        ("scope", 1, Over(Share(1.0), 2)),
    )


def test_consistency_table_counts_flips_between_epochs(tmp_path: Path) -> None:
    def run(system: str, values: list[tuple[float, float]]) -> Any:
        return log(
            [
                sample(number, {"numeric_match": scored(value)}, system=system, epoch=epoch)
                for number, pair in enumerate(values)
                for epoch, value in enumerate(pair, 1)
            ],
            system=system,
        )

    own = report_of(
        tmp_path,
        run("arag", [(1, 1), (1, 0), (0, 0), (1, 1)]),
        run("naive_rag", [(0, 0), (0, 0), (0, 0), (0, 1)]),
    )
    arag, naive = table_of(own, "consistency").rows
    assert [raw(cell) for cell in arag[2:8]] == [2, 4, 0.625, 0.5, 0.25, "s001"]
    assert raw(naive[5]) == 0.0 and raw(naive[6]) == 0.25
    (row,) = table_of(own, "beyond_chance").rows
    assert raw(row[3]) == pytest.approx(0.5) and row[5] == "yes"
    # a sample that flips has variance 0.5; there are four samples with two epochs each
    assert row[4] == pytest.approx(1.96 * (2 * (0.5 / 4) / 8) ** 0.5)


@pytest.mark.parametrize("low", [0.0, None])
def test_consistency_table_says_nothing_of_passes_without_a_scale(
    tmp_path: Path, low: float | None
) -> None:
    points = MeasureSpec("points", "Points", role="primary", low=low, high=None)
    (row,) = rows_of(report_of(tmp_path, _declared(points, (1, 61), (21, 21))), "consistency")
    assert all(row[name] is None for name in ("pass", "pass^k", "flip", "samples that flip"))
    assert row["spread"] == pytest.approx(60 / 2**0.5 / 2)


@pytest.mark.parametrize(
    ("scale", "steps"),
    [
        ({"low": 0.2}, ["0.008", "0.016", "0.04", "0.08"]),
        ({"low": 0.0, "high": 100.0}, ["1", "2", "5", "10"]),
        ({"low": -1.0, "high": 1.0}, ["0.02", "0.04", "0.1", "0.2"]),
    ],
)
def test_size_table_has_steps_of_any_scale(tmp_path: Path, scale: Any, steps: list[str]) -> None:
    spec = MeasureSpec("tone", "Tone", role="primary", **scale)
    high = spec.high or 0.0
    arag = _declared(spec, *((high * (n % 3 + 1) / 4,) for n in range(9)))
    naive = _declared(spec, *((high * (n % 4 + 1) / 4,) for n in range(9)), system="naive_rag")
    (row,) = rows_of(report_of(tmp_path, arag, naive), "power")
    parts = str(row["for a difference of"]).split(", ")
    assert [part.split(": ")[0] for part in parts if ": " in part] == steps


def test_bounds_table_places_system_between_floor_and_ceiling(tmp_path: Path) -> None:
    def run(system: str, value: float) -> Any:
        return run_of(system, lambda n: {"geval_coverage": scored(1 + value + 0.1 * (n % 2))})

    own = report_of(tmp_path, run("arag", 0.4), run("closed_book", 0.1), run("oracle", 0.5))
    ((_, system, floor, mean, ceiling, share),) = table_of(own, "bounds").rows
    assert system == "A-RAG" and raw(share) == pytest.approx(0.75)
    assert (floor, mean, ceiling) == pytest.approx((1.15, 1.45, 1.55))
    criterion = Criterion(name="near the ceiling", statistic="share_of_way", at_least=0.7)
    benchmark = own.study
    benchmark.choices = benchmark.choices._replace(criteria=(criterion,))
    (outcome,) = judge_criteria(benchmark)
    assert (outcome.systems, outcome.verdict) == ("A-RAG", "met")
