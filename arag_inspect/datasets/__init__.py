"""One module a data set: source files in, a prepared corpus with samples out."""

from .prepare import Prepared, prepare_ectsum, prepare_synthetic

__all__ = ["Prepared", "prepare_ectsum", "prepare_synthetic"]
