"""Sets of human labels: reading copies, and refusing what is damaged."""

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from arag_inspect._util.errors import InputError
from arag_inspect.meta_evaluation.human import SETS
from arag_inspect.meta_evaluation.human.labelled import read_copy
from tests.conftest import SHARED_DATA

_ROW = {
    "id": "call1_0",
    "doc": "Revenue rose 5% to $20 million.",
    "summary": "Revenue rose 5%.",
    "label": 1,
}


def _write(folder: Path, *rows: dict[str, Any]) -> Path:
    (folder / "summedits_ectsum.json").write_text(json.dumps(rows), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([_ROW, _ROW], "'ectsum/call1_0' occurs twice"),
        ([_ROW | {"label": 3}], "label '3' is unknown; expected 0, 1"),
        ([_ROW | {"summary": " "}], "the answer is empty"),
        ([{"id": "call1_0", "summary": "x", "label": 1}], "column 'doc' is missing"),
        ([_ROW | {"doc": " "}], "the source or reference is empty"),
        ([_ROW | {"label": ["1"]}], "label .* is unknown"),
    ],
)
def test_a_damaged_row_is_refused_in_one_line(
    tmp_path: Path, rows: list[dict[str, Any]], said: str
) -> None:
    with pytest.raises(InputError, match=said) as error:
        read_copy(SETS["summedits"], _write(tmp_path, *rows))
    assert "\n" not in str(error.value)


def test_a_folder_without_the_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no file of wice; expected claim_"):
        read_copy(SETS["wice"], tmp_path)


def test_a_file_cut_short_is_refused(tmp_path: Path) -> None:
    text = json.dumps([_ROW, _ROW])
    (tmp_path / "summedits_ectsum.json").write_text(text[:-30], encoding="utf-8")
    with pytest.raises(InputError, match=r"summedits_ectsum\.json"):
        read_copy(SETS["summedits"], tmp_path)


def test_missing_files_are_named(tmp_path: Path) -> None:
    copy = read_copy(SETS["summedits"], _write(tmp_path, _ROW))
    assert [answer.label for answer in copy.answers] == [1.0]
    assert "summedits_podcast.json" in copy.missing


def test_two_annotators_of_a_pair_are_averaged(tmp_path: Path) -> None:
    row = {
        "instance_id": 7,
        "query": "What is it?",
        "gt_answer": "A bond.",
        "model1": {"response": "A share."},
        "model2": {"response": "A bond."},
    }
    rows = [row | {"overall_label": label} for label in (2, 1)]
    (tmp_path / "human_labeled_data.json").write_text(json.dumps(rows), encoding="utf-8")
    first, second = read_copy(SETS["ragchecker"], tmp_path).answers
    assert (first.label, second.label) == (1.5, 1.5)
    assert first.votes == (2.0, 1.0)
    assert (first.sign, second.sign) == (-1, 1)
    assert first.unit == second.unit


def _jsonl(path: Path, *rows: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _csv(path: Path, *rows: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _ragtruth(folder: Path) -> None:
    span = {"start": 0, "end": 3, "text": "Six", "label_type": "Evident Conflict"}
    responses: list[dict[str, Any]] = [
        {"id": "1", "source_id": "9", "labels": [span], "response": "Six shops opened."},
        {"id": "2", "source_id": "8", "labels": [], "response": ""},
    ]
    _jsonl(folder / "response.jsonl", *responses)
    _jsonl(
        folder / "source_info.jsonl",
        {"source_id": "9", "task_type": "Summary", "source_info": "Five <b>shops</b> opened."},
        {"source_id": "8", "task_type": "Data2txt", "source_info": {"name": "Café"}},
    )


def _frank(folder: Path) -> None:
    row = {"hash": "123", "model_name": "BERTS2S", "split": "test"}
    told = row | {"article": "Five shops opened.", "summary": "Six shops opened."}
    other = told | {"hash": "ab1", "article": "word " * 200_000}
    (folder / "benchmark_data.json").write_text(json.dumps([told, other]), encoding="utf-8")
    human = [row | {"Factuality": 0.5}, row | {"hash": "ab1", "Factuality": 1}]
    (folder / "human_annotations.json").write_text(json.dumps(human), encoding="utf-8")


def _tofueval(folder: Path) -> None:
    row = {"doc_id": "m1", "topic": "Shops", "model_name": "A", "summ_sent": "Six opened."}
    _csv(
        folder / "factual_consistency" / "meetingbank_factual_eval_dev.csv",
        row | {"sent_idx": 0, "sent_label": "no"},
        row | {"sent_idx": 1, "sent_label": "yes"},
    )
    _csv(folder / "meetingbank_dev_doc.csv", {"meeting_id": "m1", "source": "Five opened."})


def _aggrefact(folder: Path) -> None:
    row = {"dataset": "CLIFF", "origin": "xsum", "id": 7, "doc": "Five opened.", "cut": "val"}
    _csv(
        folder / "aggre_fact_final.csv",
        row | {"summary": "Six opened.", "model_name": "bart", "label": 0},
        row | {"summary": "Five opened.", "model_name": "t5", "label": 1},
    )


def _llm_aggrefact(folder: Path) -> None:
    rows = {
        "dataset": ["RAGTruth", "Wice"],
        "doc": ["Five opened.", "Six opened."],
        "claim": ["Six opened.", "Six opened."],
        "label": [0, 1],
    }
    (folder / "data").mkdir()
    pq.write_table(pa.table(rows), folder / "data" / "test-00000-of-00001.parquet")


def _unisumeval(folder: Path) -> None:
    row = {"uid": "DISL_1", "domain": "news", "keyfact": ["Six opened.", "It rained."]}
    _jsonl(
        folder / "data" / "unisumeval_keyfact.jsonl",
        row | {"model": "a", "summary": "Six opened.", "completeness": 0.5},
        row | {"model": "b", "summary": "It rained; six opened.", "completeness": 1.0},
        row | {"model": "c", "summary": "", "summary_success_state": "fail"},
    )


_LAYOUTS = {
    "ragtruth": (_ragtruth, [0.0, 1.0], {"Summary", "Data2txt"}),
    "frank": (_frank, [0.5, 1.0], {"BERTS2S"}),
    "tofueval": (_tofueval, [0.0, 1.0], {"meetingbank"}),
    "aggrefact": (_aggrefact, [0.0, 1.0], {"CLIFF-xsum"}),
    "llm_aggrefact": (_llm_aggrefact, [0.0, 1.0], {"RAGTruth", "Wice"}),
    "unisumeval": (_unisumeval, [0.5, 1.0], {"news"}),
}


@pytest.mark.parametrize("name", _LAYOUTS)
def test_a_set_in_its_published_layout_is_read(tmp_path: Path, name: str) -> None:
    write, labels, subsets = _LAYOUTS[name]
    write(tmp_path)
    answers = read_copy(SETS[name], tmp_path).answers
    assert [answer.label for answer in answers] == labels
    assert {answer.subset for answer in answers} == subsets
    assert len({answer.id for answer in answers}) == len(labels)
    assert all(answer.reference for answer in answers)


def test_sources_are_joined_as_they_stand(tmp_path: Path) -> None:
    _ragtruth(tmp_path)
    first, second = read_copy(SETS["ragtruth"], tmp_path).answers
    assert first.source == "Five <b>shops</b> opened."
    assert "Café" in second.source


def test_every_source_may_be_long(tmp_path: Path) -> None:
    _frank(tmp_path)
    assert len(read_copy(SETS["frank"], tmp_path).answers[1].source) == 999_999


@pytest.mark.parametrize(
    ("lost", "said"),
    [
        ("meetingbank_dev_doc.csv", "lacks the sources of tofueval: "),
        ("", "row 2: 'm2' has no row in meetingbank_dev_doc.csv; the copy of tofueval is partial"),
    ],
)
def test_a_copy_without_sources_is_refused(tmp_path: Path, lost: str, said: str) -> None:
    _tofueval(tmp_path)
    if lost:
        (tmp_path / lost).unlink()
    annotated = tmp_path / "factual_consistency" / "meetingbank_factual_eval_dev.csv"
    annotated.write_text(
        annotated.read_text().replace("m1,Shops,A,Six opened.,1", "m2,Shops,A,Six,1")
    )
    with pytest.raises(InputError, match=said):
        read_copy(SETS["tofueval"], tmp_path)


def test_a_share_beyond_one_is_refused(tmp_path: Path) -> None:
    _frank(tmp_path)
    path = tmp_path / "human_annotations.json"
    path.write_text(path.read_text().replace("0.5", "50"))
    with pytest.raises(
        InputError, match="row 1: 'Factuality' must be a number from 0 to 1, got 50"
    ):
        read_copy(SETS["frank"], tmp_path)


@pytest.mark.parametrize(
    ("name", "folder", "units"),
    [
        ("summedits", "meta/summedits", 4013),
        ("summhay", "meta/summhay", 1094),
        ("ragchecker", "meta/ragchecker", 137),
        ("wice", "meta/wice", 349),
        ("qags", "meta/qags", 474),
        ("factcc", "meta/factcc", 3643),
        ("financebench", "financebench/results", 1200),
    ],
)
def test_the_copies_at_hand_have_their_digests(name: str, folder: str, units: int) -> None:
    if not (SHARED_DATA / folder).is_dir():
        pytest.skip(f"no copy of {name} beside the repository")
    copy = read_copy(SETS[name], SHARED_DATA / folder)
    assert len({answer.unit for answer in copy.answers}) == units
    assert {answer.split for answer in copy.answers} == {"development", "test"}
