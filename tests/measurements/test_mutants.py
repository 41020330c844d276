"""Tests of mutants: each changes one expression and survives renaming its module."""

import ast
from pathlib import Path

import pytest

from measurements import mutants

_MODULE = """
def share(part: int, whole: int) -> float:
    if whole == 0 or part < 0:
        return 0.5
    return part / whole
"""


def test_mutant_is_found_again_when_module_is_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mutants, "_PACKAGE", tmp_path)
    (tmp_path / "old.py").write_text(_MODULE, encoding="utf-8")
    mutants_before = mutants.mutants_of(tmp_path / "old.py")
    operators = {"condition", "boolean", "comparison", "constant", "return", "arithmetic"}
    assert {mutant.operator for mutant in mutants_before} == operators
    (tmp_path / "old.py").rename(tmp_path / "new.py")
    (tmp_path / "new.py").write_text(f"MORE = True\n{_MODULE}", encoding="utf-8")
    source = (tmp_path / "new.py").read_bytes()
    for mutant in mutants_before:
        entry = mutant._asdict() | {"file": str(tmp_path / "old.py")}
        moved = mutants.find(entry)
        assert moved and moved.file.endswith("new.py") and moved.key == mutant.key
        mutated_source = source[: moved.start] + moved.after.encode() + source[moved.end :]
        assert ast.dump(ast.parse(mutated_source)) != ast.dump(ast.parse(source))
    assert mutants.find({**mutants_before[0]._asdict(), "line": "return None"}) is None
