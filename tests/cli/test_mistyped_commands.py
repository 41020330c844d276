"""Tests that a mistyped command gives a one-line error and leaves no files."""

import json
import shlex
from pathlib import Path

import pytest

import tests.scripted  # noqa: F401  # its judge
from tests.commands import call
from tests.tables import tables_beside

TABLES = tables_beside(__file__)


@pytest.mark.parametrize(("line", "message"), TABLES["mistakes"])
def test_command_line_mistake_is_reported_in_one_line(
    synthetic_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, message: str
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "zorg.txt").write_text("Zorg makes pumps.")
    (tmp_path / "q.json").write_text(json.dumps([{"id": 1, "question": "What?", "answer": "-"}]))
    monkeypatch.chdir(tmp_path)
    result = call(*shlex.split(line.replace("CORPUS", str(synthetic_folder))), code=None)
    *others, last = result.output.strip().splitlines()
    assert last.startswith("Error: ") and message in last
    assert result.exit_code == 2 or (result.exit_code, others) == (1, [])
    files = {path.name for path in tmp_path.rglob("[!.]*") if path.is_file()}
    assert files == {"zorg.txt", "q.json"}
