"""Benchmarks, one folder each: a reader, prompts, and the record with its task."""

from typing import Any, Literal

from arag_inspect._util.discovery import (
    benchmark_names,
    exports_of,
    registered_kind,
    shipped_benchmarks,
)
from arag_inspect._util.errors import InputError
from arag_inspect.benchmark import Dataset, SourceData
from arag_inspect.benchmark.prepare import Options, Prepared, prepare_corpus

from ._find import (
    benchmark_records,
    dataset_records,
    evaluation_command,
    foreign_tasks,
    get_dataset,
    import_benchmark,
)
from ._shared.arag_format import export_arag
from ._shared.question_set import Question, QuestionSet
from ._shared.text_folder import text_folder

__all__ = [
    "Dataset",
    "Options",
    "Prepared",
    "Question",
    "QuestionSet",
    "SourceData",
    "benchmark_names",
    "benchmark_records",
    "dataset_records",
    "evaluation_command",
    "export_arag",
    "exports",
    "foreign_tasks",
    "get_dataset",
    "prepare_dataset",
    "text_folder",
]


def exports(kind: Literal["task", "solver", "scorer"]) -> dict[str, Any]:
    """Return the tasks, solvers or scorers that the folders list in `__all__`, by name."""
    exported: dict[str, Any] = {}
    for folder in shipped_benchmarks():
        for name, value in exports_of(import_benchmark(folder)).items():
            if registered_kind(value) == kind:
                exported[name] = value
    return exported


def prepare_dataset(name: str, /, *, options: Options = Options(), **arguments: Any) -> Prepared:
    """Read a data set and prepare its corpus.

    Args:
        name: Name of the data set, e.g. `finqa`.
        options: How to chunk and embed.
        **arguments: Arguments of the data set's reader, e.g. `split="dev"`.

    Raises:
        InputError: The name is unknown, or the source or the model is invalid.
    """
    spec = get_dataset(name)
    if spec.read is None:
        command = evaluation_command(spec.task)
        raise InputError(f"{name} needs no preparation" + (f"; run: {command}" if command else ""))
    return prepare_corpus(spec, spec.read(**arguments), options)
