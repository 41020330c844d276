"""Tests of McNemar's exact test, shown by name beside the permutation test."""

from functools import partial
from pathlib import Path

import pytest
from inspect_ai.scorer import Score

from tests.report import material as m

# of ten answers, both are right on one, A-RAG alone on seven, naive RAG alone on one
RIGHT = {"arag": (1, 1, 1, 1, 1, 1, 1, 1, 0, 0), "naive_rag": (1, 0, 0, 0, 0, 0, 0, 0, 1, 0)}
EXACT = 2 * (1 + 8) / 2**8
"""Twice the probability of at most one of eight discordant pairs, by hand."""


def _scores(system: str, scale: float, number: int) -> dict[str, Score]:
    return {"numeric_match": m.scored(RIGHT[system][number] * scale)}


@pytest.mark.parametrize(
    ("company", "scale", "expected"),
    [("C{}", 1.0, (7, 1, EXACT, EXACT)), (None, 1.0, (7, 1, EXACT, None)), ("C{}", 0.5, None)],
    ids=["one sample a company", "several samples a company", "not 0 or 1"],
)
def test_mcnemar_table_is_reported_only_for_binary_values(
    tmp_path: Path, company: str | None, scale: float, expected: tuple[float, ...] | None
) -> None:
    logs = [
        m.run_of(system, partial(_scores, system, scale), 10, company=company, style="qa")
        for system in RIGHT
    ]
    report = m.report_of(tmp_path, *logs, primary=["numeric_match"])
    if expected is None:
        assert report.table("mcnemar") is None
        return
    (row,) = m.rows_of(report, "mcnemar")
    assert (row["a"], row["b"], row["n"]) == ("A-RAG", "Naive RAG", 10)
    only_a, only_b, exact, permuted = expected
    assert (row["only a right"], row["only b right"]) == (only_a, only_b)
    assert row["McNemar p"].value == pytest.approx(exact)
    if permuted is None:
        assert row["p"].value > row["McNemar p"].value  # four companies are weaker evidence
    else:
        assert row["p"].value == pytest.approx(permuted)


def _hedges(system: str, number: int) -> dict[str, Score]:
    return {"hedges": Score(value=RIGHT[system][number])}


@pytest.mark.parametrize(("high", "is_shown"), [(None, False), (1, True)])
def test_count_whose_values_are_0_and_1_is_not_binary(
    tmp_path: Path, high: float | None, *, is_shown: bool
) -> None:
    spec = {"key": "hedges", "label": "Hedges", "role": "primary", "low": 0, "high": high}
    scorer = {"name": "hedges", "metadata": {"measures": [spec]}}
    logs = [m.run_of(system, partial(_hedges, system), 10, scorers=[scorer]) for system in RIGHT]
    report = m.report_of(tmp_path, *logs, primary=["hedges"])
    assert (report.table("mcnemar") is not None) is is_shown
