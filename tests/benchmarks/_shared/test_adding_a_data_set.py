"""The worked example of docs/adding-a-data-set.md works as it stands."""

import importlib.util
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from inspect_ai import eval

from arag_inspect.benchmarks import DATASETS
from arag_inspect.cli.main import main
from tests.test_docs import ROOT

PAGE = (ROOT / "docs" / "adding-a-data-set.md").read_text(encoding="utf-8")


def block(language: str, number: int = 0) -> str:
    return str(re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)[number])


@pytest.fixture
def press(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Put the package among the data sets; gives the folder with the data."""
    folder = tmp_path / "press"
    folder.mkdir()
    (folder / "__init__.py").write_text(block("python"))
    (tmp_path / "press.jsonl").write_text(block("json"))
    name = "arag_inspect.benchmarks.press"
    spec = importlib.util.spec_from_file_location(name, folder / "__init__.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    monkeypatch.setitem(DATASETS, "press", name)
    monkeypatch.chdir(tmp_path)
    yield tmp_path


def test_it_is_prepared_and_evaluated(press: Path) -> None:
    prepare, evaluate = block("bash").splitlines()
    done = CliRunner().invoke(main, shlex.split(prepare)[1:], env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    assert re.search(r"aligned exact\s+2", done.output)
    assert "Next: inspect eval arag_inspect/custom -T corpus=press --model MODEL" in done.output
    words = shlex.split(evaluate)
    values = [words[n + 1].split("=") for n, word in enumerate(words) if word == "-T"]
    (log,) = eval(
        words[2],
        task_args=dict(values),
        model=words[-1],
        log_dir=str(press / "logs"),
        display="none",
    )
    assert log.status == "success" and log.samples and len(log.samples) == 2, log.error
    for sample in log.samples:
        assert (sample.scores or {})["retrieval_pr"].as_dict()["recall"] == 1


def test_help_and_errors_come_from_the_declaration(press: Path) -> None:
    listed = CliRunner().invoke(main, ["prepare", "--help"]).output
    assert "press" in listed and "Press releases with questions" in listed
    assert (
        "File of press releases: JSON"
        in CliRunner().invoke(main, ["prepare", "press", "-h"]).output
    )
    (press / "press.jsonl").write_text('{"id": "a"}')
    done = CliRunner().invoke(main, ["prepare", "press", "--file", "press.jsonl"])
    assert done.exit_code == 1 and not (press / "datasets").exists()
    assert done.output.endswith("Error: press.jsonl, row 1: company: Field required; it has id\n")
