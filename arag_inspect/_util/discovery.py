"""Names and folders of this and other packages' benchmarks, without importing them."""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from inspect_ai.util import registry_info

_GROUP = "arag_inspect.benchmarks"
"""Entry-point group in which other packages list their benchmarks; each points to a module."""

_ROOM = Path(__file__).parents[1] / "benchmarks"


@cache
def shipped_benchmarks() -> tuple[str, ...]:
    """Return the names of this package's benchmarks: the folders except `_shared`."""
    folders = iter_modules([str(_ROOM)])
    return tuple(folder.name for folder in folders if not folder.name.startswith("_"))


@cache
def foreign_benchmarks() -> Mapping[str, EntryPoint]:
    """Return the entry points of other packages by name, without names of this package."""
    entries = entry_points(group=_GROUP)
    return {entry.name: entry for entry in entries if entry.name not in shipped_benchmarks()}


def benchmark_names() -> list[str]:
    """Return the names of all benchmarks, without importing them."""
    return [*shipped_benchmarks(), *foreign_benchmarks()]


def registered_kind(value: object) -> str | None:
    """Return the type of an object in Inspect's registry, e.g. `scorer`; None if unregistered."""
    if not callable(value):
        return None
    try:
        return registry_info(value).type
    except ValueError:
        return None


def exports_of(module: ModuleType) -> dict[str, Any]:
    """Return the objects in a module's `__all__`, else its public objects, by name."""
    public = [name for name in vars(module) if not name.startswith("_")]
    return {name: getattr(module, name) for name in getattr(module, "__all__", public)}


@cache
def prompt_folders() -> tuple[Path, ...]:
    """Return the folders `prompts` next to the records of benchmarks."""
    folders = [_ROOM / name / "prompts" for name in shipped_benchmarks()]
    for entry in foreign_benchmarks().values():
        folders += [location / "prompts" for location in _locations(entry)]
    return tuple(folder for folder in folders if folder.is_dir())


def _locations(entry: EntryPoint) -> list[Path]:
    """Return the folder of another package's benchmark, without importing the benchmark itself."""
    try:
        spec = find_spec(entry.module)
    except Exception:  # of a parent package; importing the benchmark says why
        return []
    return [Path(folder) for folder in (spec and spec.submodule_search_locations) or ()]
