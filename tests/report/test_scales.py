"""Tests of several judges and of grade scales other than 1 to 5, read from the log."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.scorer import Score

from arag_inspect.report import Frames, add_human_marks, frames
from arag_inspect.report.chart import as_spec, color_of, scale_of_series
from arag_inspect.report.page.data import study_data
from tests.report import material as m

GRADES = (0, 2, 4, 6, 8, 10, 10, 7)


def _judged(grade: float, scale: tuple[int, int] | None, name: str) -> Score:
    score = m.judged({"a/one": grade, "b/two": grade}, name=name)
    score.metadata = {**(score.metadata or {}), **({"scale": list(scale)} if scale else {})}
    return score


def _read(folder: Path, *scales: tuple[int, int] | None, name: str = "geval_coverage") -> Frames:
    def scores(scale: tuple[int, int] | None, add: int, n: int) -> dict[str, Score]:
        return {name: _judged(max(GRADES[n] - add * (n % 2), 0), scale, name)}

    logs = [
        m.run_of(system, partial(scores, scale, add))
        for (system, add), scale in zip((("arag", 0), ("stuffing", 1)), scales, strict=True)
    ]
    return frames([m.write(folder / "logs", *logs)])


def test_measure_takes_scale_from_log(tmp_path: Path) -> None:
    results = _read(tmp_path, (0, 10), (0, 10))
    report = m.report_on(results)
    for name in ("headline", "comparisons", "agreement", "power"):
        table = report.table(name)
        assert table and "Coverage (0-10)" in table.rows[0][:2]
    effort = m.table_of(report, "cost")
    assert "mean cost / mean coverage (0-10)" in effort.text
    (measure,) = study_data(report.study)["measures"]
    assert (measure["label"], measure["low"], measure["high"]) == ("Coverage (0-10)", 0, 10)
    table = m.table_of(report, "power")  # detectable differences grow with the scale
    steps = [part.split(":")[0] for part in str(table.rows[0][-1]).split(", ")]
    assert [step for step in steps if "." in step] == ["0.25", "0.5", "0.75", "1.25"]


@pytest.mark.parametrize(
    "highest, counts",
    [
        (10, {str(grade): GRADES.count(grade) for grade in range(11)}),
        (50, {"0 to 10": 6, "10 to 20": 2, "20 to 30": 0, "30 to 40": 0, "40 to 50": 0}),
    ],
)
def test_histogram_has_bar_per_grade_or_fifth_of_long_scale(
    tmp_path: Path, highest: int, counts: dict[str, int]
) -> None:
    report = m.report_on(_read(tmp_path, (0, highest), (0, highest)))
    rows = as_spec(m.chart_of(report, "histograms"))["data"]["values"]
    assert {row["score"]: row["count"] for row in rows if row["system"] == "A-RAG"} == counts


def test_histogram_counts_answers_of_every_epoch(tmp_path: Path) -> None:
    """Two answers graded 2 and 5 are not one graded 4."""
    samples = [
        m.sample(0, {"geval_coverage": m.judged(grade)}, epoch=epoch)
        for epoch, grade in enumerate((2, 5), 1)
    ]
    rows = as_spec(m.chart_of(m.report_of(tmp_path, m.log(samples)), "histograms"))
    counts = {row["score"]: row["count"] for row in rows["data"]["values"]}
    assert counts == {"1": 0, "2": 1, "3": 0, "4": 0, "5": 1}


def test_last_bar_of_histogram_reads_as_up_to_highest_score(tmp_path: Path) -> None:
    log = m.run_of("arag", lambda n: {"rouge": m.scored({"rouge1": (0.0, 0.3, 1.0, 1.0)[n]})}, 4)
    report = m.report_of(tmp_path, log, primary=["rouge.rouge1"])
    rows = as_spec(m.chart_of(report, "histograms"))["data"]["values"]
    counts = {row["score"]: row["count"] for row in rows}
    assert counts == {
        "0 to 0.2": 1,
        "0.2 to 0.4": 1,
        "0.4 to 0.6": 0,
        "0.6 to 0.8": 0,
        "0.8 to 1": 2,
    }


def test_human_marks_are_compared_with_grades_of_any_scale(tmp_path: Path) -> None:
    path = tmp_path / "marks.jsonl"
    rows = (f'{{"id": "s{n:03}", "value": {g}, "system": "arag"}}' for n, g in enumerate(GRADES))
    path.write_text("\n".join(rows))
    results = add_human_marks(_read(tmp_path, (0, 10), (0, 10)), str(path))
    report = m.report_on(results)
    table = m.table_of(report, "human_agreement")
    assert table.rows[0][-2:] == (pytest.approx(1), pytest.approx(1))


@pytest.mark.parametrize(
    "name, scales, label",
    [
        ("geval_coverage", (None, None), "Coverage (1-5)"),
        ("geval_coverage", ((0, 10), (1, 5)), "Coverage (0-10 and 1-5)"),
        ("geval_tone", ((0, 3), (0, 3)), "G-Eval tone (0-3)"),
        ("geval_tone", ((1, 5), (1, 5)), "G-Eval tone (1-5)"),
    ],
)
def test_measure_label_names_scales(tmp_path: Path, name: str, scales: Any, label: str) -> None:
    report = m.report_on(_read(tmp_path, *scales, name=name))
    assert m.rows_of(report, "headline")[0]["measure"] == label


def _graded(grade: float, low: int, high: int) -> Score:
    score = m.judged({"a/one": grade, "b/two": grade})
    (score.metadata or {})["scale"] = [low, high]
    return score


def test_agreement_is_computed_per_scale(tmp_path: Path) -> None:
    five = m.run_of("arag", lambda n: {"geval_coverage": _graded(1 + n % 5, 1, 5)})
    ten = m.run_of("stuffing", lambda n: {"geval_coverage": _graded(1 + n % 10, 1, 10)})
    rows = m.rows_of(m.report_of(tmp_path, five, ten), "agreement")
    assert [(row["dimension"], row["answers"], row["alpha"]) for row in rows] == [
        ("Coverage (1-5)", 8, 1.0),
        ("Coverage (1-10)", 8, 1.0),
    ]


@pytest.mark.parametrize(("most", "shown"), [(5, True), (100, False)])
def test_kappa_is_omitted_when_marks_use_other_scale(
    tmp_path: Path, most: int, *, shown: bool
) -> None:
    m.write(tmp_path / "logs", m.run_of("arag", lambda n: {"geval_coverage": m.judged(1 + n % 5)}))
    marks = tmp_path / "marks.jsonl"
    lines = (f'{{"id": "s{n:03}", "value": {(1 + n % 5) * most / 5}}}\n' for n in range(8))
    marks.write_text("".join(lines))
    report = m.report_on(add_human_marks(frames(tmp_path / "logs"), str(marks)))
    (row,) = m.rows_of(report, "human_agreement")
    assert row["tau"] == pytest.approx(1)
    assert (row["kappa"] is not None, row["alpha"] is not None) == (shown, shown)


def test_unreadable_repeated_verdicts_are_counted(tmp_path: Path) -> None:
    def scores(number: int) -> dict[str, Score]:
        repeated = m.judged({"a/one": 3, "b/two": 4})
        if number < 2:
            (repeated.metadata or {})["judges"][1] |= {"verdict": None, "reason": "no grade"}
        return {"geval_coverage": m.judged({"a/one": 3, "b/two": 4}), "geval_coverage1": repeated}

    m.write(tmp_path, m.run_of("arag", scores))
    texts = [notice.text for notice in m.notices(frames(tmp_path))]
    assert [text for text in texts if "judged again" in text] == [
        "b/two gave no readable verdict on 2 of 8 answers of A-RAG that were judged again "
        "(geval_coverage)"
    ]


def test_series_colours_differ_from_system_colours() -> None:
    series = scale_of_series([str(number) for number in range(20)])["range"]
    assert len(set(series)) == 20
    assert not set(series) & {color_of(index) for index in range(20)}


def test_agreement_chart_is_omitted_when_judges_share_no_answer(tmp_path: Path) -> None:
    logs = [
        m.run_of(system, {"geval_coverage": m.judged(4, judge)})
        for system, judge in (("arag", "a/one"), ("stuffing", "b/two"))
    ]
    report = m.report_of(tmp_path, *logs)
    assert m.rows_of(report, "agreement")[0]["alpha"] is None
    assert "judges" not in {chart.name for chart in report.charts}
