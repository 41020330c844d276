"""Values that layers below use and layers above make, each when it is first asked for.

`arag_inspect/__init__.py` connects the two, so that no layer imports one above it.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")


class Provided(Generic[T]):
    """A value that a layer above makes."""

    _make: Callable[[], T]

    def made_by(self, make: Callable[[], T]) -> Callable[[], T]:
        """Name the function that makes it; a decorator."""
        self._make = make
        return make

    @cached_property
    def value(self) -> T:
        """The value, made when it is first asked for."""
        return self._make()


class EvaluatedDataset(Protocol):
    """A data set, as the readers of prepared folders know it."""

    @property
    def name(self) -> str:
        """Name that the manifests of its folders have."""

    @property
    def task(self) -> str:
        """Task that evaluates it."""


DATASETS: Provided[Sequence[EvaluatedDataset]] = Provided()
"""Data sets of all benchmarks that can be imported."""

DECLARED_MEASURES: Provided[Mapping[str, Any]] = Provided()
"""Measures that the scorers of this package declare, by key."""
