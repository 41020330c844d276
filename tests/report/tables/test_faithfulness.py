"""Tests of composite faithfulness in the report: ranking, pillars, bands, cases by judge."""

from functools import partial
from pathlib import Path

import pytest
from inspect_ai.scorer import Score

from arag_inspect.benchmarks.legal.composite_faithfulness import band
from arag_inspect.report import frames
from arag_inspect.report.build import StudyReport
from arag_inspect.report.cells import Share, raw
from arag_inspect.report.chart import as_spec, as_svg
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
def report(tmp_path_factory: pytest.TempPathFactory) -> StudyReport:
    folder = tmp_path_factory.mktemp("pillars")
    systems = ("closed_book", "stuffing", "arag")
    logs = [m.run_of(name, lambda n, name=name: _scores(name, n), 4) for name in systems]  # type: ignore[misc]
    return m.report_of(folder, *logs)


def test_systems_without_composite_are_ranked_last(
    report: StudyReport,
) -> None:
    table = m.table_of(report, "pillars")
    assert [row[:2] for row in table.rows] == [(1, "A-RAG"), (2, "Stuffing"), (3, "Closed book")]
    assert [raw(row[2]) for row in table.rows] == [pytest.approx(0.92), pytest.approx(0.615), None]
    assert len(table.columns) == 5


def test_faithfulness_bands_include_lower_bounds(report: StudyReport) -> None:
    table = m.table_of(report, "bands")
    assert {row[0]: row[1:] for row in table.rows} == {
        "A-RAG": (4, Share(1), Share(0), Share(0), Share(0)),
        "Stuffing": (4, Share(0.25), Share(0.25), Share(0.25), Share(0.25)),
    }
    assert [band(value) for value in (0.9, 0.8999, 0.6, 0.0)] == [
        "Excellent", "Good", "Moderate", "Significant problems",
    ]  # fmt: skip


def _judged(system: str, number: int) -> dict[str, Score]:
    """Return two judges' severity verdicts.

    a/one gives (number + 2) / 5 and b/two gives 1; for stuffing, 1 and 0.2.
    """
    nli, coverage = (1.0, 0.5) if system == "arag" else (0.5, 0.0)
    first, second = ((number + 2) / 5, 1.0) if system == "arag" else (1.0, 0.2)
    rest = 0.35 * nli + 0.25 * coverage
    by_judge = {"a/one": rest + 0.4 * first, "b/two": rest + 0.4 * second}
    parts = {
        "nli": {"value": nli, "weight": 0.35},
        "judge": {"value": (first + second) / 2, "weight": 0.4},
        "coverage": {"value": coverage, "weight": 0.25},
    }
    composite = sum(by_judge.values()) / 2
    return {
        "nli_contradiction": m.scored(nli),
        "embedding_coverage": m.scored(coverage),
        "composite_faithfulness": m.scored(composite, by_judge=by_judge, parts=parts),
    }


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> StudyReport:
    logs = [m.run_of(name, partial(_judged, name), 4) for name in ("stuffing", "arag")]
    folder = m.write(tmp_path_factory.mktemp("judged"), *logs)
    study_report = m.report_on(frames([str(folder)]))
    return study_report


def test_every_judge_has_composite_ranking_and_parts(judged: StudyReport) -> None:
    table = m.table_of(judged, "composite_by_judge")
    assert [row[:3] for row in table.rows] == [
        ("a/one", 1, "A-RAG"), ("a/one", 2, "Stuffing"), ("b/two", 1, "A-RAG"),
        ("b/two", 2, "Stuffing"),
    ]  # fmt: skip
    figures = [[raw(cell) for cell in row[3:]] for row in table.rows]
    assert figures == [
        pytest.approx([0.755, 0.35, 0.28, 0.125]),
        pytest.approx([0.575, 0.175, 0.4, 0]),
        pytest.approx([0.875, 0.35, 0.4, 0.125]),
        pytest.approx([0.255, 0.175, 0.08, 0]),
    ]


def test_equal_composites_share_rank(tmp_path: Path) -> None:
    names = ("naive_rag", "closed_book", "arag")
    logs = [
        m.run_of(name, partial(_judged, "arag" if name == "arag" else "x"), 4) for name in names
    ]
    logs = [*logs, m.run_of("stuffing", partial(_judged, "arag"), 4)]
    report = m.report_of(tmp_path / "logs", *logs)
    table = m.table_of(report, "composite_by_judge")
    assert [(row[1], row[2]) for row in table.rows if row[0] == "b/two"] == [
        (1, "A-RAG"), (1, "Stuffing"), (3, "Naive RAG"), (3, "Closed book"),
    ]  # fmt: skip


def test_composite_cases_are_listed_by_judge_worst_first(judged: StudyReport) -> None:
    table = m.table_of(judged, "composite_cases")
    assert table.columns == (
        "case",
        "a/one: A-RAG",
        "a/one: Stuffing",
        "b/two: A-RAG",
        "b/two: Stuffing",
    )
    assert [row[0] for row in table.rows] == ["s000", "s001", "s002", "s003"]
    assert table.rows[1][1:] == pytest.approx((0.715, 0.575, 0.875, 0.255))


def test_faithfulness_charts_match_tables(judged: StudyReport) -> None:
    charts_by_name = {chart.name: chart for chart in judged.charts if chart.section == "pillars"}
    assert list(charts_by_name) == [
        "faithfulness",
        "ranking",
        "parts_by_judge",
        "composite_cases",
        "composite_correlations",
    ]
    described = {name: chart.description for name, chart in charts_by_name.items()}
    assert "A-RAG, Composite faithfulness: 0.81" in described["faithfulness"]
    assert "Stuffing, a/one: 0.57" in described["ranking"]
    assert "b/two Stuffing Free of grave errors, weighted 0.08" in described["parts_by_judge"]
    assert (
        "Composite faithfulness / Composite, a/one 1.00 (p 0."
        in described["composite_correlations"]
    )
    spec = as_spec(charts_by_name["composite_cases"])
    rows = spec["data"]["values"]
    assert [row["composite"] for row in rows[:4]] == pytest.approx([0.635, 0.575, 0.875, 0.255])
    (judge_choice,) = [parameter for parameter in spec["params"] if parameter["name"] == "chosen"]
    assert judge_choice["bind"]["options"] == ["all judges", "a/one", "b/two"]
    assert {(row["row"], row["judge"]) for row in rows} == {
        (f"{judge}: {system}", judge)
        for judge in ("a/one", "b/two")
        for system in ("A-RAG", "Stuffing")
    }
    for chart in charts_by_name.values():
        assert as_svg(chart).startswith("<svg")


def test_composite_correlations_have_exact_p_values(tmp_path: Path) -> None:
    """Of 120 orders of five answers, two are as extreme as the identical order."""

    def scores(number: int) -> dict[str, Score]:
        return {
            "composite_faithfulness": m.scored((number + 1) / 10),
            "embedding_coverage": m.scored(0.5),
            "rouge": m.scored({"rouge1": number**2 / 100, "rouge2_recall": 0.1}),
            "bertscore": m.scored({"bertscore_f1": 1 - number / 50}),
        }

    folder = m.write(tmp_path / "logs", m.run_of("arag", scores, 5))
    report = m.report_on(frames([str(folder)]))
    table = m.table_of(report, "composite_correlations")
    names = [
        ("Composite faithfulness", "ROUGE-1"),
        ("Composite faithfulness", "BERTScore F1"),
        ("ROUGE-1", "BERTScore F1"),
    ]
    assert [row[:2] for row in table.rows] == names
    assert [row[2:4] for row in table.rows] == [(5, pytest.approx(t)) for t in (1, -1, -1)]
    assert [raw(row[4]) for row in table.rows] == pytest.approx([2 / 120] * 3)
    assert [raw(row[5]) for row in table.rows] == pytest.approx([6 / 120] * 3)


def test_failure_shares_are_computed_within_hallucinations_and_omissions(tmp_path: Path) -> None:
    def scores(number: int) -> dict[str, Score]:
        codes = {"FC": number < 3, "WV": number == 0, "OH": number > 1, "HE": True, "any": True}
        return {"error_taxonomy": m.scored({code: float(on) for code, on in codes.items()})}

    report = m.report_of(tmp_path, m.run_of("arag", scores, 4))
    table = m.table_of(report, "failure_shares")
    assert [row[1:] for row in table.rows] == [
        ("hallucination", "Error FC", 3, Share(0.75)),
        ("hallucination", "Error WV", 1, Share(0.25)),
        ("omission", "Error OH", 2, Share(1)),
    ]
