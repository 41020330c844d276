"""The systems under test, with a floor, a ceiling and a replay for comparison."""

from typing import Any

from .._util.registry import of_benchmark
from ._run import Scope
from ._systems import System, system_parameters, system_solver
from .arag import arag, grep_agent
from .closed_book import closed_book
from .external import external
from .naive_rag import naive_rag
from .oracle import oracle
from .reference import reference
from .replay import replay
from .stuffing import stuffing

__all__ = [
    "Scope",
    "System",
    "arag",
    "closed_book",
    "external",
    "grep_agent",
    "naive_rag",
    "oracle",
    "reference",
    "replay",
    "stuffing",
    "system_parameters",
    "system_solver",
]


def __getattr__(name: str) -> Any:
    """Return a solver of a benchmark in `arag_inspect.sisters`."""
    return of_benchmark(__name__, name)
