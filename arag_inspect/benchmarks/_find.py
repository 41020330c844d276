"""Benchmarks by name: the folders beside this file, and entry points of other packages."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from types import ModuleType

from inspect_ai import Task
from inspect_ai.util import registry_info

from arag_inspect._util.discovery import (
    benchmark_names,
    exports_of,
    foreign_benchmarks,
    own_benchmarks,
    registered_kind,
)
from arag_inspect._util.errors import InputError, check_choice, one_line
from arag_inspect.benchmark import Benchmark, Dataset


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


@cache
def foreign_tasks() -> Mapping[str, Callable[..., Task]]:
    """Return the tasks of other packages that can be imported, by name without the package."""
    tasks = {}
    for benchmark in foreign_benchmarks():
        if benchmark not in import_failures():
            for name, exported in exports_of(import_benchmark(benchmark)).items():
                if registered_kind(exported) == "task":
                    tasks[name] = exported
    return tasks


def evaluation_command(evaluation: str) -> str | None:
    """Return the command that evaluates a data set; None if no benchmark has the task.

    Args:
        evaluation: Task and parameters, as `Dataset.evaluation` returns them.
    """
    task, space, parameters = evaluation.partition(" ")
    for benchmark in benchmark_names():
        if benchmark not in import_failures():
            exported = exports_of(import_benchmark(benchmark)).get(task)
            if registered_kind(exported) == "task":
                return f"inspect eval {registry_info(exported).name}{space}{parameters}"
    return None
