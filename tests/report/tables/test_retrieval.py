"""Tests of search rankings, by hand, and of the sections that summaries use."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score

from arag_inspect.report.build import StudyReport
from arag_inspect.report.cells import Over, Share, raw
from arag_inspect.report.chart import as_spec
from arag_inspect.report.page.data import study_data
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
def report(tmp_path_factory: pytest.TempPathFactory) -> StudyReport:
    logs = [m.run_of(name, partial(_scores, name), 4) for name in ("arag", "stuffing")]
    return m.report_of(tmp_path_factory.mktemp("sections"), *logs)


def test_section_shares_count_only_documents_with_section(
    report: StudyReport,
) -> None:
    table = m.table_of(report, "sections")
    assert table.columns == ("kind", "name", "A-RAG", "Stuffing")
    assert table.rows == (
        ("section", "Risk Factors", Over(Share(2 / 3), 3), Over(Share(2 / 3), 3)),
        ("section", "Notes", Over(Share(1 / 3), 3), None),
        ("topic", "Outlook", Over(Share(0), 1), Over(Share(0), 1)),
    )
    rows = as_spec(m.chart_of(report, "sections"))["data"]["values"]
    assert [row["share"] for row in rows] == [2 / 3, 2 / 3, 1 / 3, 0, 0]


def test_sections_named_by_period_are_merged(tmp_path: Path) -> None:
    names = ("Outlook", "Q2_2020 Outlook", "Q3 2020 Outlook", "Fiscal 2021 Review", "Item 7. Risks")
    sections = [{"section": name, "sentences": [0] * (name == "Q2_2020 Outlook")} for name in names]
    log = m.run_of("arag", {"section_coverage": m.scored(0.5, sections=sections)}, 2)
    rows = {
        name: share for _, name, share in m.table_of(m.report_of(tmp_path, log), "sections").rows
    }
    assert rows == {
        "Outlook": Over(Share(0), 2),
        "Outlook (of a named period)": Over(Share(1), 2),
        "Review (of a named period)": Over(Share(0), 2),
        "Item 7. Risks": Over(Share(0), 2),
    }


def test_sample_reader_marks_unused_sections(report: StudyReport) -> None:
    samples = study_data(report.study)["samples"]
    parts = [[tuple(part.values()) for part in s["answers"][0]["parts"]] for s in samples]
    risks, outlook = ("section", "Risk Factors"), ("topic", "Outlook", False, False)
    assert parts == [
        [],
        [(*risks, True, True), ("section", "Notes", True, True)],
        [(*risks, True, True), ("section", "Notes", False, False), outlook],
        [(*risks, False, True), ("section", "Notes", False, False)],
    ]


def _search(*chunk_ids: int) -> dict[str, Any]:
    about = {"tool": "semantic_search", "query": "", "loop": 1}
    return {**about, "chunk_ids": chunk_ids, "scores": [1.0] * len(chunk_ids)}


def test_search_ranking_is_reported_by_hop(tmp_path: Path) -> None:
    searches = [
        [_search(1, 2), _search(9)],  # gold: 1 and 2
        [_search(9, 2)],
        [_search(9, 2), _search(), _search(2, 1)],
    ]
    samples = [
        m.sample(number, {"rouge": m.scored(0.5)}, store=m.trace(searches=own))
        for number, own in enumerate(searches)
    ]
    samples.append(
        m.sample(3, store=m.trace(searches=[_search(1)]), metadata={"gold_chunk_ids": []})
    )
    table = m.table_of(m.report_of(tmp_path, m.log(samples)), "search_ranking")
    rows = [(row[1], row[2], raw(row[3]), raw(row[5]), raw(row[6])) for row in table.rows]
    assert [row[:2] for row in rows] == [("all", 3), ("1", 3), ("2", 2), ("3", 1)]
    # means over samples of hit@1, recall@5 and MRR@10; for `all`, the mean of sample means
    assert rows[0][2:] == pytest.approx(
        ((1 / 2 + 0 + 1 / 3) / 3, (1 / 2 + 1 / 2 + 1 / 2) / 3, (1 / 2 + 1 / 2 + 1 / 2) / 3)
    )
    assert rows[1][2:] == pytest.approx((1 / 3, (1 + 1 / 2 + 1 / 2) / 3, (1 + 1 / 2 + 1 / 2) / 3))
    assert rows[2][2:] == (0, 0, 0)
    assert rows[3][2:] == (1, 1, 1)


def test_evidence_recall_is_reported_by_document_page_and_chunk(tmp_path: Path) -> None:
    def scores(number: int) -> dict[str, Score]:
        pages_read, missed = [["D", 1], ["D", 2]], [["D", 3]]
        found: list[tuple[float, dict[str, Any]]] = [
            (1.0, {"chunks": {"D": 2}, "pages": {"read": pages_read, "missed": []}}),
            (0.5, {"chunks": {"D": 2}, "pages": {"read": pages_read, "missed": []}}),
            (0.0, {"chunks": {"D": 2}, "pages": {"read": [], "missed": missed}}),
            (
                0.0,
                {
                    "chunks": {"D": 0, "E": 4},
                    "pages": {"read": pages_read, "missed": missed + pages_read[:1]},
                },
            ),
            (1.0, {"chunks": {"D": 2}}),  # its pages are unknown
        ]
        recall, details = found[number]
        return {"retrieval_pr": m.scored({"recall": recall}, **details)}

    report = m.report_of(tmp_path, m.run_of("arag", scores, 5))
    (row,) = m.rows_of(report, "evidence_levels")
    means = [raw(row[level]) for level in ("documents", "pages", "chunks")]
    assert (row["system"], row["samples"]) == ("A-RAG", 4)
    assert means == pytest.approx([3.5 / 4, 2.5 / 4, 1.5 / 4])
    missed = row["page missed"], row["chunk missed"]
    assert missed == (Over(Share(0.25), 4), Over(Share(0.25), 4))


@pytest.mark.parametrize(
    ("documents", "pages", "expected"),
    [
        ({"D": 2}, {}, (None, Over(Share(1.0), 2), Over(Share(0.0), 2))),
        ({"D": 0}, {}, (None, Over(Share(0.0), 2), Over(Share(0.0), 2))),
        (
            {"D": 2},
            {"pages": {"read": [], "missed": [["D", 1]]}},
            (Over(Share(1.0), 2), Over(Share(0.0), 2), Over(Share(0.0), 2)),
        ),
    ],
    ids=["document read", "document not read", "page not read"],
)
def test_chunk_is_missed_after_document_where_page_is_unknown(
    tmp_path: Path, documents: dict[str, int], pages: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    def scores(number: int) -> dict[str, Score]:
        shares = {"recall": 0.0, "evidence": 0.0}
        return {"retrieval_pr": m.scored(shares, chunks=documents, **pages)}

    report = m.report_of(tmp_path, m.run_of("arag", scores, 2))
    (row,) = m.rows_of(report, "evidence_levels")
    assert (row["page missed"], row["chunk missed"], row["text missed"]) == expected


def test_system_whose_passages_have_no_loop_is_left_out_of_recall_by_loop(tmp_path: Path) -> None:
    """The first passage alone does not tell that the later loops read nothing new."""

    def logged(system: str, *loops: int) -> EvalLog:
        passages = [m.passage(number, loop) for number, loop in enumerate(loops, 1)]
        store = m.trace(system, passages=passages, loops=3)
        scores = {"retrieval_pr": m.scored({"recall": 1.0})}
        samples = [m.sample(number, scores, system=system, store=store) for number in range(4)]
        return m.log(samples, system=system)

    logs = logged("arag", 1, 2), logged("mine", 0, 0), logged("theirs", 1, 0)
    report = m.report_of(tmp_path, *logs)
    table = m.table_of(report, "recall_by_loop")
    assert {row[0] for row in table.rows} == {"A-RAG"}
    assert table.text.endswith(" Left out because their passages have no `loop`: mine and theirs.")
    drawn = as_spec(m.chart_of(report, "recall_by_loop"))["data"]["values"]
    assert {row["system"] for row in drawn} == {"A-RAG"}
