"""Display names for systems, measures and groups of samples."""

from ..measure import MeasureSpec
from ..types.system import system_named

EARLIER = " (earlier)"
"""End of the name of an earlier run whose system has the same name as the new run's."""

MOST_NAMED = 3
"""Maximum number of things listed in a sentence; more are counted, or are in a table."""


def label_of(solver: str) -> str:
    """Return the name of a system; the solver's name if it is not of this package."""
    return system_named(solver).label or solver


def verb_of(measure: MeasureSpec) -> str:
    """Return the predicate of a winner, e.g. `covers more`."""
    return measure.verb or f"is better in {in_sentence(measure)}"


def in_sentence(measure: MeasureSpec) -> str:
    """Return a measure's noun, else its label: `coverage` for `Coverage (1-5)`.

    `ROUGE-2` is unchanged, and so are names of other tools, such as `Answer Relevancy`.
    """
    if measure.noun:
        return measure.noun
    name = measure.label.split(" (")[0]
    first, *others = name.split()
    is_name = measure.label in measure.key or any(map(_is_capitalised, others))
    return name if is_name or not first[1:2].islower() else name[0].lower() + name[1:]


def _is_capitalised(word: str) -> bool:
    return word[:1].isupper() and word[1:2].islower()


def end_sentence(text: str) -> str:
    """Add a full stop to a text that has no end."""
    return text if text.endswith((".", "?")) else f"{text}."
