"""Tests that each tool's question sets, results and traces are read as they are."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands import call
from tests.tables import tables_beside

FILES = tables_beside(__file__)
ABOUT = "Acme's revenue was $12 million in 2025. Marn & Toll audit Acme."


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Working directory with the documents that the question sets are about."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARAG_DATASETS", str(tmp_path / "datasets"))
    (tmp_path / "filings").mkdir()
    (tmp_path / "filings" / "acme.txt").write_text(ABOUT)
    return tmp_path


def read(file: dict[str, Any]) -> str:
    """Write a file, run its command and return what the command prints."""
    Path(file["file"]).write_text(file["content"])
    return call(file["command"].removeprefix("arag-inspect ")).output


@pytest.mark.parametrize(
    "file", [file for file in FILES if "printed" not in file], ids=lambda file: file["title"]
)
def test_question_set_becomes_samples(folder: Path, file: dict[str, Any]) -> None:
    read(file)
    (path,) = folder.rglob("samples.jsonl")
    (sample,) = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert "Acme" in sample["input"] and sample["target"] == "$12 million"


@pytest.mark.parametrize(
    "file", [file for file in FILES if "printed" in file], ids=lambda file: file["title"]
)
def test_results_and_traces_become_logs(folder: Path, file: dict[str, Any]) -> None:
    assert file["printed"] in read(file)
    assert list((folder / "logs").rglob("*.eval"))
