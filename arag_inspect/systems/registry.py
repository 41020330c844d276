"""The systems under test by name, with their parameters."""

from collections.abc import Callable, Mapping
from functools import partial
from inspect import signature
from typing import Any

from inspect_ai.solver import Solver

from arag_inspect._util.errors import InputError, check_choice, check_parameters
from arag_inspect.corpus import Corpus
from arag_inspect.systems.agent_tools import PLAIN_TOOLS, SearchSettings, load_tools, tool_names
from arag_inspect.systems.arag import arag
from arag_inspect.systems.external import external
from arag_inspect.systems.single_call import closed_book, naive_rag, oracle, stuffing
from arag_inspect.systems.tools.retrieval import load_retriever

SYSTEMS: dict[str, Callable[..., Solver]] = {
    "arag": arag,
    "grep_agent": partial(arag, tools=PLAIN_TOOLS),
    "naive_rag": naive_rag,
    "naive_rag_bm25": partial(naive_rag, retriever="bm25"),
    "naive_rag_hybrid": partial(naive_rag, retriever="hybrid"),
    "stuffing": stuffing,
    "closed_book": closed_book,
    "oracle": oracle,
    "external": external,
}
"""Functions that make the solver of each system, by name."""


def system_solver(
    system: str, system_args: Mapping[str, Any] | None = None, **defaults: Any
) -> Solver:
    """Make the solver of a system.

    Args:
        system: Name of the system.
        system_args: Its parameters, by name.
        defaults: Defaults of the task, for parameters that the system has.

    Raises:
        InputError: The system or a parameter is unknown, or a value is invalid.
    """
    names = system_parameters(system)
    if not isinstance(system_args, Mapping | None):
        raise InputError(f"system_args must be names with values, got {system_args!r}")
    values = dict(system_args or {})
    check_parameters(f"system_args: {system}", names, values)
    applicable = {name: value for name, value in defaults.items() if name in names}
    return SYSTEMS[system](**{**applicable, **values})


async def load_system(system: str, arguments: Mapping[str, Any], corpus: str) -> None:
    """Load the models and indices with which a system searches, if it does.

    Args:
        system: Name of the system.
        arguments: Its parameters, by name.
        corpus: Prepared corpus that it searches.

    Raises:
        InputError: Opening the corpus or a model failed.
    """
    parameters = signature(SYSTEMS[system]).parameters
    defaults = {name: parameter.default for name, parameter in parameters.items()}
    values = {**defaults, **arguments}
    if "tools" in values:
        names = tool_names(values["tools"])
        settings = SearchSettings(values["top_k"], values["retriever"], values["rerank"])
        await load_tools(corpus, names, settings)
    elif "retriever" in values:
        opened = await Corpus.open_async(corpus)
        await load_retriever(opened, values["retriever"], values["rerank"])
    elif "target" in values:
        opened = await Corpus.open_async(corpus)
        await opened.load()


def system_parameters(system: str) -> tuple[str, ...]:
    """Return the names of a system's parameters.

    Raises:
        InputError: The system is unknown.
    """
    check_choice("system", system, tuple(SYSTEMS))
    return tuple(signature(SYSTEMS[system]).parameters)
