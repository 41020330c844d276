"""Sets of human labels: reading copies, and refusing what is damaged."""

import json
from pathlib import Path
from typing import Any

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
        ([_ROW | {"label": 3}], "label 3 is unknown; expected 0, 1"),
        ([_ROW | {"summary": " "}], "the summary is empty"),
        ([{"id": "call1_0"}], "'doc' is missing"),
    ],
)
def test_a_damaged_row_is_refused_in_one_line(
    tmp_path: Path, rows: list[dict[str, Any]], said: str
) -> None:
    with pytest.raises(InputError, match=said) as error:
        read_copy(SETS["summedits"], _write(tmp_path, *rows))
    assert "\n" not in str(error.value)


def test_a_folder_without_the_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no file of wice; expected claim_dev"):
        read_copy(SETS["wice"], tmp_path)


def test_a_file_cut_short_is_refused(tmp_path: Path) -> None:
    text = json.dumps([_ROW, _ROW])
    (tmp_path / "summedits_ectsum.json").write_text(text[:-30], encoding="utf-8")
    with pytest.raises(InputError, match=r"summedits_ectsum\.json"):
        read_copy(SETS["summedits"], tmp_path)


def test_another_digest_is_refused_unless_accepted(tmp_path: Path) -> None:
    rows = _write(tmp_path, _ROW) / "summedits_ectsum.json"
    rows.rename(tmp_path / "summedits_news.json")
    with pytest.raises(InputError, match="is not the file that was recorded"):
        read_copy(SETS["summedits"], tmp_path)
    copy = read_copy(SETS["summedits"], tmp_path, any_copy=True)
    assert [answer.label for answer in copy.answers] == [1.0]
    assert "summedits_ectsum.json" in copy.missing


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
    first, second = read_copy(SETS["ragchecker"], tmp_path, any_copy=True).answers
    assert (first.label, second.label) == (1.5, 1.5)
    assert (first.sign, second.sign) == (-1, 1)
    assert first.unit == second.unit


@pytest.mark.parametrize(
    ("name", "folder", "units"),
    [
        ("summedits", "meta/summedits", 4013),
        ("summhay", "meta/summhay", 1094),
        ("ragchecker", "meta/ragchecker", 137),
        ("wice", "meta/wice", 349),
        ("qags", "meta/qags", 474),
        ("financebench", "financebench/results", 1200),
    ],
)
def test_the_copies_at_hand_have_their_digests(name: str, folder: str, units: int) -> None:
    if not (SHARED_DATA / folder).is_dir():
        pytest.skip(f"no copy of {name} beside the repository")
    copy = read_copy(SETS[name], SHARED_DATA / folder)
    assert len({answer.unit for answer in copy.answers}) == units
    assert {answer.split for answer in copy.answers} == {"development", "test"}
