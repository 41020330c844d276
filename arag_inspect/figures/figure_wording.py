"""The words of a sentence, by what they say of one of its figures."""

from dataclasses import dataclass
from typing import NamedTuple


class Event(NamedTuple):
    """Something that happens on a date."""

    word: str
    """Stem of a word beside the date."""

    month: str
    day: str
    year: str
    """Empty if the text does not say, as the day may be."""

    def may_be_on_day_of(self, other: "Event") -> bool:
        """Return whether two events may be on one day."""
        return all(
            mine == theirs or "" in (mine, theirs)
            for mine, theirs in zip(self[1:], other[1:], strict=True)
        )


@dataclass(frozen=True, slots=True)
class Wording:
    """The words around a figure."""

    content: frozenset[str] = frozenset()
    """Content words of the sentence."""

    metrics: frozenset[str] = frozenset()
    """Metrics that the sentence mentions."""

    compares: bool = False
    """Whether the sentence compares periods, so that it may be unclear which a figure is of."""

    events: frozenset[Event] = frozenset()
    """Dates in its sentence."""

    alone: str = ""
    """Words of its sentence that are about it alone, in lower case."""

    shared: str = ""
    """Words of its sentence that are about it and its neighbours."""

    before: str = ""
    """Words between the previous figure and this figure."""

    after: str = ""
    """Words after it that are about it."""

    unit: str = ""
    """Physical unit right after it, as written: MWh of 41,300 MWh."""

    onward: str = ""
    """Words after it to the end of its clause, also those about other figures."""

    beside: str = ""
    """Words that are about other figures of its unit alone."""

    is_metric_beside: bool = False
    """Whether the metric is beside the figure."""

    negated: frozenset[str] = frozenset()
    """Stems of the verbs about it that are negated: "did not reach" $5 million."""

    said_of_part: frozenset[str] = frozenset()
    """Stems of the verbs about a part of it only: of the 1,860 beds, 1,432 were occupied."""

    contrast: frozenset[str] = frozenset()
    """Names by which it differs from the figure that is compared with it."""

    @property
    def about(self) -> str:
        """Words that are about the figure, alone or with its neighbours."""
        return f"{self.shared} {self.alone}"


UNWORDED = Wording()
"""Wording of a number without words, such as a year."""
