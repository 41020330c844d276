"""Benchmarks by name: the folders beside this file, and entry points of other packages."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from types import ModuleType

from inspect_ai import Task
from inspect_ai.util import registry_info

from arag_inspect._util.discovery import (
    benchmark_names,
    exports_of,
    foreign_benchmarks,
    registered_kind,
    shipped_benchmarks,
)
from arag_inspect._util.errors import InputError, check_choice, one_line
from arag_inspect.benchmark import Benchmark, Dataset


@cache
def import_benchmark(name: str) -> ModuleType:
    """Import a benchmark's module by one of `benchmark_names`.

    Raises:
        InputError: It belongs to another package and cannot be imported.
    """
    if name in shipped_benchmarks():
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
def benchmark_records() -> tuple[Benchmark, ...]:
    """Return the records of all benchmarks that can be imported."""
    return tuple(value for value in _exported_values() if isinstance(value, Benchmark))


@cache
def dataset_records() -> tuple[Dataset, ...]:
    """Return the data sets of all benchmarks that can be imported."""
    datasets = map(_dataset_of, _exported_values())
    return tuple(dataset for dataset in datasets if dataset is not None)


def get_dataset(name: str) -> Dataset:
    """Return the record of a data set.

    Raises:
        InputError: The name is unknown, or its module cannot be imported or has no record.
    """
    check_choice("data set", name, benchmark_names())
    for dataset in map(_dataset_of, exports_of(import_benchmark(name)).values()):
        if dataset is not None:
            return dataset
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


def _exported_values() -> Iterator[object]:
    """Yield the exports of all benchmarks that can be imported."""
    for name in benchmark_names():
        if name not in import_failures():
            yield from exports_of(import_benchmark(name)).values()


def _dataset_of(value: object) -> Dataset | None:
    """Return the data set of an export, itself or of a benchmark; None for other exports."""
    if isinstance(value, Benchmark):
        return value.dataset
    return value if isinstance(value, Dataset) else None
