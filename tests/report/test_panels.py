"""What several judges, scales and repetitions make of a report."""

from pathlib import Path

import pytest
from inspect_ai.scorer import Score

from arag_inspect.report import add_human_marks, frames, make_report
from arag_inspect.report.chart import color_of, scale_of_series
from tests.report import material as m


def _graded(grade: float, low: int, high: int) -> Score:
    score = m.judged({"a/one": grade, "b/two": grade})
    (score.metadata or {})["scale"] = [low, high]
    return score


def test_agreement_is_of_one_scale(tmp_path: Path) -> None:
    five = m.run_of("arag", lambda n: {"geval_coverage": _graded(1 + n % 5, 1, 5)})
    ten = m.run_of("stuffing", lambda n: {"geval_coverage": _graded(1 + n % 10, 1, 10)})
    rows = m.rows_of(m.report_of(tmp_path, five, ten), "agreement")
    assert [(row["dimension"], row["answers"], row["alpha"]) for row in rows] == [
        ("Coverage (1-5)", 8, 1.0),
        ("Coverage (1-10)", 8, 1.0),
    ]


@pytest.mark.parametrize(("most", "shown"), [(5, True), (100, False)])
def test_marks_of_another_scale_have_no_kappa(tmp_path: Path, most: int, *, shown: bool) -> None:
    m.write(tmp_path / "logs", m.run_of("arag", lambda n: {"geval_coverage": m.judged(1 + n % 5)}))
    marks = tmp_path / "marks.jsonl"
    lines = (f'{{"id": "s{n:03}", "value": {(1 + n % 5) * most / 5}}}\n' for n in range(8))
    marks.write_text("".join(lines))
    (report,) = make_report(add_human_marks(frames(tmp_path / "logs"), str(marks))).benchmarks
    (row,) = m.rows_of(report, "human_agreement")
    assert row["tau"] == pytest.approx(1)
    assert (row["kappa"] is not None, row["alpha"] is not None) == (shown, shown)


def test_repetitions_without_a_readable_verdict_are_counted(tmp_path: Path) -> None:
    def scores(number: int) -> dict[str, Score]:
        again = m.judged({"a/one": 3, "b/two": 4})
        if number < 2:
            (again.metadata or {})["judges"][1] |= {"verdict": None, "reason": "no grade"}
        return {"geval_coverage": m.judged({"a/one": 3, "b/two": 4}), "geval_coverage1": again}

    m.write(tmp_path, m.run_of("arag", scores))
    texts = [notice.text for notice in make_report(frames(tmp_path)).notices]
    assert [text for text in texts if "judged again" in text] == [
        "b/two gave no readable verdict on 2 of 8 answers of A-RAG that were judged again "
        "(geval_coverage)"
    ]


def test_no_series_has_the_colour_of_a_system() -> None:
    series = scale_of_series([str(number) for number in range(20)])["range"]
    assert len(set(series)) == 20
    assert not set(series) & {color_of(index) for index in range(20)}


def test_judges_that_share_no_answer_have_no_chart_of_agreement(tmp_path: Path) -> None:
    logs = [
        m.run_of(system, lambda _, judge=judge: {"geval_coverage": m.judged(4, judge)})  # type: ignore[misc]
        for system, judge in (("arag", "a/one"), ("stuffing", "b/two"))
    ]
    report = m.report_of(tmp_path, *logs)
    assert m.rows_of(report, "agreement")[0]["alpha"] is None
    assert "judges" not in {chart.name for chart in report.charts}
