"""Tests that a lead on several kinds of samples together says what each kind shows."""

from pathlib import Path

import pytest
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score

from arag_inspect.report import StudyReport
from tests.report import material as m

_MEASURE = "geval_coverage"


def _report(folder: Path, *systems: dict[str, float], questions: int = 12) -> StudyReport:
    """Report on systems with a grade on questions and one on as many summaries."""
    logs = []
    for name, grades in zip(("arag", "stuffing", "naive_rag"), systems, strict=False):
        logs.append(_log(name, grades, questions))
    return m.report_of(folder, *logs, primary=[_MEASURE])


def _log(system: str, grades: dict[str, float], questions: int) -> EvalLog:
    samples = []
    for number in range(2 * questions):
        style = "qa" if number < questions else "summary"
        grade = grades[style] + 0.1 * (number % 3)
        score: dict[str, Score] = {_MEASURE: m.judged(grade)}
        metadata = {"style": style, "company": f"C{number}"}
        samples.append(m.sample(number, score, system=system, metadata=metadata))
    return m.log(samples, system=system)


@pytest.mark.parametrize(
    ("questions", "text"),
    [
        # four samples of a kind cannot show a difference, eight of both can
        (4, "This pools 4 questions (+1.000, p 0.125) and 4 summaries (+1.000, p 0.125); "
         "neither kind shows it alone."),
        (12, "This pools 12 questions (+1.000, p < 0.001) and 12 summaries (+1.000, p < 0.001)."),
    ],
)  # fmt: skip
def test_lead_on_questions_and_summaries_says_that_it_pools_them(
    tmp_path: Path, questions: int, text: str
) -> None:
    better, worse = {"qa": 4.0, "summary": 4.0}, {"qa": 3.0, "summary": 3.0}
    report = _report(tmp_path, better, worse, questions=questions)
    assert text in report.headline
    assert text in next(finding.text for finding in report.findings if finding.shown)


def test_lead_among_three_systems_names_the_pooled_pair(tmp_path: Path) -> None:
    grades = [{"qa": 4.0, "summary": 4.5}, {"qa": 3.0, "summary": 3.0}, {"qa": 2.0, "summary": 2.0}]
    report = _report(tmp_path, *grades)
    assert "The lead of A-RAG over Naive RAG pools 12 questions (+2.000" in report.headline
    assert "12 summaries (+2.500" in report.headline


@pytest.mark.parametrize("style", ["qa", "summary"])
def test_lead_on_samples_of_one_kind_is_not_said_to_be_pooled(tmp_path: Path, style: str) -> None:
    logs = [
        m.run_of(system, {_MEASURE: m.judged(grade)}, 12, style=style)
        for system, grade in (("arag", 4), ("stuffing", 3))
    ]
    report = m.report_of(tmp_path, *logs, primary=[_MEASURE])
    assert "pools" not in report.headline


@pytest.mark.parametrize(
    ("grades", "text"),
    [
        (({"qa": 4.0, "summary": 4.0}, {"qa": 4.2, "summary": 3.5}),
         "On 12 summaries alone, A-RAG is ahead of Stuffing in coverage: +0.500"),
        (({"qa": 3.6, "summary": 4.0}, {"qa": 4.0, "summary": 3.8}),
         "On 12 questions alone, Stuffing is ahead of A-RAG in coverage: +0.400"),
    ],
)  # fmt: skip
def test_difference_on_one_kind_alone_is_beside_headline_where_both_show_none(
    tmp_path: Path, grades: tuple[dict[str, float], ...], text: str
) -> None:
    report = _report(tmp_path, *grades)
    (finding,) = [finding for finding in report.findings if finding.topic == "By kind"]
    assert finding.kind == "qualification"
    assert finding.text.startswith(text) and finding.text.endswith("before correction).")
    assert not any(item.shown for item in report.findings)


@pytest.mark.parametrize(
    ("on_dates", "count", "says"),
    [
        ((4.0, 3.0), 8, True),  # the order of the figures is reversed
        ((4.0, 3.0), 4, False),  # too few to show it
        ((3.0, 3.0), 8, False),
        ((2.0, 3.0), 8, False),
    ],
    ids=["reversed", "few", "level", "same order"],
)
def test_type_of_question_that_reverses_order_of_two_systems_is_beside_headline(
    tmp_path: Path, on_dates: tuple[float, float], count: int, says: bool
) -> None:
    logs = []
    for system, on_date, on_figure in zip(("arag", "stuffing"), on_dates, (2.0, 4.0), strict=True):
        samples = []
        for number in range(32):
            is_date = number < count
            grade = (on_date if is_date else on_figure) + 0.1 * (number % 3)
            fields = {"style": "qa", "company": f"C{number}"}
            fields["question_type"] = "date" if is_date else "figure"
            scores = {_MEASURE: m.judged(grade)}
            samples.append(m.sample(number, scores, system=system, metadata=fields))
        logs.append(m.log(samples, system=system))
    texts = m.finding_texts(m.report_of(tmp_path, *logs, primary=[_MEASURE]).study)
    text = (
        f"On {count} questions of type date alone, A-RAG is ahead of Stuffing in coverage: +1.000"
    )
    assert (text in texts.get("By kind", "")) == says
    assert "type figure" not in texts.get("By kind", "")


def test_table_has_primary_differences_on_each_kind(tmp_path: Path) -> None:
    grades = ({"qa": 4.0, "summary": 4.5}, {"qa": 4.2, "summary": 3.0})
    rows = m.rows_of(_report(tmp_path, *grades), "by_kind")
    assert [(row["kind"], row["a"], row["n"]) for row in rows] == [
        ("questions", "A-RAG", 12),
        ("summaries", "A-RAG", 12),
    ]
    assert [row["a - b"].value for row in rows] == pytest.approx([-0.2, 1.5])
    assert [row["mean of b"] for row in rows] == pytest.approx([4.3, 3.1])


def test_parts_of_a_change_for_the_worse_are_negative_as_it_is(tmp_path: Path) -> None:
    earlier = _log("arag", {"qa": 4.0, "summary": 4.5}, 12)
    new = _log("arag", {"qa": 3.0, "summary": 3.0}, 12)
    texts = m.finding_texts(m.change_of(tmp_path, earlier, new))
    parts = "12 questions (-1.000, p < 0.001) and 12 summaries (-1.500, p < 0.001)"
    assert parts in texts["Coverage (1-5)"]


def test_lead_on_unanswerable_questions_is_told_apart_from_other_questions(tmp_path: Path) -> None:
    logs = []
    for system, invented in (("arag", 4.0), ("stuffing", 1.0)):
        samples = []
        for number in range(24):
            is_unanswerable = number % 3 == 0
            grade = invented if is_unanswerable else 3 + 0.1 * (number % 2)
            question_type = "unanswerable" if is_unanswerable else "single"
            fields = {"style": "qa", "company": f"C{number}", "question_type": question_type}
            scores = {_MEASURE: m.judged(grade)}
            samples.append(m.sample(number, scores, system=system, metadata=fields))
        logs.append(m.log(samples, system=system))
    report = m.report_of(tmp_path, *logs, primary=[_MEASURE])
    parts = (
        "16 answerable questions (0.000, p 1.000) and 8 unanswerable questions (+3.000, p 0.008)"
    )
    assert f"This pools {parts}." in report.headline
