"""When there is nothing to score."""

from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState

from ..trace import recorded


def skipped(state: TaskState) -> Score | None:
    """The score of a sample that its system skipped, or None where it did not."""
    reason = recorded(state).skipped
    if reason is None:
        return None
    return Score.unscored(reason="skipped", explanation=f"Skipped by the system: {reason}.")
