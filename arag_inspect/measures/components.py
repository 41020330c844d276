"""Scores from which another scorer composes its score."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState


class ComponentScore(NamedTuple):
    """A component of another score."""

    score: Score

    reused: bool
    """Whether it already existed, at no new cost."""

    @property
    def number(self) -> float | None:
        """Its value, or None if it is unscored or not a number."""
        value = self.score.value
        if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
            return None
        return float(value)

    def paid(self, name: str) -> list[dict[str, Any]]:
        """Return the judges paid for it now, for the metadata of the composed score."""
        judges = [] if self.reused else (self.score.metadata or {}).get("judges", [])
        return [{**judge, "part": name} for judge in judges]


async def reuse_or_compute(
    state: TaskState, target: Target, name: str, make: Callable[[], Scorer]
) -> ComponentScore | None:
    """Return an existing score of the sample, or compute it.

    Inspect provides the scores of a sample while its scorers run in order, and `inspect score
    --action append` the scores in the log, so that earlier scores cost nothing.

    Args:
        state: The sample.
        target: Its reference.
        name: Name of the score.
        make: Makes the scorer if the score is missing.

    Returns:
        The score; None if the scorer gives none.
    """
    score = (state.scores or {}).get(name)
    if score is not None:
        return ComponentScore(score, reused=True)
    computed = await make()(state, target)
    return None if computed is None else ComponentScore(computed, reused=False)
