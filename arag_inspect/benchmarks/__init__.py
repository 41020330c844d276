"""Benchmarks, one folder each: a reader, prompts, and the record with its task."""

from typing import Any, Literal

from .._util.discovery import exports_of, import_benchmark, own_benchmarks, registered_kind
from ..benchmark import Dataset, SourceData, dataset_names, get_dataset
from ..benchmark.prepare import Options, Prepared, prepare_dataset
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
    "dataset_names",
    "export_arag",
    "exports",
    "get_dataset",
    "prepare_dataset",
    "text_folder",
]


def exports(kind: Literal["task", "solver", "scorer"]) -> dict[str, Any]:
    """Return the tasks, solvers or scorers that the folders list in `__all__`, by name."""
    exported: dict[str, Any] = {}
    for folder in own_benchmarks():
        for name, value in exports_of(import_benchmark(folder)).items():
            if registered_kind(value) == kind:
                exported[name] = value
    return exported
