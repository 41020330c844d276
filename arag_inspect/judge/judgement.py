"""The answer of one judge, and the score of a sample on which no judge reached a verdict."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Generic, TypeVar

from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score

from .._util.untrusted import prose

T = TypeVar("T")


@dataclass
class Judgement(Generic[T]):
    """One judge's answer to one question."""

    grader: str
    verdict: T | None = None
    reason: str | None = None
    """Why there is no verdict."""

    replies: list[str] = field(default_factory=list)
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    """Dollars paid; None if the price is unknown."""

    cached_usd: float = 0.0
    """Price of the replies from Inspect's cache, which cost nothing."""

    latency_ms: float = 0.0
    output: ModelOutput | None = None
    """The provider's last reply, unchanged."""

    contradiction: str | None = None
    """How the verdict contradicts itself, even after the judge was asked again."""

    @property
    def text(self) -> str:
        """The last reply as readable text."""
        return prose(self.replies[-1]) if self.replies else ""

    def add_cost(self, other: "Judgement[Any]") -> None:
        """Add the cost of another question to the same judge."""
        self.input_tokens += other.input_tokens
        self.output_tokens += other.output_tokens
        self.latency_ms += other.latency_ms
        self.cached_usd += other.cached_usd
        has_cost = self.cost_usd is not None and other.cost_usd is not None
        self.cost_usd = (self.cost_usd or 0) + (other.cost_usd or 0) if has_cost else None

    def as_dict(self) -> dict[str, Any]:
        """Return everything but the verdict, for a score's metadata."""
        return {
            "grader": self.grader,
            "reason": self.reason,
            "contradiction": self.contradiction,
            "raw": self.replies,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cost_usd": self.cost_usd,
            "cached_usd": self.cached_usd,
            "latency_ms": round(self.latency_ms, 1),
        }


def combine(grader: str, judgements: Sequence[Judgement[Any]]) -> Judgement[Any]:
    """Return the replies, costs and reasons of several questions to one judge together."""
    total: Judgement[Any] = Judgement(grader)
    for judgement in judgements:
        total.add_cost(judgement)
        total.replies += judgement.replies
    reasons = dict.fromkeys(judgement.reason for judgement in judgements if judgement.reason)
    total.reason = "; ".join(reasons) or None
    return total


def no_verdict(judgements: list[Judgement[Any]]) -> Score:
    """Return the score of a sample on which no judge reached a verdict."""
    reasons = "; ".join(f"{judgement.grader}: {judgement.reason}" for judgement in judgements)
    replies = chain.from_iterable(judgement.replies for judgement in judgements)
    return Score.unscored(
        reason="grader_failed",
        explanation=f"No judge came to a verdict ({reasons}).",
        metadata={
            "reason": reasons,
            "raw": list(replies),
            "judges": [judgement.as_dict() for judgement in judgements],
        },
    )
