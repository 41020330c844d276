"""Benchmarks by name: the folders of `arag_inspect/benchmarks`, and entry points of other packages.

Layers below the benchmarks cannot import them; they look up a benchmark's additions here.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, Protocol, runtime_checkable

from inspect_ai.util import registry_info

from .errors import InputError, one_line

GROUP = "arag_inspect.benchmarks"
"""Entry-point group in which other packages list their benchmarks; each points to a module."""

_PACKAGE = f"{__name__.partition('.')[0]}.benchmarks"
_ROOM = Path(__file__).parents[1] / "benchmarks"


@runtime_checkable
class Additions(Protocol):
    """Additions of a benchmark's record (`arag_inspect.benchmark.Benchmark`) to lower layers."""

    @property
    def style(self) -> str:
        """Kind of answer for which it declares primary measures and groups."""

    @property
    def primary(self) -> Sequence[Sequence[str]]:
        """Groups of primary measures, best first."""

    @property
    def group(self) -> str:
        """Noun for the `company` of its samples."""

    @property
    def tables(self) -> Callable[[], Any] | None:
        """Returns tables of a report by section."""

    @property
    def charts(self) -> Mapping[str, Callable[..., Any]]:
        """Functions that draw charts, by the section of the tables that they draw."""

    @property
    def exports(self) -> Mapping[str, Callable[..., Any]]:
        """Functions that write records of a run, by file name in a report."""

    @property
    def fact_reader(self) -> Callable[..., Any] | None:
        """Reads the facts of the objects that it recognises in a JSON answer."""


@cache
def own_benchmarks() -> tuple[str, ...]:
    """Return the names of this package's benchmarks: those of the folders, without `_shared`."""
    folders = iter_modules([str(_ROOM)])
    return tuple(folder.name for folder in folders if not folder.name.startswith("_"))


@cache
def foreign_benchmarks() -> Mapping[str, EntryPoint]:
    """Return the entry points of other packages by name; a name of this package's is ignored."""
    entries = entry_points(group=GROUP)
    return {entry.name: entry for entry in entries if entry.name not in own_benchmarks()}


def benchmark_names() -> list[str]:
    """Return the names of all benchmarks, without importing them."""
    return [*own_benchmarks(), *foreign_benchmarks()]


@cache
def import_benchmark(name: str) -> ModuleType:
    """Import a benchmark's module by one of `benchmark_names`.

    Raises:
        InputError: It belongs to another package and cannot be imported.
    """
    if name in own_benchmarks():
        return import_module(f"{_PACKAGE}.{name}")
    entry = foreign_benchmarks()[name]
    try:
        module = import_module(entry.module)
        exports_of(module)  # detects a name in `__all__` that it lacks
        return module
    except Exception as error:
        reason = f"{type(error).__name__}: {one_line(error)}"
        raise InputError(
            f"benchmark {name} ({entry.value}) cannot be imported: {reason}"
        ) from error


@cache
def import_failures() -> Mapping[str, str]:
    """Return why benchmarks of other packages cannot be imported, by name."""
    failures = {}
    for name in foreign_benchmarks():
        try:
            import_benchmark(name)
        except InputError as error:
            failures[name] = error.message
    return failures


@cache
def additions() -> tuple[Additions, ...]:
    """Return the records of all benchmarks that can be imported."""
    records: list[Additions] = []
    for name in benchmark_names():
        if name not in import_failures():
            exported = exports_of(import_benchmark(name)).values()
            records += [record for record in exported if isinstance(record, Additions)]
    return tuple(records)


def registered_kind(value: object) -> str | None:
    """Return the type under which Inspect knows an object, e.g. `scorer`; None if it does not."""
    if not callable(value):
        return None
    try:
        return registry_info(value).type
    except ValueError:
        return None


def exports_of(module: ModuleType) -> dict[str, Any]:
    """Return the objects in a module's `__all__`, or else its public ones, by name."""
    public = [name for name in vars(module) if not name.startswith("_")]
    return {name: getattr(module, name) for name in getattr(module, "__all__", public)}


@cache
def prompt_folders() -> tuple[Path, ...]:
    """Return the folder `prompts` beside the record of each benchmark that has one."""
    folders = [_ROOM / name / "prompts" for name in own_benchmarks()]
    for entry in foreign_benchmarks().values():
        folders += [location / "prompts" for location in _locations(entry)]
    return tuple(folder for folder in folders if folder.is_dir())


def _locations(entry: EntryPoint) -> list[Path]:
    """Return the folder of another package's benchmark, without importing the benchmark itself."""
    try:
        spec = find_spec(entry.module)
    except Exception:  # of a parent package; `import_failures` says why
        return []
    return [Path(folder) for folder in (spec and spec.submodule_search_locations) or ()]
