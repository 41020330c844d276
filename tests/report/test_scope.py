"""Tests of what a report says of systems that were given the documents of each question."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog

from arag_inspect.report import Study
from arag_inspect.report.findings.key_finding import key_finding
from tests.report import material as m

DOCUMENTS = ("ABM_q1", "CRL_q1")
"""`material.passage` is from the first."""


def _run(
    system: str, style: str = "qa", doc_ids: tuple[str, ...] = (), gain: float = 0.0, **more: Any
) -> EvalLog:
    samples = []
    for number in range(12):
        own_documents = (DOCUMENTS[number % 2],) if doc_ids == () else doc_ids
        metadata = {"style": style, "doc_ids": own_documents, "company": f"C{number}"}
        passages = [m.passage(1)] if system in ("external", "replay") else []
        scores = {"geval_coverage": m.judged(3 + gain), "answer_match": m.scored(0.5 + gain / 2)}
        store = m.trace(system, passages=passages)
        samples.append(m.sample(number, scores, system=system, store=store, metadata=metadata))
    return m.log(samples, system=system, **more)


def _study(folder: Path, *runs: EvalLog) -> Study:
    return m.report_of(folder, *runs).study


CORPUS: Mapping[str, Any] = {"params": {"scope": "corpus"}}
GIVEN: Mapping[str, Any] = {"params": {"scope": "sample_documents"}}


@pytest.mark.parametrize(
    ("searching", "given", "says"),
    [
        (
            _run("arag", **CORPUS),
            _run("stuffing"),
            "Stuffing was given {}; A-RAG had to find them.",
        ),
        # the live system read other documents
        (_run("external"), _run("stuffing"), "Stuffing was given {}; external had to find them."),
        (
            _run("arag", **CORPUS),
            _run("naive_rag", **GIVEN),
            "Naive RAG was given {}; A-RAG had to find them.",
        ),
    ],
    ids=["parameters", "passages", "two that search"],
)
def test_report_says_which_system_was_given_documents_that_others_had_to_find(
    tmp_path: Path, searching: EvalLog, given: EvalLog, says: str
) -> None:
    study = _study(tmp_path, searching, given)
    text = m.finding_texts(study)["Documents given"]
    assert text.startswith(says.format("the documents of each question (doc_ids)"))
    assert key_finding(study) is None


@pytest.mark.parametrize(
    "runs",
    [
        (_run("arag", style="earnings_call", **CORPUS), _run("stuffing", style="earnings_call")),
        (_run("arag", doc_ids=DOCUMENTS, **CORPUS), _run("stuffing", doc_ids=DOCUMENTS)),
        (_run("arag", **GIVEN), _run("stuffing")),
    ],
    ids=["summaries", "all documents", "treated alike"],
)
def test_systems_with_the_same_documents_are_compared(
    tmp_path: Path, runs: tuple[EvalLog, EvalLog]
) -> None:
    study = _study(tmp_path, *runs)
    assert "Documents given" not in m.finding_texts(study)
    assert "is not shown to add value" in (key_finding(study) or "")


def test_retrieval_that_wins_against_given_documents_adds_value(tmp_path: Path) -> None:
    study = _study(tmp_path, _run("arag", gain=1.0, **CORPUS), _run("stuffing"))
    assert "Documents given" in m.finding_texts(study)
    assert (key_finding(study) or "").startswith("Retrieval adds value")


@pytest.mark.parametrize(
    ("passage", "evidence", "says"),
    [
        (m.part_of_chunk(1), 0.5, True),
        (m.part_of_chunk(1), 0.95, False),
        (m.passage(1), 0.5, False),  # of whole chunks
    ],
)
def test_report_says_where_recall_counts_chunks_read_in_part(
    tmp_path: Path, passage: dict[str, Any], evidence: float, says: bool
) -> None:
    scores = {"retrieval_pr": m.scored({"recall": 1.0, "evidence": evidence}, "retrieval_pr")}
    metadata = {"style": "qa", "gold_chunk_ids": [1]}
    store = m.trace("external", passages=[passage])
    samples = [
        m.sample(n, scores, system="external", store=store, metadata=metadata) for n in range(4)
    ]
    study = _study(tmp_path, m.log(samples, system="external"))
    text = m.finding_texts(study).get("Evidence in parts")
    expected = (
        "Recall counts chunks of which only a part was returned: external has recall 1.000, but "
        "read 0.500 of the evidence."
    )
    assert text == (expected if says else None)
