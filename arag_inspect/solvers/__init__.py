"""The systems under test, and the floor and the replay to compare them with."""

from collections.abc import Callable, Sequence
from typing import Literal, get_args

from inspect_ai.solver import Solver

from .._util.errors import InputError
from ._run import Scope
from .arag import ALL_TOOLS, arag
from .closed_book import closed_book
from .extract_facts import extract_facts
from .multi_perspective import multi_perspective
from .naive_rag import naive_rag
from .reference import reference
from .replay import replay
from .stuffing import stuffing

System = Literal["arag", "naive_rag", "stuffing", "closed_book"]


def system_solver(
    system: System,
    *,
    max_loops: int | None = None,
    max_token_budget: int | None = None,
    top_k: int = 5,
    tools: str | Sequence[str] = ALL_TOOLS,
    max_tokens: int = 180_000,
    scope: Scope = "corpus",
) -> Solver:
    """The solver of a system, by name, with those of the parameters that it has.

    Raises:
        InputError: There is no such system.
    """
    makers: dict[str, Callable[[], Solver]] = {
        "arag": lambda: arag(
            max_loops=max_loops,
            max_token_budget=max_token_budget,
            top_k=top_k,
            tools=tools,
            scope=scope,
        ),
        "naive_rag": lambda: naive_rag(top_k=top_k, scope=scope),
        "stuffing": lambda: stuffing(max_tokens=max_tokens),
        "closed_book": closed_book,
    }
    if not isinstance(system, str) or system not in makers:
        raise InputError(f"system {system!r} is unknown; choose from {', '.join(get_args(System))}")
    return makers[system]()


__all__ = [
    "Scope",
    "System",
    "arag",
    "closed_book",
    "extract_facts",
    "multi_perspective",
    "naive_rag",
    "reference",
    "replay",
    "stuffing",
    "system_solver",
]
