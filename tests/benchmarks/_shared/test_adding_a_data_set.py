"""The worked example of docs/adding-a-data-set.md works as it stands."""

import re
import shlex
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from tests.benchmarks.copies import call, copy_package
from tests.test_docs import ROOT

PAGE = (ROOT / "docs" / "adding-a-data-set.md").read_text(encoding="utf-8")


def block(language: str, number: int = 0) -> str:
    return str(re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)[number])


@pytest.fixture(scope="module")
def press(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the package that has the example's folder, and its data."""
    root = tmp_path_factory.mktemp("press")
    folder = copy_package(root) / "benchmarks" / "press"
    folder.mkdir()
    (folder / "__init__.py").write_text(block("python"))
    (root / "press.jsonl").write_text(block("json"))
    return root


def test_example_is_prepared_and_evaluated(press: Path) -> None:
    prepare, evaluate = block("bash").splitlines()
    done = call(press, *shlex.split(prepare))
    assert done.returncode == 0, done.stderr
    assert re.search(r"aligned exact\s+2", done.stdout)
    assert "Next: inspect eval arag_inspect/custom -T corpus=press --model MODEL" in done.stdout
    done = call(press, *shlex.split(evaluate), "--log-dir", "logs", "--display", "none")
    assert done.returncode == 0, done.stderr
    (path,) = (press / "logs").glob("*.eval")
    log = read_eval_log(str(path))
    assert log.status == "success" and log.samples and len(log.samples) == 2, log.error
    for sample in log.samples:
        assert (sample.scores or {})["retrieval_pr"].as_dict()["recall"] == 1


def test_help_and_errors_come_from_the_declaration(press: Path) -> None:
    help_text = call(press, "arag-inspect", "prepare", "press", "-h").stdout
    assert "File of press releases: JSON" in help_text
    (press / "damaged.jsonl").write_text('{"id": "a"}')
    done = call(
        press, "arag-inspect", "prepare", "press", "--file", "damaged.jsonl", "--out", "none"
    )
    assert done.returncode == 1 and not (press / "none").exists()
    assert done.stderr.endswith("Error: damaged.jsonl, row 1: company: Field required; it has id\n")
