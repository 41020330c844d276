"""Data sets and benchmarks by name."""

from .._util.discovery import benchmark_names, exports_of, import_benchmark
from .._util.errors import InputError, check_choice
from .dataset import Dataset


def dataset_names() -> list[str]:
    """Return the names of all data sets, those of other packages last."""
    return benchmark_names()


def get_dataset(name: str) -> Dataset:
    """Return the record of a data set.

    Raises:
        InputError: The name is unknown, or its module cannot be imported or has no record.
    """
    check_choice("data set", name, dataset_names())
    for exported_object in exports_of(import_benchmark(name)).values():
        record = getattr(exported_object, "dataset", exported_object)
        if isinstance(record, Dataset):
            return record
    raise InputError(f"benchmark {name} exports neither a Dataset nor a Benchmark in its __all__")
