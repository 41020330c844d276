"""Tests of the names exported by `arag_inspect`."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import arag_inspect

STANDARD = sys.stdlib_module_names


def test_package_import_loads_only_standard_library() -> None:
    code = (
        "import sys; before = {*sys.modules}; import arag_inspect; print(*{*sys.modules} - before)"
    )
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in child.stdout.split()}
    assert loaded - STANDARD == {"arag_inspect"}


@pytest.mark.parametrize("name", dir(arag_inspect))
def test_public_names_exist_and_are_documented(name: str) -> None:
    value = getattr(arag_inspect, name)
    page = Path("docs/api.md").read_text(encoding="utf-8")
    assert re.search(rf"^\| `{name}` \| .+ \|$", page, re.MULTILINE)
    assert name == "MEASURES" or value.__doc__
    assert not str(value.__doc__).startswith(f"{name}(")  # as a generated docstring does


def test_unknown_name_raises_import_error() -> None:
    with pytest.raises(ImportError, match="cannot import name 'nonsense'"):
        exec("from arag_inspect import nonsense")
