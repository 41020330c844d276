"""A benchmark is one folder and one line: without them the rest works."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.test_docs import ROOT

ASK = """
from arag_inspect import _registry, scorers, solvers, tasks
from arag_inspect.benchmarks import dataset_names
import arag_inspect
print(arag_inspect.__file__)
print(*scorers.__all__, *solvers.__all__, *tasks.__all__, *dataset_names())
"""


def test_the_rest_works_without_the_benchmarks(tmp_path: Path) -> None:
    """That they are independent of each other is a contract of the imports."""
    package = tmp_path / "arag_inspect"
    shutil.copytree(ROOT / "arag_inspect", package)
    registry = package / "_registry.py"
    text = registry.read_text()
    for benchmark in ("advisor", "legal", "perspectives"):
        shutil.rmtree(package / "benchmarks" / benchmark)
        assert text.count(f'"{benchmark}",') == 1
        text = text.replace(f'"{benchmark}",', "")
    registry.write_text(text)
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    place, names = done.stdout.splitlines()
    assert Path(place).is_relative_to(tmp_path)
    assert {"ectsum", "arag", "rouge"} <= {*names.split()}
    gone = {"advisor", "extract_facts", "client_file", "legal_cases", "composite_faithfulness"}
    assert not {*gone, "perspectives", "multi_perspective", "evidence_support"} & {*names.split()}
