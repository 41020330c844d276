"""Tests of review sheets: export, marks, and the resulting agreement and corrected means."""

import csv
from collections import Counter
from math import nan
from pathlib import Path

import openpyxl
import pytest
from inspect_ai.scorer import Score

from arag_inspect.report import add_human_marks, frames
from arag_inspect.report.people.review_sheet import read_review_sheet, write_review_sheet
from tests.commands import call
from tests.report import material as m

WEAK = range(6)


def _logs(folder: Path) -> str:
    """Two judges on 60 answers: both give six a 2, differ on eight, and give the others a 4."""
    samples = []
    for n in range(60):
        grade = 2 if n in WEAK else 4
        second = 3 if 6 <= n < 14 else grade
        score = m.judged({"mock/judge": grade, "mock/second": second})
        metadata = {"company": f"C{n}", "evidence": ["Sales rose 4%."]}
        samples.append(m.sample(n, {"geval_coverage": score}, metadata=metadata))
    samples[0].output.completion = "=HYPERLINK(1) \x1b[2J"
    return str(m.write(folder / "logs", m.log(samples)))


def _fill(path: Path, marks: dict[str, float]) -> list[dict[str, str]]:
    """Mark every row of a sheet by how it was drawn, as in a spreadsheet; return the rows."""
    if path.suffix == ".csv":
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            row["geval_coverage"] = str(marks[row["drawn"]])
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), delimiter=";")
            writer.writeheader()
            writer.writerows(rows)
        return rows
    book = openpyxl.load_workbook(path)
    heads, *cells = book.active.iter_rows()
    names = [head.value for head in heads]
    rows = [dict(zip(names, (str(cell.value) for cell in row), strict=True)) for row in cells]
    for row, values in zip(rows, cells, strict=True):
        assert all(cell.data_type != "f" for cell in values[:-1])
        values[names.index("geval_coverage")].value = marks[row["drawn"]]
    book.save(path)
    return rows


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_filled_review_sheet_yields_agreement_and_corrected_means(
    tmp_path: Path, ending: str
) -> None:
    logs, sheet = _logs(tmp_path), tmp_path / f"review.{ending}"
    result = call("report", logs, "-o", tmp_path / "report", "--review-sheet", sheet)
    assert f"Review 30 answers in {sheet}" in result.output
    rows = _fill(sheet, {"random": 3.0, "disputed": 1.0, "weak": 1.0})
    drawn = [row["drawn"] for row in rows]
    random, disputed = drawn.count("random"), drawn.count("disputed")
    assert len(rows) == 30 and random == 10 and 0 < disputed <= 8
    assert all(6 <= int(row["id"][1:]) < 14 for row in rows if row["drawn"] == "disputed")
    by_id = {row["id"]: row for row in rows}
    assert {f"s{n:03}" for n in WEAK} <= by_id.keys()
    assert by_id["s000"]["answer"] == "'=HYPERLINK(1) ␛[2J"
    assert by_id["s000"]["evidence"] == "Sales rose 4%."
    assert by_id["s000"]["question"] and by_id["s000"]["gold answer"] == "Sales rose by 4 percent."
    assert "geval_coverage 2" not in "".join(by_id["s000"].values())
    second_sheet = tmp_path / f"again.{ending}"
    write_review_sheet(frames(logs), second_sheet)
    assert [row["id"] for row in _fill(second_sheet, dict.fromkeys({*drawn}, 1.0))] == [*by_id]

    report = m.report_on(add_human_marks(frames(logs), str(sheet)))
    (agreement,) = m.rows_of(report, "human_agreement")
    assert agreement["answers"] == 30 and agreement["measure"] == "Coverage (1-5)"
    (corrected,) = m.rows_of(report, "corrected_means")
    assert corrected["answers marked"] == 10  # the others are not a random part of all answers
    assert corrected["corrected mean"].mean == pytest.approx(3, abs=0.3)
    assert corrected["mean of the judge"] > 3.7
    (people,) = [text for text in m.finding_texts(report.study).values() if "(judge " in text]
    assert "by 30 marks, 10 of them of random answers (judge " in people


def test_review_sheet_draws_ten_random_answers_of_each_system(tmp_path: Path) -> None:
    runs = (m.run_of(name, {"geval_coverage": m.judged(4)}, 15) for name in "ab")
    sheet = tmp_path / "review.csv"
    assert write_review_sheet(frames(m.write(tmp_path / "logs", *runs)), sheet) == 30
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        drawn = Counter((row["system"], row["drawn"]) for row in csv.DictReader(file))
    assert drawn == {(name, why): n for name in "ab" for why, n in (("random", 10), ("weak", 5))}


def test_review_workbook_reveals_verdict_after_mark_and_offers_marks(tmp_path: Path) -> None:
    sheet = tmp_path / "review.xlsx"
    write_review_sheet(frames(_logs(tmp_path)), sheet)
    book = openpyxl.load_workbook(sheet)
    heads = [cell.value for cell in book.active[1]]
    mark, verdict = (heads.index(name) for name in ("geval_coverage", "verdict"))
    letter = "ABCDEFGHIJKL"[mark]
    formula = f'=IF(COUNTA({letter}2:{letter}2)=1,Verdicts!A2,"shown when marked")'
    assert book.active[2][verdict].value == formula
    assert book["Verdicts"].sheet_state == "hidden"
    assert book["Verdicts"]["A2"].value.startswith("geval_coverage 2: ")
    (offered,) = book.active.data_validations.dataValidation
    assert (offered.formula1, str(offered.sqref)) == ('"1,2,3,4,5"', f"{letter}2:{letter}31")
    assert book.active.freeze_panes == "D2" and book.active["D2"].alignment.wrap_text
    drawn = "ABCDEFGHIJKL"[heads.index("drawn")]
    assert book.active.column_dimensions[drawn].hidden  # it would reveal weak answers


def _questions(number: int) -> dict[str, Score]:
    """Every second question is unanswerable."""
    is_unanswerable = number % 2 == 1
    correct = {"correct": 1, "incorrect": 0}
    if is_unanswerable:
        unscored = Score.unscored(reason="unanswerable")
        declined = m.scored({"right": 1, "wrong": nan}, unscored={"wrong": "unanswerable"})
        return {"llm_accuracy": unscored, "abstention": declined}
    declined = m.scored({"right": nan, "wrong": 0}, unscored={"right": "answerable"})
    return {"llm_accuracy": m.scored(correct), "abstention": declined}


def test_review_sheet_asks_whether_unanswerable_questions_were_declined(tmp_path: Path) -> None:
    samples = [
        m.sample(n, _questions(n), metadata={"style": "qa", "question_type": kind})
        for n, kind in enumerate(["figure", "unanswerable"] * 4)
    ]
    sheet = tmp_path / "review.csv"
    logs = m.write(tmp_path / "logs", m.log(samples))
    write_review_sheet(frames(logs), sheet)
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {
        (row["gold answer"], row["llm_accuracy.correct"], row["abstention.right"]) for row in rows
    } == {("Sales rose by 4 percent.", "", "n/a"), ("not in the documents", "n/a", "")}
    text = sheet.read_text().replace("not in the documents", "x").replace("n/a,,", "n/a,no,")
    sheet.write_text(text)
    marks = read_review_sheet(str(sheet))
    assert [mark["value"] for mark in marks] == [{"abstention.right": 0}] * 4


def test_review_sheet_says_whether_evidence_is_gold(tmp_path: Path) -> None:
    score = {"geval_coverage": m.judged(4)}
    samples = [
        m.sample(0, score, metadata={"evidence": ["Sales rose 4%."]}),
        m.sample(1, score, store=m.trace(passages=[m.passage(1, text="It was 4 %.")])),
        m.sample(2, score),
    ]
    sheet = tmp_path / "review.csv"
    write_review_sheet(frames(m.write(tmp_path / "logs", m.log(samples))), sheet)
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        origins = [(row["evidence"], row["evidence from"]) for row in csv.DictReader(file)]
    assert origins == [
        ("Sales rose 4%.", "gold"),
        ("It was 4 %.", "what the system read"),
        ("", ""),
    ]


@pytest.mark.parametrize(("mark", "value"), [("yes", 1), ("No", 0), ("3", 3)])
def test_review_mark_is_read_as_number_or_yes_or_no(
    tmp_path: Path, mark: str, value: float
) -> None:
    sheet = tmp_path / "review.csv"
    sheet.write_text(f"drawn,system,id,epoch,geval_coverage\nrandom,A-RAG,s000,1,{mark}\n")
    (record,) = read_review_sheet(str(sheet))
    assert record["value"] == {"geval_coverage": value}


def test_review_marks_stay_with_run_when_system_is_renamed(tmp_path: Path) -> None:
    """A second run of the same solver renames both."""
    logs, sheet = _logs(tmp_path), tmp_path / "review.csv"
    write_review_sheet(frames(logs), sheet)
    _fill(sheet, {"random": 3.0, "disputed": 1.0, "weak": 1.0})
    samples = [m.sample(n, {"geval_coverage": m.judged(3)}) for n in range(60)]
    m.write(tmp_path / "logs", m.log(samples, params={"top_k": 9}))
    result = call("report", logs, "-o", tmp_path / "report", "--human", sheet)
    assert "have no sample" not in result.output
    report = m.report_on(add_human_marks(frames(logs), str(sheet)))
    assert len(report.study.systems) == 2
    (corrected,) = m.rows_of(report, "corrected_means")
    assert corrected["answers marked"] == 10


def test_corrected_mean_accounts_for_non_random_marks(tmp_path: Path) -> None:
    """Six of twenty answers were drawn at random and are right; ten weak ones are wrong."""
    scores = [
        {"llm_accuracy": m.scored({"correct": n % 2, "incorrect": 1 - n % 2})} for n in range(20)
    ]
    logs = frames(m.write(tmp_path / "logs", m.run_of("arag", lambda n: scores[n], count=20)))
    sheet = tmp_path / "review.csv"
    rows = [("random", n, 1) if n < 6 else ("weak", n, 0) for n in range(16)]
    lines = (f"{drawn},A-RAG,s{n:03},1,{mark}\n" for drawn, n, mark in rows)
    sheet.write_text("drawn,system,id,epoch,llm_accuracy.correct\n" + "".join(lines))
    report = m.report_on(add_human_marks(logs, str(sheet)))
    (row,) = m.rows_of(report, "corrected_means")
    mean = row["corrected mean"]
    # six right and ten wrong, so 6 to 10 of 20 are right; low: Wilson's, with Student's quantile
    assert (mean.mean, mean.low, mean.high) == pytest.approx((0.5, 0.4759, 0.5), abs=1e-4)
    (marks,) = (row for row in m.rows_of(report, "headline") if row["measure"].startswith("Human"))
    mean = marks["A-RAG"]
    assert mean.mean == 1 and 0 < mean.low < mean.high == 1


@pytest.mark.parametrize("wrong", [0, 1])
def test_corrected_mean_is_that_of_judge_if_no_mark_differs(tmp_path: Path, wrong: int) -> None:
    scores = [{"llm_accuracy": m.scored({"correct": float(n % 3 > 0)})} for n in range(14)]
    logs = frames(m.write(tmp_path / "logs", m.run_of("arag", lambda n: scores[n], count=14)))
    sheet = tmp_path / "review.csv"
    marks = [(n % 3 > 0) != (n == 5 and wrong) for n in range(10)]
    lines = (
        f"{'weak' if n > 5 else 'random'},A-RAG,s{n:03},1,{int(mark)}\n"
        for n, mark in enumerate(marks)
    )
    sheet.write_text("drawn,system,id,epoch,llm_accuracy.correct\n" + "".join(lines))
    (row,) = m.rows_of(m.report_on(add_human_marks(logs, str(sheet))), "corrected_means")
    mean = row["corrected mean"]
    assert (mean.mean == pytest.approx(row["mean of the judge"])) is not bool(wrong)
    assert (6 - wrong) / 14 <= mean.low <= mean.mean <= mean.high <= (10 - wrong) / 14


@pytest.mark.parametrize(
    ("grades", "ends"),
    [
        # of the four answers without a mark, 46 % may be wrong: Wilson's limit for 0 of 7, with
        # Student's quantile
        ([0, 0, *[1.0] * 13], (13 - 4 * 0.461, 13)),
        ([1.0, 1.0, *[0.0] * 13], (2, 2 + 4 * 0.461)),
        ([0, 0, *[1.0] * 11, 0, 0], (11 - 2 * 0.461, 11 + 2 * 0.461)),
    ],
)
def test_mean_whose_marks_all_agree_has_interval_for_answers_without_mark(
    tmp_path: Path, grades: list[float], ends: tuple[float, float]
) -> None:
    scores = [{"llm_accuracy": m.scored({"correct": grade})} for grade in grades]
    logs = frames(m.write(tmp_path / "logs", m.run_of("arag", lambda n: scores[n], count=15)))
    sheet = tmp_path / "review.csv"
    lines = (
        f"{'weak' if n > 6 else 'random'},A-RAG,s{n:03},1,{int(grade)}\n"
        for n, grade in enumerate(grades[:11])
    )
    sheet.write_text("drawn,system,id,epoch,llm_accuracy.correct\n" + "".join(lines))
    (row,) = m.rows_of(m.report_on(add_human_marks(logs, str(sheet))), "corrected_means")
    mean = row["corrected mean"]
    assert mean.mean == pytest.approx(sum(grades) / 15)
    assert (15 * mean.low, 15 * mean.high) == pytest.approx(ends, abs=2e-3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "column drawn is missing"),
        (
            "drawn,system,id,epoch,geval_coverage\nweak,A-RAG,s001,1,good\n",
            "row 2, column geval_coverage: 'good' is not a number",
        ),
        ("drawn,system,id,epoch,geval_coverage\nweak,A-RAG,s001,1,\n", "at least 1 item"),
    ],
)
def test_unreadable_review_sheet_is_reported_in_one_line(
    tmp_path: Path, text: str, message: str
) -> None:
    sheet = tmp_path / "review.csv"
    sheet.write_text(text)
    result = call("report", _logs(tmp_path), "--human", sheet, code=1)
    assert message in result.stderr.splitlines()[-1]


def test_review_sheet_with_other_extension_is_rejected(tmp_path: Path) -> None:
    result = call("report", _logs(tmp_path), "--review-sheet", "sheet.ods", code=1)
    assert "sheet.ods must end in .csv or .xlsx" in result.stderr
