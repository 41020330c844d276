"""Tests of reading sets of human labels, and of rejecting damaged ones."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from arag_inspect._util.errors import InputError
from measurements.agreement.sets import SETS, read_copy
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
        ([_ROW, _ROW | {"summary": "It fell."}], "'ectsum/call1_0' occurs twice"),
        ([_ROW | {"label": 3}], "label '3' is unknown; expected 0, 1"),
        ([{"id": "call1_0", "summary": "x", "label": 1}], "column 'doc' is missing"),
        ([_ROW | {"doc": " "}], "the source or reference is empty"),
        ([_ROW | {"label": {"1": 1}}], "label .* is unknown"),
        ([_ROW | {"id": "call1"}], "id 'call1' does not match"),
    ],
)
def test_read_copy_rejects_damaged_row_in_one_line(
    tmp_path: Path, rows: list[dict[str, Any]], said: str
) -> None:
    with pytest.raises(InputError, match=said) as error:
        read_copy(SETS["summedits"], _write(tmp_path, *rows))
    assert "\n" not in str(error.value)


def test_read_copy_rejects_missing_or_truncated_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no file of wice; expected claim_"):
        read_copy(SETS["wice"], tmp_path)
    text = json.dumps([_ROW, _ROW])
    (tmp_path / "summedits_ectsum.json").write_text(text[:-30], encoding="utf-8")
    with pytest.raises(InputError, match=r"summedits_ectsum\.json"):
        read_copy(SETS["summedits"], tmp_path)


def test_read_copy_names_missing_files(tmp_path: Path) -> None:
    copy = read_copy(SETS["summedits"], _write(tmp_path, _ROW))
    assert copy.answers["label"].tolist() == [1.0]
    assert "summedits_podcast.json" in copy.missing


def test_read_copy_averages_two_annotators_of_pair(tmp_path: Path) -> None:
    row = {
        "instance_id": 7,
        "query": "What is it?",
        "gt_answer": "A bond.",
        "model1": {"response": "A share."},
        "model2": {"response": "A bond."},
    }
    rows = [row | {"overall_label": label} for label in (2, 1)]
    (tmp_path / "human_labeled_data.json").write_text(json.dumps(rows), encoding="utf-8")
    first, second = read_copy(SETS["ragchecker"], tmp_path).answers.itertuples()
    assert (first.label, second.label) == (1.5, 1.5)
    assert first.disputed
    assert (first.sign, second.sign) == (-1, 1)
    assert first.unit == second.unit == "7"


@pytest.mark.parametrize("field", ["source", "reference"])
def test_answers_on_same_document_share_group_by_default(tmp_path: Path, field: str) -> None:
    data = SETS["summedits"]
    assert data.columns is not None
    field_patterns = {"source": "", "group": "", field: "{doc}"}
    data = data.model_copy(update={"columns": data.columns.model_copy(update=field_patterns)})
    rows = [_ROW, _ROW | {"id": "call1_1"}, _ROW | {"id": "call1_2", "doc": "Revenue fell."}]
    first, second, other = read_copy(data, _write(tmp_path, *rows)).answers["group"]
    assert first == second != other


_RESPONSES = [
    {"id": "1", "source_id": "9", "labels": [{"start": 0, "text": "Six"}], "response": "Six."},
    {"id": "2", "source_id": "8", "labels": [], "response": ""},
]
_SOURCE_INFO = [
    {"source_id": "9", "task_type": "Summary", "source_info": "Five <b>shops</b>."},
    {"source_id": "8", "task_type": "Data2txt", "source_info": {"name": "Café"}},
]
_SUMMARY = {"hash": "123", "model_name": "BERTS2S", "split": "test"}
_SENTENCE = {"doc_id": "m1", "topic": "Shops", "model_name": "A", "summ_sent": "Six opened."}
_CLAIM = {"dataset": "CLIFF", "origin": "xsum", "id": 7, "doc": "Five opened.", "summary": "Six."}
_FACTS = {
    "uid": "DISL_1",
    "domain": "news",
    "keyfact": ["Six opened.", "It rained."],
    "summary_success_state": "success",
}
_LONG = "word " * 200_000

LAYOUTS: dict[str, tuple[dict[str, Any], list[tuple[Any, ...]]]] = {
    "ragtruth": (
        {"response.jsonl": _RESPONSES, "source_info.jsonl": _SOURCE_INFO},
        [(0, "Summary", "Five <b>shops</b>."), (1, "Data2txt", '{\n "name": "Café"\n}')],
    ),
    "frank": (
        {
            "human_annotations.json": [
                _SUMMARY | {"Factuality": 0.5},
                _SUMMARY | {"hash": "ab1", "Factuality": 1},
            ],
            "benchmark_data.json": [
                _SUMMARY | {"article": "Five opened.", "summary": "Six opened."},
                _SUMMARY | {"hash": "ab1", "article": _LONG, "summary": "Six."},
            ],
        },
        [(0.5, "BERTS2S", "Five opened."), (1, "BERTS2S", _LONG.strip())],
    ),
    "tofueval": (
        {
            "factual_consistency/meetingbank_factual_eval_dev.csv": [
                _SENTENCE | {"sent_idx": 0, "sent_label": "no"},
                _SENTENCE | {"sent_idx": 1, "sent_label": "yes"},
            ],
            "meetingbank_dev_doc.csv": [{"meeting_id": "m1", "source": "Five opened."}],
        },
        [(0, "meetingbank", "Five opened."), (1, "meetingbank", "Five opened.")],
    ),
    "aggrefact": (
        {"aggre_fact_final.csv": [_CLAIM | {"label": 0}, _CLAIM | {"label": 1}]},
        [(0, "CLIFF-xsum", "Five opened."), (1, "CLIFF-xsum", "Five opened.")],
    ),
    "llm_aggrefact": (
        {
            "data/test-00000-of-00001.parquet": [
                {"dataset": "RAGTruth", "doc": "Five opened.", "claim": "Six.", "label": 0},
                {"dataset": "Wice", "doc": "Six opened.", "claim": "Six.", "label": 1},
            ]
        },
        [(0, "RAGTruth", "Five opened."), (1, "Wice", "Six opened.")],
    ),
    "unisumeval": (
        {
            "data/unisumeval_keyfact.jsonl": [
                _FACTS | {"model": "a", "summary": "Six opened.", "completeness": 0.5},
                _FACTS | {"model": "b", "summary": "Six; rain.", "completeness": 1.0},
                _FACTS | {"model": "c", "summary": "", "summary_success_state": "fail"},
            ]
        },
        [(0.5, "news", "Six opened.\nIt rained."), (1, "news", "Six opened.\nIt rained.")],
    ),
}
"""Files of each set in its published layout, with label, subset and reference of its answers."""


def _write_layout(folder: Path, name: str) -> None:
    for file, rows in LAYOUTS[name][0].items():
        path = folder / file
        path.parent.mkdir(exist_ok=True)
        if path.suffix == ".parquet":
            pd.DataFrame(rows).to_parquet(path)
        elif path.suffix == ".csv":
            pd.DataFrame(rows).to_csv(path, index=False)
        else:
            pd.DataFrame(rows).to_json(path, orient="records", lines=path.suffix == ".jsonl")


@pytest.mark.parametrize("name", LAYOUTS)
def test_read_copy_reads_published_layout(tmp_path: Path, name: str) -> None:
    _write_layout(tmp_path, name)
    answers = read_copy(SETS[name], tmp_path).answers
    assert [*zip(answers.label, answers.subset, answers.reference, strict=True)] == LAYOUTS[name][1]


def test_read_copy_rejects_missing_sources_and_out_of_range_labels(tmp_path: Path) -> None:
    _write_layout(tmp_path, "tofueval")
    documents = tmp_path / "meetingbank_dev_doc.csv"
    documents.write_text(documents.read_text().replace("m1", "m2"))
    with pytest.raises(InputError, match=r"row 1: 'm1' has no row in \*\*/\*_doc\.csv"):
        read_copy(SETS["tofueval"], tmp_path)
    documents.unlink()
    with pytest.raises(InputError, match="has no file of tofueval; expected"):
        read_copy(SETS["tofueval"], tmp_path)
    _write_layout(tmp_path, "frank")
    path = tmp_path / "human_annotations.json"
    path.write_text(path.read_text().replace("0.5", "50"))
    with pytest.raises(InputError, match="row 1: .* must be a number from 0 to 1, got 50"):
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
def test_local_copies_have_expected_number_of_units(name: str, folder: str, units: int) -> None:
    if not (SHARED_DATA / folder).is_dir():
        pytest.skip(f"no copy of {name} beside the repository")
    copy = read_copy(SETS[name], SHARED_DATA / folder)
    assert copy.answers["unit"].nunique() == units
    assert {*copy.answers["split"]} == {"development", "test"}
