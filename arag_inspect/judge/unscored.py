"""When there is nothing to score."""

from collections.abc import Mapping

from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState

from ..types.trace import recorded


def unscored_if_skipped(state: TaskState) -> Score | None:
    """The score of a sample that its system skipped, or None where it did not."""
    reason = recorded(state).skipped
    if reason is None:
        return None
    return Score.unscored(reason="skipped", explanation=f"Skipped by the system: {reason}.")


def no_reference(state: TaskState) -> Score:
    """The score of a sample that has no reference with a word, or whose reference a person rejected."""
    about = state.metadata.get("reference")
    if isinstance(about, Mapping) and about.get("rejected"):
        return Score.unscored(
            reason="rejected_reference",
            explanation=f"A person rejected the sample's reference by {about['rejected']}.",
        )
    return Score.unscored(
        reason="no_reference", explanation="The sample has no reference to compare with."
    )
