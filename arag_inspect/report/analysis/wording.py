"""Names of systems and measures within a sentence."""

from collections.abc import Iterable

from ...types.measures import MeasureSpec


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
