"""The worked example of docs/adding-a-data-set.md works as it stands."""

import re
import shlex
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from tests.benchmarks.copies import Typed, copy_package, type_all
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
    (root / "damaged.jsonl").write_text('{"id": "a"}')
    return root


@pytest.fixture(scope="module")
def commands(press: Path) -> list[Typed]:
    prepare, evaluate = (shlex.split(line) for line in block("bash").splitlines())
    damaged = "arag-inspect prepare press --file damaged.jsonl --out none"
    return type_all(
        press,
        prepare,
        [*evaluate, "--log-dir", "logs", "--display", "none"],
        ["arag-inspect", "prepare", "press", "-h"],
        damaged.split(),
    )


def test_example_is_prepared_and_evaluated(press: Path, commands: list[Typed]) -> None:
    prepared, evaluated, *_ = commands
    assert prepared.code == 0, prepared.stderr
    assert re.search(r"aligned exact\s+2", prepared.stdout)
    following = "Next: inspect eval arag_inspect/custom -T corpus=press --model MODEL"
    assert following in prepared.stdout
    assert evaluated.code == 0, evaluated.stderr
    (path,) = (press / "logs").glob("*.eval")
    log = read_eval_log(str(path))
    assert log.status == "success" and log.samples and len(log.samples) == 2, log.error
    for sample in log.samples:
        assert (sample.scores or {})["retrieval_pr"].as_dict()["recall"] == 1


def test_help_and_errors_come_from_the_declaration(press: Path, commands: list[Typed]) -> None:
    *_, described, refused = commands
    assert "File of press releases: JSON" in described.stdout
    assert refused.code == 1 and not (press / "none").exists()
    reason = "Error: damaged.jsonl, row 1: company: Field required; it has id\n"
    assert refused.stderr.endswith(reason)
