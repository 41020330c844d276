"""A benchmark is one folder and one line: without them the rest works."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_docs import ROOT

ASK = """
from arag_inspect import _registry, scorers, solvers, tasks
from arag_inspect.datasets import dataset_names
import arag_inspect
print(arag_inspect.__file__)
print(*scorers.__all__, *solvers.__all__, *tasks.__all__, *dataset_names())
"""


@pytest.mark.parametrize(
    ("benchmark", "gone"),
    [
        ("advisor", {"advisor", "advisor_facts", "extract_facts", "value_history"}),
        ("legal", {"legal", "legal_cases", "composite_faithfulness"}),
        ("perspectives", {"perspectives", "multi_perspective", "evidence_support"}),
    ],
)
def test_without_a_benchmark(benchmark: str, gone: set[str], tmp_path: Path) -> None:
    package = tmp_path / "arag_inspect"
    shutil.copytree(ROOT / "arag_inspect", package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.rmtree(package / "sisters" / benchmark)
    registry = package / "_registry.py"
    lines = registry.read_text().splitlines(keepends=True)
    kept = [line for line in lines if line.strip() != f'"{benchmark}",']
    assert len(kept) == len(lines) - 1
    registry.write_text("".join(kept))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    place, names = done.stdout.splitlines()
    assert Path(place).is_relative_to(tmp_path)
    assert not gone & {*names.split()} and {"ectsum", "arag", "rouge"} <= {*names.split()}
