"""Tests of human labels: agreement, and means corrected by them."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from inspect_ai.scorer import Score, precomputed_scores

from arag_inspect._util.errors import InputError
from arag_inspect.report import Frames, add_human_marks, frames, make_report
from arag_inspect.report.cells import show
from arag_inspect.report.people.review_sheet import write_review_sheet
from arag_inspect.stats.corrected_mean import corrected_mean
from tests.report import material as m

GRADES = (1, 2, 3, 4, 5, 5, 4, 3)


def _covered(add: int, number: int) -> dict[str, Score]:
    return {"geval_coverage": m.judged(min(5, GRADES[number] + add))}


@pytest.fixture
def results(tmp_path: Path) -> Frames:
    runs = (("arag", 0), ("stuffing", 1))
    logs = (m.run_of(system, partial(_covered, add)) for system, add in runs)
    return frames(m.write(tmp_path / "logs", *logs))


def _file(folder: Path, records: object, name: str = "marks.json") -> str:
    path = folder / name
    lines = name.endswith(".jsonl")
    text = "\n".join(map(json.dumps, records)) if lines else json.dumps(records)  # type: ignore[call-overload]
    path.write_text(text)
    return str(path)


def test_human_marks_are_compared_with_judge_grades(results: Frames, tmp_path: Path) -> None:
    marks = [
        {"id": f"s{n:03}", "value": GRADES[n], "system": system}
        for n in range(6)
        for system in ("arag", "stuffing")
    ]
    path = _file(tmp_path, marks)
    precomputed_scores(_file(tmp_path, marks[::2], "one.json"))  # Inspect accepts one system's too
    report = m.report_on(add_human_marks(results, path))
    assert report.study.catalogue.keys == ("geval_coverage", "human")
    (row,) = m.rows_of(report, "human_agreement")
    assert (row["marks"], row["measure"], row["answers"]) == ("Human", "Coverage (1-5)", 12)
    assert all(0.5 < row[name] < 1 for name in ("rho", "tau", "kappa", "alpha"))
    arag, stuffing = m.rows_of(report, "corrected_means")
    judge, corrected = "mean of the judge", "corrected mean"
    assert arag["answers marked"] == 6 and arag[judge] == pytest.approx(np.mean(GRADES))
    # stuffing's judge is almost 1 too lenient, the reviewers are not
    assert stuffing[judge] > stuffing[corrected].mean + 0.5


@pytest.mark.parametrize("value", [4, {"coverage": 4}, {"geval_coverage": 4}])
def test_corrected_means_are_reported_as_finding(
    results: Frames, tmp_path: Path, value: object
) -> None:
    marks = [
        {"id": f"s{n:03}", "value": value, "system": system}
        for n in range(6)
        for system in ("arag", "stuffing")
    ]
    (report,) = make_report(add_human_marks(results, _file(tmp_path, marks))).studies
    (people,) = (item.text for item in report.findings if item.topic == "Corrected by people")
    assert people.startswith("Coverage (1-5): ") and people.count("by 6 marks") == 2
    for row in m.rows_of(report, "corrected_means"):
        assert show(row["corrected mean"]) in people


def test_corrected_means_of_few_marks_are_no_finding(results: Frames, tmp_path: Path) -> None:
    marks = [{"id": f"s{n:03}", "value": 4, "system": "arag"} for n in range(5)]
    report = m.report_on(add_human_marks(results, _file(tmp_path, marks)))
    (people,) = (item.text for item in report.findings if item.topic == "Corrected by people")
    assert people.startswith("Coverage (1-5): too few marks of random answers")
    (scores,) = (row for row in m.rows_of(report, "headline") if row["measure"] == "Human")
    assert scores["samples"] == "5; 0"


def test_agreement_with_judge_is_a_finding(results: Frames, tmp_path: Path) -> None:
    marks = [
        {"id": f"s{n:03}", "value": {"coverage": GRADES[n]}, "system": system}
        for n in range(6)
        for system in ("arag", "stuffing")
    ]
    report = m.report_on(add_human_marks(results, _file(tmp_path, marks)))
    (people,) = (item.text for item in report.findings if item.topic == "Agreement with people")
    # A-RAG has these grades; Stuffing's are higher by one, except the two fives
    assert people.startswith("Coverage (1-5): 8 of 12 marks equal the judge's grade (kappa 0.921)")


@pytest.mark.parametrize("is_program_better", [True, False])
def test_finding_says_if_people_agree_more_with_program_than_with_judge(
    tmp_path: Path, is_program_better: bool
) -> None:
    def scores(number: int) -> dict[str, Score]:
        accuracy = m.scored({"correct": number % 2, "incorrect": 1 - number % 2, "refusal": 0})
        match = m.scored(float(number % 2 and number != 1), "answer_match")
        return {"llm_accuracy": accuracy, "answer_match": match}

    results = frames(m.write(tmp_path / "logs", m.run_of("arag", scores, 8, style="qa")))
    is_right = [n % 2 and not (is_program_better and n == 1) for n in range(8)]
    marks = [
        {"id": f"s{n:03}", "value": {"llm_accuracy.correct": int(is_right[n])}} for n in range(8)
    ]
    report = m.report_on(add_human_marks(results, _file(tmp_path, marks)))
    people = m.finding_texts(report.study)["Agreement with people"]
    program = "but 8 of 8 equal the program's (Right answer; --primary answer_match lets it decide)"
    assert people.startswith(f"Correct by judge: {7 if is_program_better else 8} of 8 marks")
    assert (program in people) == is_program_better


def test_finding_says_where_people_overturn_judge_of_declining(tmp_path: Path) -> None:
    runs = m.runs_that_decline([1, 1, 1], [1, 0, 1])
    results = frames(m.write(tmp_path / "logs", *runs))
    marks = [
        {"id": f"s{n:03}", "system": system, "value": {"abstention.right": int(n > 6)}}
        for n in range(6, 9)
        for system in ("system0", "system1")
    ]
    report = m.report_on(add_human_marks(results, _file(tmp_path, marks)))
    people = m.finding_texts(report.study)["Agreement with people"]
    assert people.startswith("Rightly declined: 3 of 6 marks equal the judge's value")
    # people and the judge decline other questions of system1, but equally many
    assert people.endswith("; system0 has 2 of 3 by people and 3 by the judge.")


def test_marks_of_share_are_not_compared_with_grades(tmp_path: Path) -> None:
    def scores(number: int) -> dict[str, Score]:
        grade = m.judged(2 + number % 3)
        accuracy = m.scored({"correct": number % 2, "incorrect": 1 - number % 2, "refusal": 0})
        match = m.scored(float(number % 4 == 1), "answer_match")
        return {"geval_faithfulness": grade, "llm_accuracy": accuracy, "answer_match": match}

    results = frames(m.write(tmp_path / "logs", m.run_of("arag", scores, 8, style="qa")))
    marks = [
        {"id": f"s{n:03}", "value": {"llm_accuracy.correct": int(n in (1, 3, 5))}} for n in range(8)
    ]
    report = m.report_on(add_human_marks(results, _file(tmp_path, marks)))
    first, *others = m.rows_of(report, "human_agreement")
    assert first["measure"] == "Correct by judge"
    assert (first["answers"], first["same"].value, first["kappa"]) == (8, 7 / 8, 0.75)
    by_measure = {row["measure"]: row for row in others}
    assert by_measure["Faithfulness (1-5)"]["kappa"] is None
    assert by_measure["Right answer"]["same"].value == 7 / 8


_MEASURES = ("geval_faithfulness", "llm_accuracy.correct", "llm_accuracy.incorrect")


@pytest.mark.parametrize(
    ("value", "corrects"),
    [
        ({"llm_accuracy.correct": 1}, ["Correct by judge"]),
        ({"correct": 1}, ["Correct by judge"]),
        ({"faithfulness": 1, "incorrect": 0}, ["Faithfulness (1-5)", "Incorrect by judge"]),
        ({"llm_accuracy.correct": 4}, []),  # another scale
        ({"geval_faithfulness": 0}, []),
        (1, []),  # ambiguous measure
        ({"style": 1}, []),
    ],
)
def test_marks_correct_only_measure_they_belong_to(
    tmp_path: Path, value: object, corrects: list[str]
) -> None:
    def scores(number: int) -> dict[str, Score]:
        right = number % 2
        accuracy = m.scored({"correct": right, "incorrect": 1 - right, "refusal": 0})
        return {"llm_accuracy": accuracy, "geval_faithfulness": m.judged(GRADES[number])}

    results = frames(m.write(tmp_path / "logs", m.run_of("arag", scores)))
    assert {*_MEASURES} <= {*results.scores["measure"]}
    marks = [{"id": f"s{n:03}", "value": value} for n in range(4)]
    marked = add_human_marks(results, _file(tmp_path, marks))
    report = m.report_on(marked)
    table = report.table("corrected_means")
    rows = m.rows_of(report, "corrected_means") if table else []
    assert sorted(row["judge"] for row in rows) == corrects
    assert any("correct no mean" in notice.text for notice in marked.notices) != bool(corrects)


@pytest.mark.parametrize("scale", [(1, 5), (0, 10)])
def test_marks_named_by_label_correct_grades_on_any_scale(
    tmp_path: Path, scale: tuple[int, int]
) -> None:
    def scores(number: int) -> dict[str, Score]:
        grade = m.judged(GRADES[number], name="geval_faithfulness")
        grade.metadata = {**(grade.metadata or {}), "scale": list(scale)}
        return {"geval_faithfulness": grade}

    results = frames(m.write(tmp_path / "logs", m.run_of("arag", scores)))
    marks = [{"id": f"s{n:03}", "value": {"faithfulness": GRADES[n]}} for n in range(8)]
    report = m.report_on(add_human_marks(results, _file(tmp_path, marks)))

    (row,) = m.rows_of(report, "corrected_means")
    assert row["judge"] == f"Faithfulness ({scale[0]}-{scale[1]})"


def test_marks_in_json_lines_are_matched_by_id_and_epoch(tmp_path: Path) -> None:
    samples = [m.sample(0, {"geval_coverage": m.judged(3)}, epoch=epoch) for epoch in (1, 2)]
    results = frames([m.write(tmp_path / "logs", m.log(samples))])
    records = [
        {"id": "s000", "epoch": 2, "value": {"coverage": 5}},
        {"id": "s000", "value": {"coverage": 4}},
        {"id": "unknown", "value": {"coverage": 4}},
    ]
    marked = add_human_marks(results, _file(tmp_path, records, "marks.jsonl"))
    values = marked.scores.loc[marked.scores["measure"] == "human.coverage", "value"]
    assert [*values] == [4.0, 5.0]
    assert marked.notices[-1].text.startswith("1 of 3 marks")


@pytest.mark.parametrize(
    "records, message",
    [
        ([], "should (have at least 1 item|be a valid list)"),
        ({"id": 1}, "should (have at least 1 item|be a valid list)"),
        ([{"id": "s000"}], "0.value: Field required"),
        ([{"id": "s000", "value": "good"}], "0.value.float: Input should be a"),
        ([{"id": "s000", "value": 10**400}], "0.value.float: Input should be a"),
        ([{"id": "s000", "value": float("nan")}], "0.value.float: Input should be a"),
        ([{"id": "s000", "value": 1, "epoch": "x"}], "0.epoch: Input should be a valid integer"),
        ([{"id": "s000", "value": 1, "system": "arag"}] * 2, "is marked twice"),
        ([{"id": "s000", "value": 1}], "none of the 1 marks"),  # ambiguous system
        ([{"id": "zzz", "value": 1, "system": "arag"}], "none of the 1 marks"),
    ],
)
def test_invalid_marks_are_reported_in_one_line(
    results: Frames, tmp_path: Path, records: object, message: str
) -> None:
    with pytest.raises(InputError, match=message) as error:
        add_human_marks(results, _file(tmp_path, records))
    assert "\n" not in str(error.value)
    with pytest.raises(InputError, match="cannot be read"):
        add_human_marks(results, str(tmp_path / "none.json"))


UNBOUNDED = (None, None)


def test_corrected_mean_matches_ppi_python() -> None:
    """Reference values: `ppi_py.ppi_mean_ci(y, f, rest)` of ppi-python 0.2.3 for these numbers.

    Its interval uses the normal distribution; Student's t with 39 degrees of freedom and variances
    over n - 1 make ours 4.5 % wider.
    """
    random = np.random.default_rng(0)
    truth = random.normal(3, 1, size=200)
    judge = truth + 0.5 + random.normal(0, 0.5, size=200)
    marks = np.where(np.arange(200) < 40, truth, np.nan)
    estimate = corrected_mean(marks, judge, UNBOUNDED)
    assert estimate is not None and estimate.n == 40
    assert estimate.low is not None and estimate.high is not None
    low, high = 2.82208927, 3.19278415
    assert estimate.mean == pytest.approx((low + high) / 2, abs=2e-3)
    assert estimate.high - estimate.low == pytest.approx(1.045 * (high - low), rel=0.01)


@pytest.mark.parametrize("marked", [2, 3, 5, 10, 60])
def test_corrected_mean_interval_covers_true_mean(marked: int) -> None:
    random = np.random.default_rng(1)
    covered = widths = classical = 0.0
    for _ in range(300):
        truth = random.normal(3, 1, size=300)
        judge = 0.8 * truth + 1.5 + random.normal(0, 0.4, size=300)
        marks = np.where(np.arange(300) < marked, truth, np.nan)
        estimate = corrected_mean(marks, judge, UNBOUNDED)
        assert estimate is not None and estimate.low is not None and estimate.high is not None
        covered += estimate.low <= 3 <= estimate.high
        widths += estimate.high - estimate.low
        classical += 2 * 1.96 * truth[:marked].std() / marked**0.5
    assert 0.90 <= covered / 300 <= 0.99
    assert marked < 60 or widths < 0.75 * classical  # the judge's grades help


@pytest.mark.parametrize(
    ("marks", "ends"),
    [
        ([0.0, 1.0], (0.0, 1.0)),
        ([0.0, 0.5, 1.0], (0.0, 1.0)),
        ([1.0, 1.0], (1 / (1 + 12.706**2 / 2), 1.0)),  # Wilson's interval with Student's quantile
        ([0.5, 0.5], (None, None)),  # without variation, the uncertainty is unknown
    ],
)
def test_corrected_mean_interval_stays_within_scale(
    marks: list[float], ends: tuple[float | None, float | None]
) -> None:
    judge = np.array([0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0])
    padded_marks = np.full(8, np.nan)
    padded_marks[: len(marks)] = marks
    estimate = corrected_mean(padded_marks, judge, (0, 1))
    assert estimate is not None
    expected_ends = ends if None in ends else pytest.approx(ends, rel=1e-3)
    assert (estimate.low, estimate.high) == expected_ends


def test_corrected_mean_stays_within_scale() -> None:
    marks = np.array([5, 5, 5, 5, 1, *[np.nan] * 20])
    judge = np.array([4, 4, 4, 3, 1, *[5.0] * 20])
    for bounds, expected in ((UNBOUNDED, True), ((1, 5), False)):
        estimate = corrected_mean(marks, judge, bounds)
        assert estimate is not None and (estimate.mean > 5) == expected


def test_corrected_mean_equals_mark_mean_when_judge_is_constant() -> None:
    random = np.random.default_rng(2)
    marks = np.where(np.arange(100) < 30, random.normal(size=100), np.nan)
    useless = corrected_mean(marks, np.full(100, 3.0), UNBOUNDED)
    assert useless is not None
    assert useless.mean == pytest.approx(np.nanmean(marks))
    assert corrected_mean(np.full(5, np.nan), np.ones(5), UNBOUNDED) is None


@pytest.mark.parametrize("name", ["model_graded_fact", "model_graded_qa"])
def test_marks_correct_inspect_model_graded_scorers(tmp_path: Path, name: str) -> None:
    logs = m.write(tmp_path / "logs", m.run_of("s", lambda n: {name: Score(value="CI"[n % 2])}))
    results, sheet = frames(logs), tmp_path / "review.csv"
    assert write_review_sheet(results, sheet) == 8 and name in sheet.read_text()
    marks = [{"id": f"s{n:03}", "value": n % 2} for n in range(4)]
    report = m.report_on(add_human_marks(results, _file(tmp_path, marks)))
    (row,) = m.rows_of(report, "corrected_means")
    assert row["answers marked"] == 4
