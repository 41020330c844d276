"""Tests of the documented examples of other tools' files, run with their commands."""

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.commands import call

PAGE = Path(__file__).parents[3] / "docs" / "from-other-tools.md"
ABOUT = "Acme's revenue was $12 million in 2025. Marn & Toll audit Acme."


class Example(NamedTuple):
    title: str
    file: str
    content: str
    command: str
    printed: str
    """Expected output of the command; empty if the page does not show it."""


def examples() -> list[Example]:
    """Return every example on the page."""
    text = PAGE.read_text(encoding="utf-8").partition("\n## Examples\n")[2].partition("\n## ")[0]
    shown = []
    for block in text.split("\n### ")[1:]:
        title = block.partition("\n")[0]
        fences = re.findall(r"```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)```", block, re.DOTALL)
        ((file, content),) = [(name, body) for _, name, body in fences if name]
        (command,) = [body for kind, _, body in fences if kind == "bash"]
        printed = "".join(body for kind, _, body in fences if kind == "text")
        shown.append(Example(title, file, content, command.strip(), printed.strip()))
    return shown


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.title)
def test_documented_file_is_read_by_its_documented_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, example: Example
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARAG_DATASETS", str(tmp_path / "datasets"))
    (tmp_path / "filings").mkdir()
    (tmp_path / "filings" / "acme.txt").write_text(ABOUT)
    (tmp_path / example.file).write_text(example.content)
    shown = call(example.command.removeprefix("arag-inspect ")).output
    assert example.printed in shown
    if example.printed:
        assert list((tmp_path / "logs").rglob("*.eval"))
        return
    (file,) = tmp_path.rglob("samples.jsonl")
    (sample,) = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    assert "Acme" in sample["input"] and sample["target"] == "$12 million"


def test_every_kind_of_file_has_an_example() -> None:
    assert len(examples()) == 13
