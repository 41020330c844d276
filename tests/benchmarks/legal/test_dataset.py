"""Tests of the court-opinion data set: file matching, sections and known errors."""

import json
from itertools import product
from pathlib import Path

import pytest

from arag_inspect._util.errors import InputError
from arag_inspect.benchmarks.legal.reader import DEMO, ERRORS_FILE, read_legal, split_opinion
from arag_inspect.measures.taxonomy_file import load_taxonomy
from tests.pdfs import write_pdf
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

PARTS = ["Caption", "Syllabus", "Opinion of the Court", "Concurrence", "Dissent"]


def test_demo_has_six_full_opinions_with_reference_summaries() -> None:
    question_set = read_legal(DEMO)
    assert not question_set.skipped
    assert [question.question_id.partition(" ")[0] for question in question_set.questions] == list(
        "123456"
    )
    for document, question in zip(question_set.documents, question_set.questions, strict=True):
        words = " ".join(section.text for section in document.sections).split()
        assert len(words) >= 1500
        assert [section.title for section in document.sections] == PARTS
        assert document.sections[-1].prefix == f"[CASE: {document.company} | SECTION: Dissent]"
        assert document.sections[-1].text.split("\n")[0].endswith("dissenting.")
        assert 180 <= len(question.answers[0].split()) <= 260
        assert question.doc_ids == (document.doc_id,)


def test_demo_has_one_damage_for_each_case_and_taxonomy_code() -> None:
    summaries = {one.question_id: one.answers[0] for one in read_legal(DEMO).questions}
    lines = (DEMO / ERRORS_FILE).read_text(encoding="utf-8").splitlines()
    damages = [json.loads(line) for line in lines]
    assert all(summaries[one["case"]].count(one["find"]) == 1 for one in damages)
    case_codes = [(one["case"], one["code"]) for one in damages]
    assert sorted(case_codes) == sorted(product(summaries, load_taxonomy("legal").codes))


def test_load_pairs_matches_files_by_number_and_name_and_reports_rest(tmp_path: Path) -> None:
    opinion = (
        "Roe v. Doe\nSyllabus\nIt is about hens.\n"
        "JUSTICE ROE delivered the opinion of the Court.\nHens may roam.\n"
    )
    pages = [opinion + "JUSTICE DOE, with whom JUSTICE POE joins, dissenting.\nHens may not."]
    write_pdf(tmp_path / "01 Roe  v. DOE Full Case.pdf", pages)
    files = {
        "1 Roe v Doe SUMMARY.txt": "Hens may roam.",
        "2 Loe v. Moe full case.txt": "Two.",
        "3 Loe v. Moe summary.txt": "Three.",
        "1_roe_v_doe full case.txt": "Again.",
        "notes.txt": "Nothing.",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    question_set = read_legal(tmp_path)
    [document] = question_set.documents
    assert document.company == "Roe v. DOE"
    assert [section.title for section in document.sections] == [
        "Caption", "Syllabus", "Opinion of the Court", "Dissent",
    ]  # fmt: skip
    assert question_set.questions[0].answers == ("Hens may roam.",)
    assert {file.name: file.reason for file in question_set.skipped} == {
        "1_roe_v_doe full case.txt": "is the same case as 01 Roe  v. DOE Full Case.pdf",
        "2 Loe v. Moe full case.txt": "no summary with this number and name",
        "3 Loe v. Moe summary.txt": "no full case with this number and name",
        "notes.txt": "is named neither `full case` nor `summary`",
    }


def test_load_pairs_rejects_folder_without_pair(tmp_path: Path) -> None:
    (tmp_path / "1 A v. B summary.txt").write_text("One.")
    with pytest.raises(InputError, match=r"no pair of .*: 1 A v\. B summary\.txt no full case"):
        read_legal(tmp_path)
    with pytest.raises(InputError, match="does not exist"):
        read_legal(tmp_path / "none")


@pytest.mark.parametrize(("line", "title"), TABLES["opinions"])
def test_split_opinion_titles_parts_by_heading(line: str, title: str) -> None:
    parts = split_opinion(f"One.\n{line}\nTwo.")
    assert parts[-1].title == title
    assert "\n".join(part.text for part in parts) == f"One.\n{line}\nTwo."


def test_split_opinion_ignores_running_head_but_splits_second_dissent() -> None:
    text = (
        "ROE v. DOE\nJUSTICE POE, dissenting.\nNo.\nPOE, J., dissenting\nNever.\n"
        "JUSTICE LOE, dissenting.\nNor I."
    )
    assert [(part.title, part.judge) for part in split_opinion(text)] == [
        ("Caption", ""), ("Dissent", "poe"), ("Dissent", "loe"),
    ]  # fmt: skip
