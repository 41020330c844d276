"""Tests of success criteria: met, not met or not shown, with their figures."""

from functools import partial
from pathlib import Path

import pytest
from inspect_ai.scorer import Score

from arag_inspect.report import StudyReport, frames, make_report, read_criteria
from arag_inspect.report.output.markdown import to_markdown
from tests.report import material as m

COVERAGE = "A-RAG's coverage is above naive RAG's"


def _report(folder: Path, lead: float, wave: float = 0.2, **extra: Score) -> StudyReport:
    """Report A-RAG against naive RAG on 24 companies, with a given mean lead in coverage.

    The lead varies periodically.
    """

    def scores(add: float, number: int) -> dict[str, Score]:
        grade = 2.0 + add + wave * (number % 2) * (add > 0)
        return {"geval_coverage": m.judged(grade), **extra}

    arag = m.run_of("arag", partial(scores, lead - wave / 2), 24, company="C{}")
    logs = [arag, m.run_of("naive_rag", partial(scores, 0.0), 24, company="C{}")]
    return m.report_of(folder, *logs, criteria=read_criteria())


def _verdicts(report: StudyReport) -> dict[str, tuple[object, ...]]:
    table = m.table_of(report, "criteria")
    return {f"{row[0]}; {row[1]}": row for row in table.rows}


@pytest.mark.parametrize(
    "lead, wave, verdict", [(1.0, 0.2, "met"), (0.5, 0.2, "not met"), (0.8, 0.8, "not shown")]
)
def test_criterion_is_judged_by_whole_interval_of_difference(
    tmp_path: Path, lead: float, wave: float, verdict: str
) -> None:
    row = _verdicts(_report(tmp_path, lead, wave))[f"{COVERAGE}; A-RAG − Naive RAG"]
    assert row[-1] == verdict and row[2] == 0.8
    assert row[3].value == pytest.approx(lead)  # type: ignore[attr-defined]


def test_criterion_shares_are_counted_over_answers_of_run(tmp_path: Path) -> None:
    codes = m.scored({"H": 0.0, "any": 0.0})
    rows = _verdicts(_report(tmp_path, 1.0, error_taxonomy=codes))
    coded = rows["Low grades carry an error code; all"]
    assert (coded[3].n, coded[3].value.value, coded[-1]) == (36, 0.0, "not met")  # type: ignore[attr-defined]
    readable = rows["Verdicts can be read; all"]
    assert (readable[3].n, readable[-1]) == (48, "met")  # type: ignore[attr-defined]
    nothing = rows["Stuffing ends without errors, and what it skips has a reason; -"]
    assert nothing[3:] == (None, "not shown")
    effort = rows["Cost and latency in every answer; all"]
    assert (effort[3].n, effort[-1]) == (48, "met")  # type: ignore[attr-defined]


def test_built_in_criteria_match_sources() -> None:
    assert [(one.statistic, one.measure, one.at_least) for one in read_criteria()] == [
        ("difference", "recall", 0.25),
        ("difference", "coverage", 0.8),
        ("share_coded", "", 0.95),
        ("share_readable", "", 1),
        ("share_retrieval", "", 1),
        ("share_effort", "", 1),
        ("share_finished", "", 1),
        ("unchanged", "", -0.02),
    ]


def test_first_page_has_findings_charts_and_criteria(tmp_path: Path) -> None:
    report = _report(tmp_path, 1.0)
    full_report = make_report(frames(tmp_path), criteria=read_criteria())
    first, appendix = to_markdown(full_report).split("\n# Appendix\n")
    assert len(first.splitlines()) < 60
    assert "A-RAG covers more than Naive RAG" in first
    assert first.count("\n#### ") == 2 and "| criterion | systems |" in first
    assert "#### Which system is better" in appendix and "Success criteria" not in appendix
    assert report.sections[0].id == "overview"
