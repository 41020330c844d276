"""Values that upper layers make on first use, for lower layers.

`arag_inspect/__init__.py` connects the two, so that layers never import upper layers.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")


class Provided(Generic[T]):
    """A value that an upper layer makes."""

    def __init__(self) -> None:
        self._make: Callable[[], T] | None = None

    def made_by(self, make: Callable[[], T]) -> Callable[[], T]:
        """Decorator of the function that makes the value."""
        self._make = make
        return make

    @cached_property
    def value(self) -> T:
        """The value, made on first use."""
        if self._make is None:
            raise RuntimeError("no imported layer makes this value; import arag_inspect first")
        return self._make()


class EvaluatedDataset(Protocol):
    """A data set, for readers of prepared folders."""

    @property
    def name(self) -> str:
        """Name in the manifests of its folders."""

    @property
    def task(self) -> str:
        """Task that evaluates it."""


DATASETS: Provided[Sequence[EvaluatedDataset]] = Provided()
"""Data sets of all benchmarks that can be imported."""

DECLARED_MEASURES: Provided[Mapping[str, Any]] = Provided()
"""Measures that the scorers of this package declare, by key."""
