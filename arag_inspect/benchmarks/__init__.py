"""Data sets: source files in, a prepared corpus with samples out."""

from ._shared.arag_format import export_arag
from ._shared.prepare import (
    DATASETS,
    Options,
    Prepared,
    dataset_names,
    get_dataset,
    prepare_dataset,
)
from ._shared.spec import DatasetSpec, SourceData

__all__ = [
    "DATASETS",
    "DatasetSpec",
    "Options",
    "Prepared",
    "SourceData",
    "dataset_names",
    "export_arag",
    "get_dataset",
    "prepare_dataset",
]
