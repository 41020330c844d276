"""The systems of this package, as described in logs and reports."""

from dataclasses import dataclass
from typing import Literal

ContextSource = Literal["retrieved", "document", "gold", "none", "unknown"]


@dataclass(frozen=True)
class System:
    """Description of a system in logs and reports, whatever its parameters."""

    name: str
    """Its solver in a log."""

    reads: ContextSource
    """Kind of passages that it answers from."""

    label: str | None = None
    """Its name in a report; None for the solver's."""

    reads_once: bool = False
    """Whether it reads once and then answers, by design; an agent decides when to stop."""

    bound: Literal["floor", "ceiling", "reference"] | None = None
    """Its role in a comparison if it does not compete: a bound of the others' measures."""


ARAG = System("arag", "retrieved", "A-RAG")
GREP_AGENT = System("grep_agent", "retrieved", "Grep agent")
NAIVE_RAG = System("naive_rag", "retrieved", "Naive RAG", reads_once=True)
STUFFING = System("stuffing", "document", "Stuffing", reads_once=True)
CLOSED_BOOK = System("closed_book", "none", "Closed book", reads_once=True, bound="floor")
ORACLE = System("oracle", "gold", "Oracle", reads_once=True, bound="ceiling")
REFERENCE = System("reference", "document", "Reference", reads_once=True, bound="reference")

SYSTEMS = {
    system.name: system
    for system in (ARAG, GREP_AGENT, NAIVE_RAG, STUFFING, CLOSED_BOOK, ORACLE, REFERENCE)
}
"""Systems that read the corpus by their own rules, by name, in the order of a report."""

EXTERNAL = System("external", "none")
"""A live system, which may report passages with its answer."""

REPLAY = System("replay", "none")
"""A file of answers, with or without passages."""

FILE_SOLVERS = frozenset({REPLAY.name, "replay_recorded"})
"""Solvers whose answers, with their costs and times, come from a file."""


def system_named(solver: str) -> System:
    """Return the system of a solver; only the name is known if it is not in `SYSTEMS`."""
    return SYSTEMS.get(solver) or System(solver, "unknown")
