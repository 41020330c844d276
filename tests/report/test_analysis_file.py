"""Tests that an analysis is one file, picked up in every output of a report."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arag_inspect._util.errors import InputError
from arag_inspect.report import Study, analyses, frames, make_report, write_report
from arag_inspect.report.analysis import RowCells, analysis
from tests.report import material as m

_MODULE = "longest_answers_of_a_test"
_FILE = '''
from arag_inspect.report.analysis import analysis


@analysis(
    "Longest answers",
    text="The longest answer over all {clusters}.",
    meanings={"longest": "Words of the longest answer"},
    section="quality",
    order=15,
)
def longest_answers(study):
    """Yield the longest answer of each system."""
    for system, answers in study.by_system(study.answers):
        yield {"system": system, "longest": int(answers["words"].max())}
'''


def test_added_analysis_file_appears_on_page_in_markdown_and_csv(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "analyses"
    folder.mkdir()
    (folder / f"{_MODULE}.py").write_text(_FILE, encoding="utf-8")
    monkeypatch.setattr(analyses, "__path__", [*analyses.__path__, str(folder)])
    log = m.run_of("arag", lambda n: {"geval_coverage": m.judged(3.0 + n % 2)})
    report = make_report(frames(m.write(tmp_path / "logs", log)))
    files = write_report(report, tmp_path / "out")
    monkeypatch.delitem(sys.modules, f"{analyses.__name__}.{_MODULE}")

    names = [table.id for table in report.studies[0].tables]
    assert names.index("longest_answers") == names.index("headline") + 1
    (path,) = files.folder.glob("*/tables/longest_answers.csv")
    assert path.read_text(encoding="utf-8").split() == ["system,longest", "A-RAG,5"]
    text = "#### Longest answers\n\nThe longest answer over all companies."
    assert text in files.markdown.read_text(encoding="utf-8")
    page = files.page.read_text(encoding="utf-8")
    assert "Longest answers" in page and "Words of the longest answer." in page


def test_analysis_of_your_own_is_passed_to_report(tmp_path: Path) -> None:
    names: dict[str, Any] = {}
    exec(_FILE, names)
    logged = frames(m.write(tmp_path, m.run_of("arag", {"geval_coverage": m.judged(3)})))
    (study,) = make_report(logged, analyses=[names["longest_answers"]]).studies
    table = study.table("Longest answers")
    assert table is not None and table.columns == ("system", "longest")
    elsewhere = replace(names["longest_answers"], section="nowhere")
    with pytest.raises(InputError, match="section of the analysis longest_answers"):
        make_report(logged, analyses=[elsewhere])


@pytest.mark.parametrize(
    ("other", "problem"),
    [
        ({}, "lacks first, last"),
        ({"last": 2, "second": 2}, "lacks first"),
        ({"first": 1, "last": 3, "second": 2}, "also has second"),
        ({"last": 1, "first": 3}, "has its cells in another order: last, first"),
    ],
)
def test_row_with_different_headings_is_named(
    tmp_path: Path, other: dict[str, int], problem: str
) -> None:
    @analysis("Uneven", text="Rows.", id="uneven")
    def uneven(_: Study) -> Iterator[RowCells]:
        yield {"first": 1, "last": 1}
        yield {"first": 2, "last": None}
        yield other

    log = m.run_of("arag", lambda n: {"geval_coverage": m.judged(3.0)})
    with pytest.raises(InputError, match=f"uneven have different headings: row 3 {problem};"):
        uneven(m.report_of(tmp_path, log).study)
