"""Benchmarks by name: the folders beside this file, and entry points of other packages."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import ModuleType

from inspect_ai.util import registry_info

from .._util.discovery import (
    benchmark_names,
    exports_of,
    foreign_benchmarks,
    own_benchmarks,
    registered_kind,
)
from .._util.errors import InputError, check_choice, one_line
from ..benchmark import Benchmark, Dataset


@cache
def import_benchmark(name: str) -> ModuleType:
    """Import a benchmark's module by one of `benchmark_names`.

    Raises:
        InputError: It belongs to another package and cannot be imported.
    """
    if name in own_benchmarks():
        return import_module(f".{name}", __package__)
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
def benchmark_records() -> tuple[Benchmark | Dataset, ...]:
    """Return the records of all benchmarks that can be imported."""
    records: list[Benchmark | Dataset] = []
    for name in benchmark_names():
        if name not in import_failures():
            exported = exports_of(import_benchmark(name)).values()
            records += [record for record in exported if isinstance(record, Benchmark | Dataset)]
    return tuple(records)


def get_dataset(name: str) -> Dataset:
    """Return the record of a data set.

    Raises:
        InputError: The name is unknown, or its module cannot be imported or has no record.
    """
    check_choice("data set", name, benchmark_names())
    for exported_object in exports_of(import_benchmark(name)).values():
        record = getattr(exported_object, "dataset", exported_object)
        if isinstance(record, Dataset):
            return record
    raise InputError(f"benchmark {name} exports neither a Dataset nor a Benchmark in its __all__")


def evaluation_command(dataset: str, evaluation: str) -> str | None:
    """Return the command that evaluates a data set; None if no benchmark has a task for it.

    Args:
        dataset: Name of the data set.
        evaluation: Task and parameters, as `Dataset.evaluation` returns them.
    """
    task, space, parameters = evaluation.partition(" ")
    candidates = [task, *_benchmarks_of(dataset)]
    registered_names = _registered_tasks()
    for name in candidates:
        if name in registered_names:
            return f"inspect eval {registered_names[name]}{space}{parameters}"
    return None


def _benchmarks_of(dataset: str) -> list[str]:
    """Return the names of the benchmarks that ask about a data set."""
    benchmarks = [record for record in benchmark_records() if isinstance(record, Benchmark)]
    return [benchmark.name for benchmark in benchmarks if benchmark.dataset.name == dataset]


def _registered_tasks() -> dict[str, str]:
    """Return Inspect's name of each task, such as `my_package/releases`, by its own name."""
    tasks: dict[str, str] = {}
    for benchmark in benchmark_names():
        if benchmark in import_failures():
            continue
        for name, exported in exports_of(import_benchmark(benchmark)).items():
            if registered_kind(exported) == "task":
                tasks.setdefault(name, registry_info(exported).name)
    return tasks
