"""The systems under test by name, with their parameters."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from inspect import signature
from typing import Any, NamedTuple

from inspect_ai.solver import Solver

from arag_inspect._util.errors import InputError, check_choice, check_parameters
from arag_inspect.corpus import Corpus
from arag_inspect.systems.agent_tools import PLAIN_TOOLS, load_tools, tool_names
from arag_inspect.systems.arag import arag
from arag_inspect.systems.external import external
from arag_inspect.systems.single_call import closed_book, naive_rag, oracle, stuffing
from arag_inspect.systems.tools.retrieval import Retrieval


async def load_nothing(values: Mapping[str, Any], corpus: str) -> None:
    """Load nothing: reading chunks by their ids needs neither model nor index."""


async def load_agent(values: Mapping[str, Any], corpus: str) -> None:
    """Load the index or model that an agent's tools search."""
    retrieval = Retrieval(values["retriever"], values["rerank"])
    await load_tools(corpus, tool_names(values["tools"]), retrieval)


async def load_search(values: Mapping[str, Any], corpus: str) -> None:
    """Load the index or model that a retriever searches."""
    retrieval = Retrieval(values["retriever"], values["rerank"])
    await retrieval.load(await Corpus.open_async(corpus))


async def load_corpus(values: Mapping[str, Any], corpus: str) -> None:
    """Load the corpus, which a user's function may search."""
    opened = await Corpus.open_async(corpus)
    await opened.load()


class RunnableSystem(NamedTuple):
    """How a system is made and prepared."""

    make: Callable[..., Solver]
    load: Callable[[Mapping[str, Any], str], Awaitable[None]] = load_nothing
    """Loads models and indices for the values of its parameters and a corpus."""


SYSTEMS = {
    "arag": RunnableSystem(arag, load_agent),
    "grep_agent": RunnableSystem(partial(arag, tools=PLAIN_TOOLS), load_agent),
    "naive_rag": RunnableSystem(naive_rag, load_search),
    "naive_rag_bm25": RunnableSystem(partial(naive_rag, retriever="bm25"), load_search),
    "naive_rag_hybrid": RunnableSystem(partial(naive_rag, retriever="hybrid"), load_search),
    "stuffing": RunnableSystem(stuffing),
    "closed_book": RunnableSystem(closed_book),
    "oracle": RunnableSystem(oracle),
    "external": RunnableSystem(external, load_corpus),
}
"""The systems of tasks, by name."""


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
    return SYSTEMS[system].make(**{**applicable, **values})


async def load_system(system: str, arguments: Mapping[str, Any], corpus: str) -> None:
    """Load the models and indices with which a system searches, if it does.

    Args:
        system: Name of the system.
        arguments: Its parameters, by name.
        corpus: Prepared corpus that it searches.

    Raises:
        InputError: Opening the corpus or a model failed.
    """
    parameters = signature(SYSTEMS[system].make).parameters
    defaults = {name: parameter.default for name, parameter in parameters.items()}
    await SYSTEMS[system].load({**defaults, **arguments}, corpus)


def system_parameters(system: str) -> tuple[str, ...]:
    """Return the names of a system's parameters.

    Raises:
        InputError: The system is unknown.
    """
    check_choice("system", system, tuple(SYSTEMS))
    return tuple(signature(SYSTEMS[system].make).parameters)
