"""Scores of the same sample that one scorer takes over from another."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState


class ComponentScore(NamedTuple):
    """A score that another one builds on."""

    score: Score

    reused: bool
    """It was there already, and cost nothing now."""

    @property
    def number(self) -> float | None:
        """Its value, or None where it is unscored or no number."""
        value = self.score.value
        if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
            return None
        return float(value)

    def paid(self, name: str) -> list[dict[str, Any]]:
        """What judging it has cost just now, one entry a judge, for the metadata of the score that builds on it."""
        judges = [] if self.reused else (self.score.metadata or {}).get("judges", [])
        return [{**one, "part": name} for one in judges]


async def reuse_or_compute(
    state: TaskState, target: Target, name: str, make: Callable[[], Scorer]
) -> ComponentScore | None:
    """Take over a score that the sample has, or else compute it now.

    Inspect keeps the scores of a sample while its scorers run in order, and
    `inspect score --action append` those that the log holds: what was computed
    before is not paid for again.

    Args:
        state: The sample.
        target: Its reference.
        name: Name of the score.
        make: Makes the scorer, where the score is missing.

    Returns:
        The score; None where the scorer gives none.
    """
    found = (state.scores or {}).get(name)
    if found is not None:
        return ComponentScore(found, reused=True)
    made = await make()(state, target)
    return None if made is None else ComponentScore(made, reused=False)
