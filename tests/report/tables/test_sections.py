"""Tables, chart and reader of the sections that summaries use."""

from typing import Any

import pytest
from inspect_ai.scorer import Score

from arag_inspect.report import frames, make_report
from arag_inspect.report.build import BenchmarkReport
from arag_inspect.report.chart import as_spec
from arag_inspect.report.charts import charts
from arag_inspect.report.page.data import benchmark_data
from arag_inspect.report.table import Over, Share
from tests.report import material as m

RISKS = {"doc_id": "a", "section": "Risk Factors", "chunks": 2}
NOTES = {"doc_id": "a", "section": "Notes", "chunks": 9}
LATER = {"doc_id": "b", "section": "Notes", "chunks": 9}


def _scores(system: str, number: int) -> dict[str, Score]:
    risks = RISKS | {"sentences": [0] if number < 3 else [], "read": 1}
    notes: list[Any] = [NOTES | {"sentences": [], "read": 0}]
    if number == 1:
        notes.append(LATER | {"sentences": [1], "read": 1})
    sections: Any = [risks, *notes] if system == "arag" else [risks, 7]
    if number == 0:
        sections = "of another suite"
    topics = [{"topic": "Outlook", "mentions": 4, "sentences": []}] if number == 2 else []
    return {"section_coverage": m.scored(0.5, sections=sections, topics=topics)}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> BenchmarkReport:
    logs = [
        m.run_of(name, lambda n, name=name: _scores(name, n), 4)  # type: ignore[misc]
        for name in ("arag", "stuffing")
    ]
    folder = m.write(tmp_path_factory.mktemp("sections"), *logs)
    [benchmark_report] = make_report(frames([str(folder)])).benchmarks
    return benchmark_report


def test_shares_are_over_the_summaries_whose_documents_have_the_section(
    report: BenchmarkReport,
) -> None:
    table = report.table("sections")
    assert table is not None and table.columns == ("kind", "name", "A-RAG", "Stuffing")
    assert table.rows == (
        ("section", "Risk Factors", Over(Share(2 / 3), 3), Over(Share(2 / 3), 3)),
        ("section", "Notes", Over(Share(1 / 3), 3), None),
        ("topic", "Outlook", Over(Share(0), 1), Over(Share(0), 1)),
    )
    (chart,) = [chart for chart in charts(report) if chart.name == "sections"]
    rows = as_spec(chart)["data"]["values"]
    assert [row["share"] for row in rows] == [2 / 3, 2 / 3, 1 / 3, 0, 0]


def test_the_reader_says_which_sections_are_untouched(report: BenchmarkReport) -> None:
    samples = benchmark_data(report.benchmark)["samples"]
    parts = [[tuple(part.values()) for part in s["answers"][0]["parts"]] for s in samples]
    risks = ("section", "Risk Factors")
    assert parts == [
        [],
        [(*risks, True, True), ("section", "Notes", True, True)],
        [
            (*risks, True, True),
            ("section", "Notes", False, False),
            ("topic", "Outlook", False, False),
        ],
        [(*risks, False, True), ("section", "Notes", False, False)],
    ]
