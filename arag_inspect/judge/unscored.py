"""Scores of samples that cannot be scored."""

from collections.abc import Mapping

from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState

from ..types.trace import recorded


def unscored_if_skipped(state: TaskState) -> Score | None:
    """Return the score of a sample that its system skipped, or None."""
    reason = recorded(state).skipped
    if reason is None:
        return None
    return Score.unscored(reason="skipped", explanation=f"Skipped by the system: {reason}.")


def no_reference(state: TaskState) -> Score:
    """Return the score of a sample without a reference, or with a rejected one."""
    reference = state.metadata.get("reference")
    if isinstance(reference, Mapping) and reference.get("rejected"):
        return Score.unscored(
            reason="rejected_reference",
            explanation=f"A person rejected the sample's reference by {reference['rejected']}.",
        )
    return Score.unscored(
        reason="no_reference", explanation="The sample has no reference to compare with."
    )
