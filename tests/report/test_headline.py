"""The headline in one line, and systems that are reference lines and no contestants."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from arag_inspect import compare
from arag_inspect.report import StudyReport
from arag_inspect.report.chart import as_spec
from arag_inspect.report.comparisons import baseline_of, family_of
from arag_inspect.report.page.render import about, banner
from tests.report import material as m


def _run(system: str, grade: float, n: int = 12, **spec: Any) -> Any:
    return m.run_of(system, lambda _: {"geval_coverage": m.judged(grade)}, n, company="C{}", **spec)


def _report(folder: Path, grades: Mapping[str, float], n: int = 12) -> StudyReport:
    return m.report_of(folder, *(_run(system, grade, n) for system, grade in grades.items()))


@pytest.mark.parametrize(
    ("grades", "n", "headline"),
    [
        ({"arag": 3}, 12, "A-RAG: coverage 3.000 ["),
        ({"arag": 3, "closed_book": 1}, 12, "A-RAG: coverage 3.000 ["),
        ({"arag": 4, "naive_rag": 2}, 12, "A-RAG covers more than Naive RAG: 4.000 against 2.000 of 5 (+2.000 ["),
        ({"arag": 4, "naive_rag": 2, "oracle": 5}, 12, "A-RAG covers more than Naive RAG: 4.000 against 2.000 of 5 ("),
        ({"arag": 4, "naive_rag": 2, "stuffing": 3}, 12, "A-RAG covers more than Naive RAG (+2.000 ["),
        ({"arag": 4, "naive_rag": 4}, 12, "No winner: tied in coverage (12 samples)."),
        ({"arag": 4, "naive_rag": 2}, 3, "No winner: 3 companies can show no difference, 6 or more could."),
    ],
)  # fmt: skip
def test_headline_is_one_line(
    tmp_path: Path, grades: Mapping[str, float], n: int, headline: str
) -> None:
    said = _report(tmp_path, grades, n).headline
    assert said.startswith(headline) and len(said) < 140


def test_headline_of_many_systems_counts_groups(tmp_path: Path) -> None:
    runs = [_run("arag", 4 if n < 4 else 2, params={"top_k": n}) for n in range(6)]
    assert m.report_of(tmp_path, *runs).headline == (
        "No single winner: in coverage 4 of 6 are unbeaten, 2 are worse than all of them; "
        "largest lead: A-RAG (top_k=0) over A-RAG (top_k=4) (+2.000 [+2.000, +2.000])."
    )


def test_reference_lines_are_no_contestants(tmp_path: Path) -> None:
    report = _report(tmp_path, {"closed_book": 1, "arag": 3, "oracle": 5, "naive_rag": 2})
    assert family_of(report.study).pairs == (("A-RAG", "Naive RAG"),)
    rows = [(row.system, row.is_bound) for row in report.leaderboard.rows]
    assert rows == [("A-RAG", False), ("Naive RAG", False), ("Oracle", True), ("Closed book", True)]
    chart = as_spec(m.chart_of(report, "frontier"))
    names = [{row["system"] for row in layer["data"]["values"]} for layer in chart["layer"]]
    assert names[0] == {"Oracle", "Closed book"} and names[-1] == {"A-RAG", "Naive RAG"}
    assert not any("Oracle" in finding.text for finding in report.findings)


def test_differences_of_two_runs_are_new_minus_earlier(tmp_path: Path) -> None:
    folders = [m.write(tmp_path / str(grade), _run("arag", grade)) for grade in (3, 4)]
    (report,) = compare(*folders).studies
    assert baseline_of(report.study) == "A-RAG (earlier)"
    assert "+1.000 [" in report.headline
    chart = m.chart_of(report, "differences")
    assert chart.title.startswith("Difference to A-RAG (earlier)")
    assert "A-RAG: +1.000 [" in chart.description


@pytest.mark.parametrize(
    ("models", "said"),
    [
        (("mock/model", "mock/model"), ""),
        (
            ("offline/extractive", "offline/extractive"),
            "Written by rules, not by a language model.",
        ),
        (
            ("mock/model", "offline/extractive"),
            "Naive RAG · extractive was written by rules, not by a language model: $0 is no model's price.",
        ),
    ],
)
def test_banner_names_the_systems_that_rules_wrote(
    tmp_path: Path, models: tuple[str, str], said: str
) -> None:
    systems = zip(("arag", "naive_rag"), models, strict=True)
    logs = [
        m.run_of(system, lambda _: {"rouge": m.scored(0.5, "rouge")}, model=model)
        for system, model in systems
    ]
    assert banner(m.report_of(tmp_path, *logs)) == said


def test_system_outside_is_no_writer_of_the_provenance(tmp_path: Path) -> None:
    """Its answers are of no model that Inspect knows, and `none/none` would say nothing."""
    scores = {"rouge": m.scored(0.5, "rouge")}
    logs = [
        m.run_of("naive_rag", lambda _: scores, model="mock/model"),
        m.run_of("external", lambda _: scores, model="none/none"),
    ]
    line = " · ".join(about(m.report_of(tmp_path, *logs)))
    assert "written by mock/model" in line and "none" not in line.replace("no judge", "")
