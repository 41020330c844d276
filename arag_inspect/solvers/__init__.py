"""The systems under test, with a closed-book baseline and a replay for comparison."""

from ._run import Scope
from ._systems import System, system_parameters, system_solver
from .arag import arag
from .closed_book import closed_book
from .external import external
from .extract_facts import extract_facts
from .multi_perspective import multi_perspective
from .naive_rag import naive_rag
from .reference import reference
from .replay import replay
from .stuffing import stuffing

__all__ = [
    "Scope",
    "System",
    "arag",
    "closed_book",
    "external",
    "extract_facts",
    "multi_perspective",
    "naive_rag",
    "reference",
    "replay",
    "stuffing",
    "system_parameters",
    "system_solver",
]
