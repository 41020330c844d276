"""Benchmark harness for Inspect AI: retrieval systems that summarise long financial documents.

The names that a notebook needs are here, each imported when it is first used; `__init__.pyi` says
from where. Scorers, solvers, tasks and tools are in submodules of these names, as in Inspect.
"""

import sys
from functools import cache
from typing import Any

from ._util.provided import DATASETS, DECLARED_MEASURES
from .types.additions import ADDITIONS

if sys.flags.optimize > 1:
    raise SystemExit(
        "Error: arag-inspect, Inspect and transformers read docstrings, which python -OO and "
        "PYTHONOPTIMIZE=2 remove; use -O or neither"
    )


@ADDITIONS.made_by
def _additions() -> Any:
    from .benchmarks import benchmark_records

    return benchmark_records()


@DATASETS.made_by
def _datasets() -> Any:
    from .benchmarks import dataset_records

    return dataset_records()


@DECLARED_MEASURES.made_by
def _declared_measures() -> Any:
    from .scorers import MEASURES

    return MEASURES


@cache
def _sources() -> dict[str, tuple[str, str]]:
    """Return the module of each public name and its name there, as `__init__.pyi` has it."""
    import ast
    from pathlib import Path

    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    sources = {}
    for statement in stub.body:
        if isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                sources[alias.asname or alias.name] = (f".{statement.module}", alias.name)
    return sources


def __getattr__(name: str) -> Any:
    """Import a public name from its module."""
    from importlib import import_module

    if name == "__all__":  # what `help(arag_inspect)` shows
        return __dir__()
    if name not in _sources():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, name_there = _sources()[name]
    value = globals()[name] = getattr(import_module(module, __name__), name_there)
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return [*_sources()]
