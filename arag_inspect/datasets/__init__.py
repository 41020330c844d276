"""One module a data set: source files in, a prepared corpus with samples out."""

from .arag_format import export_arag
from .registry import (
    Prepared,
    prepare_chunks,
    prepare_custom,
    prepare_docfinqa,
    prepare_ectsum,
    prepare_financebench,
    prepare_finder,
    prepare_finqa,
    prepare_legal,
    prepare_synthetic,
)

__all__ = [
    "Prepared",
    "export_arag",
    "prepare_chunks",
    "prepare_custom",
    "prepare_docfinqa",
    "prepare_ectsum",
    "prepare_financebench",
    "prepare_finder",
    "prepare_finqa",
    "prepare_legal",
    "prepare_synthetic",
]
