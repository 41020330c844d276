"""The systems under test, with a floor, a ceiling and a replay for comparison."""

from typing import Any

from .benchmarks import exports
from .systems.arag import arag
from .systems.external import external
from .systems.registry import system_parameters, system_solver
from .systems.replay import replay
from .systems.single_call import closed_book, naive_rag, oracle, reference, stuffing
from .systems.tools.retrieval import Scope

_ADDED = exports("solver")
__all__ = [
    "Scope",
    "arag",
    "closed_book",
    "external",
    "naive_rag",
    "oracle",
    "reference",
    "replay",
    "stuffing",
    "system_parameters",
    "system_solver",
    *_ADDED,
]


def __getattr__(name: str) -> Any:
    """Return a solver that a benchmark defines."""
    if name in _ADDED:
        return _ADDED[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
