"""The data sets of this package, by name."""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from .._util.errors import InputError, check_choice
from .._util.registry import load_registry
from . import sources
from .prepare import Options, Prepared, prepare_corpus
from .spec import DatasetSpec

DATASETS = {module.name: f".sources.{module.name}" for module in iter_modules(sources.__path__)}
"""Module with the `DATASET` of each name: those of `sources`, and what a benchmark adds."""


def dataset_names() -> list[str]:
    """Return the names of all data sets, those of benchmarks included."""
    load_registry()
    return list(DATASETS)


def get_dataset(name: str) -> DatasetSpec:
    """Return the declaration of a data set.

    Raises:
        InputError: The name is unknown.
    """
    check_choice("data set", name, dataset_names())
    spec: DatasetSpec = import_module(DATASETS[name], __package__).DATASET
    return spec


def prepare_dataset(name: str, /, *, options: Options = Options(), **arguments: Any) -> Prepared:
    """Read a data set and prepare its corpus.

    Args:
        name: Name of the data set, e.g. `finqa`.
        options: How to chunk and embed.
        **arguments: Arguments of the data set's reader, e.g. `split="dev"`.

    Raises:
        InputError: The name is unknown, or something is wrong with the source or the model.
    """
    spec = get_dataset(name)
    if spec.read is None:
        raise InputError(f"{name} needs no preparation; run: inspect eval arag_inspect/{name}")
    return prepare_corpus(spec, spec.read(**arguments), options)
