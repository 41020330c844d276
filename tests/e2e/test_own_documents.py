"""A user's own documents: what is typed, and what is shown."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arag_inspect.cli.main import main


def type_(line: str) -> Result:
    return CliRunner().invoke(main, line.split(), env={"COLUMNS": "200"})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("own")
    (root / "docs").mkdir()
    (root / "docs" / "zorg.txt").write_text("Zorg makes pumps.")
    (root / "docs" / "bad.txt").write_bytes(b"caf\xe9")
    lost = "A sentence \x1b[31m that stands in none of the documents, however long one looks."
    rows = [
        {"id": 1, "question": "What?", "answer": "pumps", "evidence": ["Zorg makes pumps.", lost]}
    ]
    (root / "q.json").write_text(json.dumps(rows))
    return root


def test_prepare_then_export(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    shown = type_("prepare custom --documents docs --questions q.json --name mine")
    assert shown.exit_code == 0, shown.output
    assert "Skipped:\n  bad.txt: is not UTF-8 text; save it as UTF-8" in shown.output
    assert "  1: A sentence [31m that stands in none of the documents" in shown.output
    assert "Next: inspect eval arag_inspect/custom -T corpus=mine --model MODEL" in shown.output
    assert type_("corpus export mine --format arag -o out").output.startswith("Wrote out\n")
    assert json.loads((folder / "out" / "chunks.json").read_text()) == [
        "0:[DOCUMENT: zorg.txt] Zorg makes pumps."
    ]
    again = type_("corpus export mine --format arag -o out")
    assert again.exit_code == 1 and "exists and is not empty" in again.output


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "prepare custom --questions q.json",
            "give one of --documents DIR, --chunks FILE and --corpus NAME",
        ),
        (
            "prepare custom --documents docs --corpus c --questions q.json",
            "give one of --documents DIR, --chunks FILE and --corpus NAME",
        ),
        ("prepare custom --corpus nothing --questions q.json", "no prepared corpus at"),
        (
            "prepare custom --documents docs --questions q.json --gold g",
            "--gold goes with --chunks",
        ),
        ("prepare custom --documents docs --questions q.json --name ../x", "is not a plain name"),
        (
            "prepare custom --documents docs --questions q.json --name=-x",
            "'-x' is not a plain name",
        ),
        ("prepare custom --documents docs --questions q.json --name a*b", "is not a plain name"),
        (
            f"prepare custom --documents docs --questions q.json --name {'x' * 300}",
            "is not a plain name",
        ),
        (
            f"prepare custom --documents docs --questions q.json --out {'x' * 250}",
            "is too long; give another --out",
        ),
        ("prepare custom --documents docs", "Missing option '--questions'"),
        ("prepare finqa --source nowhere", "--source is the root of a copy of https://github.com"),
        ("prepare finder --source nowhere", "--source is that file or the root of a copy"),
        ("prepare docfinqa --split dev --source .", "dev.json is missing"),
        ("corpus export nothing -o x", "no prepared corpus at"),
    ],
)
def test_mistakes_are_one_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, line: str, message: str
) -> None:
    monkeypatch.chdir(folder)
    shown = type_(line)
    assert shown.exit_code != 0 and message in shown.output
    assert shown.output.strip().splitlines()[-1].startswith("Error: ")
