"""A figure of a passage, and a figure of a summary with what the passages say about it."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ..comparison.distinctions import Property
from ..quantity import Quantity
from .antecedents import NO_ANTECEDENT, Antecedent

ClaimOutcome = Literal["supported", "contradicted", "unsettled", "not_found"]


class PassageFigure(NamedTuple):
    """A figure of a passage with its sentence."""

    figure: Quantity
    sentence: str
    antecedent: Antecedent = NO_ANTECEDENT
    """What the text before its sentence says the figure may be of."""


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A figure of a summary and what the passages say about it."""

    figure: Quantity
    sentence: str
    """Sentence of the summary that has it; under `claim` in logs."""

    verdict: ClaimOutcome
    """`supported`; `contradicted`; `unsettled`: the figure occurs, but not clearly for the
    same metric; `not_found`: it occurs nowhere in any unit."""

    source: str | None = None
    """Sentence that decides, or the nearest sentence."""

    differs: tuple[Property, ...] = ()
    """Properties in which that sentence differs from the claim, the most telling first."""

    def as_dict(self) -> dict[str, Any]:
        """Return all fields as JSON values."""
        return {
            "verdict": self.verdict,
            "figure": self.figure.as_dict(),
            "claim": self.sentence,
            "source": self.source,
            "differs": list(self.differs),
        }
