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
        ([_ROW, _ROW | {"summary": "It fell."}], "'ectsum/call1_0' occurs twice"),
        ([_ROW | {"label": 3}], "label '3' is unknown; expected 0, 1"),
        ([{"id": "call1_0", "summary": "x", "label": 1}], "column 'doc' is missing"),
        ([_ROW | {"doc": " "}], "the source or reference is empty"),
        ([_ROW | {"label": {"1": 1}}], "'label' must be text or a number"),
        ([_ROW | {"id": "call1"}], "id 'call1' does not match"),
    ],
)
def test_a_damaged_row_is_refused_in_one_line(
    tmp_path: Path, rows: list[dict[str, Any]], said: str
) -> None:
    with pytest.raises(InputError, match=said) as error:
        read_copy(SETS["summedits"], _write(tmp_path, *rows))
    assert "\n" not in str(error.value)


def test_a_copy_without_files_or_cut_short_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no file of wice; expected claim_"):
        read_copy(SETS["wice"], tmp_path)
    text = json.dumps([_ROW, _ROW])
    (tmp_path / "summedits_ectsum.json").write_text(text[:-30], encoding="utf-8")
    with pytest.raises(InputError, match=r"summedits_ectsum\.json"):
        read_copy(SETS["summedits"], tmp_path)


def test_missing_files_are_named(tmp_path: Path) -> None:
    copy = read_copy(SETS["summedits"], _write(tmp_path, _ROW))
    assert copy.answers["label"].tolist() == [1.0]
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
    first, second = read_copy(SETS["ragchecker"], tmp_path).answers.itertuples()
    assert (first.label, second.label) == (1.5, 1.5)
    assert first.disputed
    assert (first.sign, second.sign) == (-1, 1)
    assert first.unit == second.unit == "7"


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
    assert copy.answers["unit"].nunique() == units
    assert {*copy.answers["split"]} == {"development", "test"}
