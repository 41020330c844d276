"""Composite faithfulness in the report: ranking, pillars, bands, cases by judge."""

import pytest
from inspect_ai.scorer import Score

from arag_inspect.report import make_report, read_runs
from arag_inspect.report.build import BenchmarkReport
from arag_inspect.report.render.page.charts import as_spec, charts
from arag_inspect.report.tables.faithfulness import BANDS, band
from arag_inspect.report.tables.table import Share, raw
from arag_inspect.scorers import composite_faithfulness as scorer
from tests.report import material as m

COMPOSITES = {"stuffing": (0.9, 0.76, 0.6, 0.2), "arag": (0.95, 0.92, 0.91, 0.9)}


def _scores(system: str, number: int) -> dict[str, Score]:
    grades = {"a/one": float(number + 1), "b/two": 5.0}
    scores = {
        "severity_judge": m.judged(grades, name="severity_judge"),
        "embedding_coverage": m.scored(0.5),
        "composite_faithfulness": Score.unscored(reason="part_unscored"),
    }
    if system in COMPOSITES:
        scores["composite_faithfulness"] = m.scored(COMPOSITES[system][number])
    return scores


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> BenchmarkReport:
    folder = tmp_path_factory.mktemp("pillars")
    systems = ("closed_book", "stuffing", "arag")
    logs = [m.run_of(name, lambda n, name=name: _scores(name, n), 4) for name in systems]  # type: ignore[misc]
    [found] = make_report(read_runs([str(m.write(folder, *logs))])).benchmarks
    return found


def test_systems_are_ranked_by_the_composite_and_those_without_one_come_last(
    report: BenchmarkReport,
) -> None:
    table = report.table("pillars")
    assert table is not None
    assert [row[:2] for row in table.rows] == [(1, "arag"), (2, "stuffing"), (3, "closed_book")]
    assert [raw(row[2]) for row in table.rows] == [pytest.approx(0.92), pytest.approx(0.615), None]
    assert len(table.columns) == 5


def test_bands_hold_their_least_values(report: BenchmarkReport) -> None:
    table = report.table("bands")
    assert table is not None
    assert {row[0]: row[1:] for row in table.rows} == {
        "arag": (4, Share(1), Share(0), Share(0), Share(0)),
        "stuffing": (4, Share(0.25), Share(0.25), Share(0.25), Share(0.25)),
    }
    assert [band(value) for value in (0.9, 0.8999, 0.6, 0.0)] == [
        "faithful", "mostly faithful", "doubtful", "unfaithful",
    ]  # fmt: skip


def test_bands_are_those_of_the_scorer() -> None:
    from inspect import getmodule

    assert vars(getmodule(scorer))["_BANDS"] == BANDS


def test_cases_by_judge_begin_with_the_worst(report: BenchmarkReport) -> None:
    table = report.table("cases_by_judge")
    assert table is not None
    assert [row[0] for row in table.rows] == ["s000", "s001", "s002", "s003"]
    (chart,) = [one for one in charts(report) if one.name == "cases_by_judge"]
    spec = as_spec(chart)
    (chosen,) = [one for one in spec["params"] if one["name"] == "judge"]
    assert chosen["bind"]["options"] == ["all judges", "a/one", "b/two"]
    (rows,) = spec["datasets"].values()
    first = next(row for row in rows if row["row"] == "a/one: arag")
    assert (first["case"], first["grade"]) == ("s000", 1.0) and chart.section == "pillars"
    place = table.columns.index("b/two: arag")
    assert [row[place] for row in table.rows] == [5.0] * 4
    assert [row[table.columns.index("a/one: arag")] for row in table.rows] == [1, 2, 3, 4]
