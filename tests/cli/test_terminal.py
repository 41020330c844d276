"""What files hold reaches the terminal as text, never as orders to it."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from arag_inspect._util.errors import printable
from arag_inspect.cli.main import main

_ESCAPE = "\x1b]0;owned\x07\x1b[2J"


@pytest.mark.parametrize("value", [f"make {_ESCAPE}", "\u202egnp.exe\x9b2J", "x" * 3_000_000])
def test_a_manifest_cannot_write_to_the_terminal(
    tmp_path: Path, synthetic_folder: Path, value: str
) -> None:
    folder = shutil.copytree(synthetic_folder, tmp_path / "corpus")
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    manifest["command"] = value
    manifest["files"] = dict.fromkeys(manifest["files"], "0" * 64)
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    command = ["export", "corpus", "-o", str(tmp_path / "out")]
    shown = CliRunner().invoke(main, command, env={"ARAG_DATASETS": str(tmp_path)})
    assert shown.exit_code == 1
    assert "prepare the corpus again with" in shown.output
    assert len(shown.output) < 2_100
    assert all(sign == "\n" or sign.isprintable() for sign in shown.output)


def test_texts_are_cut_in_the_middle() -> None:
    text = printable("first " + "word " * 10_000 + "last")
    assert len(text) <= 2_000
    assert text.startswith("first word") and text.endswith("word last")
    assert printable("Größe\t日本\n👩‍💻") == "Größe\t日本\n👩‍💻"
