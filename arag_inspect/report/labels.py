"""Names of systems and measures in words."""

from collections.abc import Iterable

from ..types.measures import MeasureSpec

_SYSTEMS = {
    "arag": "A-RAG",
    "naive_rag": "Naive RAG",
    "stuffing": "Stuffing",
    "closed_book": "Closed book",
    "oracle": "Oracle",
}


def label_of(system: str) -> str:
    """Return a readable name of a system.

    E.g. `Naive RAG (top_k=3)` for `naive_rag (top_k=3)`.
    """
    solver, space, rest = system.partition(" ")
    return _SYSTEMS.get(solver, solver) + space + rest


def listed(names: Iterable[str], word: str = "and") -> str:
    """Join names as in `a, b and c`."""
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last


def in_sentence(measure: MeasureSpec) -> str:
    """Return a measure's noun, else its label: `coverage` for `Coverage (1-5)`.

    `ROUGE-2` is unchanged.
    """
    if measure.noun:
        return measure.noun
    name = measure.label.split(" (")[0]
    return name[0].lower() + name[1:] if name[1:2].islower() else name
