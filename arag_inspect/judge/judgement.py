"""The answer of one judge, and the score of a sample without any verdict."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Any, Generic, TypeVar

from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score

from ..text.replies import prose

T = TypeVar("T")


@dataclass(frozen=True)
class JudgingCost:
    """Tokens, price and time of questions to a judge."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    """Dollars paid; None if the price is unknown."""

    cached_usd: float = 0.0
    """Price of the replies from Inspect's cache, which cost nothing."""

    latency_ms: float = 0.0

    def __add__(self, other: "JudgingCost") -> "JudgingCost":
        """Return the total of both costs."""
        cost_usd = None
        if self.cost_usd is not None and other.cost_usd is not None:
            cost_usd = self.cost_usd + other.cost_usd
        return JudgingCost(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            cost_usd,
            self.cached_usd + other.cached_usd,
            self.latency_ms + other.latency_ms,
        )


@dataclass(frozen=True)
class Judgement(Generic[T]):
    """One judge's answer to a question, or to several as one."""

    grader: str
    verdict: T | None = None
    reason: str | None = None
    """Why there is no verdict."""

    replies: Sequence[str] = ()
    cost: JudgingCost = JudgingCost()
    output: ModelOutput | None = None
    """The provider's last reply, unchanged."""

    contradiction: str | None = None
    """How the verdict contradicts itself, even after the judge was asked again."""

    @property
    def text(self) -> str:
        """The last reply as readable text."""
        return prose(self.replies[-1]) if self.replies else ""

    def with_cost(self, *costs: JudgingCost) -> "Judgement[T]":
        """Return the judgement with the costs of further questions asked for it."""
        return replace(self, cost=sum(costs, self.cost))

    def as_dict(self) -> dict[str, Any]:
        """Return everything except the verdict, for a score's metadata."""
        return {
            "grader": self.grader,
            "reason": self.reason,
            "contradiction": self.contradiction,
            "raw": list(self.replies),
            **asdict(self.cost),
            "latency_ms": round(self.cost.latency_ms, 1),
        }


def combine(grader: str, judgements: Sequence[Judgement[Any]]) -> Judgement[Any]:
    """Return the replies, costs and reasons of several questions to one judge together."""
    reasons = dict.fromkeys(judgement.reason for judgement in judgements if judgement.reason)
    return Judgement(
        grader,
        reason="; ".join(reasons) or None,
        replies=list(chain.from_iterable(judgement.replies for judgement in judgements)),
        cost=sum((judgement.cost for judgement in judgements), JudgingCost()),
    )


def no_verdict(judgements: list[Judgement[Any]]) -> Score:
    """Return the score of a sample without any verdict."""
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
