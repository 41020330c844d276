"""Names of systems, measures and groups of samples in words, each from here alone."""

from collections.abc import Iterable

from ..measure import MeasureSpec

SYSTEMS = {
    "arag": "A-RAG",
    "grep_agent": "Grep agent",
    "naive_rag": "Naive RAG",
    "stuffing": "Stuffing",
    "closed_book": "Closed book",
    "oracle": "Oracle",
    "reference": "Reference",
}
"""Names of this package's solvers, in the order of a report."""

BOUNDS = ("closed_book", "oracle", "reference")
"""Solvers that show how low and how high a measure can be: reference lines, not contestants."""

_PLURALS = {"company": "companies", "person": "people"}


def counted(number: int, noun: str) -> str:
    """Count things, e.g. `1 company`, `12 companies`, `4 groups by topic`."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """Return the plural of a noun, which may be followed by a phrase with `by`."""
    head, by, rest = noun.partition(" by ")
    return _PLURALS.get(head, f"{head}s") + by + rest


def listed(names: Iterable[str], word: str = "and") -> str:
    """Join names as in `a, b and c`."""
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last


def verb_of(measure: MeasureSpec) -> str:
    """Return what a winner does, e.g. `covers more`."""
    return measure.verb or f"is better in {in_sentence(measure)}"


def in_sentence(measure: MeasureSpec) -> str:
    """Return a measure's noun, else its label: `coverage` for `Coverage (1-5)`.

    `ROUGE-2` is unchanged.
    """
    if measure.noun:
        return measure.noun
    name = measure.label.split(" (")[0]
    return name[0].lower() + name[1:] if name[1:2].islower() else name
