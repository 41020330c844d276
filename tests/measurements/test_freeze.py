"""Tests of comparing two folders of frozen figures by measure and table."""

import json
from pathlib import Path
from typing import Any

import pytest

from measurements.freeze import compare

_FIGURES: dict[str, dict[str, dict[str, Any]]] = {
    "scores": {"rouge.rouge2": {"a": 0.25, "b": 0.5}, "bertscore": {"a": 0.75}},
    "tables": {"leaderboard": {"001 A-RAG": {"Recall": 0.5}, "002 Naive RAG": {"Recall": 0.25}}},
}


@pytest.fixture
def frozen(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders with equal figures."""
    folders = (tmp_path / "old", tmp_path / "new")
    for folder in folders:
        _freeze(folder, _FIGURES)
    return folders


def _freeze(folder: Path, figures: object) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "demo.json").write_text(json.dumps(figures), encoding="utf-8")


def test_frozen_figures_are_equal_when_nothing_changed(frozen: tuple[Path, Path]) -> None:
    assert compare(*frozen) == []


def test_frozen_figures_differ_by_measure_and_table_when_changed(
    frozen: tuple[Path, Path],
) -> None:
    changed = {
        "scores": {"rouge.rouge2": {"a": 0.75, "b": 0.5}, "support": {"a": 1.0}},
        "tables": {"leaderboard": {"001 A-RAG": {"Recall": 0.5}}},
    }
    _freeze(frozen[1], changed)
    assert compare(*frozen) == [
        "demo / scores / bertscore: 1 of 1 gone; a: 0.75",
        "demo / scores / rouge.rouge2: 1 of 2 differ (mean 0.375 -> 0.625); a: 0.25 -> 0.75",
        "demo / scores / support: 1 new; a: 1.0",
        "demo / tables / leaderboard: 1 of 2 gone; 002 Naive RAG / Recall: 0.25",
    ]
    assert compare(*frozen, excepted=["demo / scores / *", "* / leaderboard"]) == []


def test_frozen_figures_differ_when_subject_is_missing(frozen: tuple[Path, Path]) -> None:
    (frozen[1] / "demo.json").unlink()
    assert len(compare(*frozen)) == 3


@pytest.mark.parametrize(("tolerance", "count"), [(0.0, 1), (1e-9, 1), (1e-6, 0)])
def test_frozen_figures_are_equal_within_tolerance(
    frozen: tuple[Path, Path], tolerance: float, count: int
) -> None:
    figures = {**_FIGURES, "scores": {**_FIGURES["scores"], "bertscore": {"a": 0.7500002}}}
    _freeze(frozen[1], figures)
    assert len(compare(*frozen, tolerance=tolerance)) == count
