"""Tests of counting the package's size and structure, and of its targets."""

from pathlib import Path

import pytest

from measurements.hidden_imports import (
    circles,
    configuring_variables,
    foreign_globals,
    named_modules,
)
from measurements.scorer_names import scorer_mentions
from measurements.size import PACKAGE, measure, shape_rows

REACHED = {
    "circles of modules",
    "strings that name a module",
    "ContextVars with parameters",
    "globals changed by another module",
    "names of benchmark folders elsewhere",
    "scorer names in report",
    "scorer names in stats",
    "scorer names in run",
    "scorer names in cli",
    "functions over 50 lines",
    "comprehensions of 8 lines or more",
    "`own` as a name",
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with an example of each lazy import that import-linter misses, and a cycle."""
    sources = {
        "__init__": "",
        "registry": "NAMES: dict[str, str] = {}\nHOOKS: list[str] = []\n",
        "first": "from . import second\n",
        "second": "def late():\n    from .first import second\n",
        "plugin": (
            "from contextvars import ContextVar\n"
            "from .registry import HOOKS, NAMES\n"
            'NAMES["a"] = "b"\n'
            'HOOKS.append(f"{__name__}:run")\n'
            "_given: ContextVar[dict[str, int]] = ContextVar('given')\n"
            "_call: ContextVar[int] = ContextVar('call')\n"
            "text = 'note: this'\n"
        ),
    }
    folder = tmp_path / "sample"
    folder.mkdir()
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
    return folder


def test_hidden_dependencies_are_listed_by_kind(package: Path) -> None:
    assert circles(package) == ["2 modules: sample.first, sample.second"]
    assert [place.split()[-1] for place in named_modules(package)] == ["sample.plugin:run"]
    assert [place.split()[-1] for place in configuring_variables(package)] == ["_given"]
    changed_globals = [place.split(maxsplit=1)[1] for place in foreign_globals(package)]
    assert changed_globals == ["sample.registry: NAMES", "sample.registry: HOOKS"]


def test_size_counts_dense_code_and_vague_names(tmp_path: Path) -> None:
    path = tmp_path / "dense.py"
    long_list = "values = [\n    own\n" + "\n" * 4 + "    for own in ()\n]\n"
    long_function = "def long():\n" + "    pass\n" * 50
    path.write_text(f'"""Say so."""\n# why\n{long_list}{long_function}', encoding="utf-8")
    size = measure(path)
    assert size.code_lines == 4 + 51
    assert len(size.long_comprehensions) == len(size.vague_names) == len(size.long_functions) == 1


def test_reached_size_targets_stay_reached() -> None:
    by_name = {row.name: row for row in shape_rows()}
    assert by_name.keys() >= REACHED
    assert {name: by_name[name].places for name in REACHED if by_name[name].today} == {}
    assert scorer_mentions(PACKAGE, "measures")  # the count itself works
