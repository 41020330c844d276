"""Benchmark declarations (`Dataset` and `Benchmark`), and building from them."""

from .._util.errors import InputError
from .dataset import Dataset, SourceData
from .record import Benchmark, ScorerArgs, ScorerNames, SystemArgs, TaskArgs
from .scorers import Parameter, using

__all__ = [
    "Benchmark",
    "Dataset",
    "InputError",
    "Parameter",
    "ScorerArgs",
    "ScorerNames",
    "SourceData",
    "SystemArgs",
    "TaskArgs",
    "using",
]
