"""Tests that the package works without a deleted benchmark folder and its root stubs."""

import shutil
from pathlib import Path

from tests.benchmarks.copies import copy_package, run_python

ASK = """
from arag_inspect import _registry, scorers, solvers, tasks
from arag_inspect.benchmarks import benchmark_names
from arag_inspect.types.additions import ADDITIONS
import arag_inspect
print(arag_inspect.__file__)
print(*scorers.__all__, *solvers.__all__, *tasks.__all__, *benchmark_names())
print(*(record.name for record in ADDITIONS.value))
"""


def test_package_imports_without_deleted_benchmarks(tmp_path: Path) -> None:
    """Import contracts check separately that benchmarks are independent of each other."""
    package = copy_package(tmp_path)
    for benchmark in ("advisor", "legal", "perspectives"):
        shutil.rmtree(package / "benchmarks" / benchmark)
    place, names, records = run_python(tmp_path, ASK).splitlines()
    assert Path(place).is_relative_to(tmp_path)
    assert {"ectsum", "arag", "rouge"} <= {*names.split()} and "ectsum" in records.split()
    gone = {"advisor", "extract_facts", "client_file", "legal_cases", "composite_faithfulness"}
    assert not {*gone, "perspectives", "multi_perspective", "evidence_support"} & {*names.split()}


def test_legal_benchmark_is_not_mentioned_outside_own_folder(tmp_path: Path) -> None:
    package = copy_package(tmp_path)
    shutil.rmtree(package / "benchmarks" / "legal")
    names = ("benchmarks.legal", "legal_cases", "composite_faithfulness", '"legal"')
    traces = []
    for path in sorted(package.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        traces += [f"{path.relative_to(package)}: {name}" for name in names if name in text]
    assert not traces
