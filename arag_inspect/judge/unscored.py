"""Samples that cannot be scored."""

from collections.abc import Mapping

from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState

from ..types.trace import recorded


class UnscoredError(Exception):
    """A sample cannot be scored; the decorator of scorers makes its score.

    Args:
        reason: A word by which such samples are counted, e.g. `no_reference`.
        explanation: One sentence.
    """

    def __init__(self, reason: str, explanation: str) -> None:
        super().__init__(explanation)
        self.reason = reason

    def score(self, answer: str) -> Score:
        """Return the score of the sample."""
        return Score.unscored(reason=self.reason, answer=answer, explanation=str(self))


def check_not_skipped(state: TaskState) -> None:
    """Raise if its system skipped the sample.

    Raises:
        UnscoredError: It did.
    """
    if (reason := recorded(state).skipped) is not None:
        raise UnscoredError("skipped", f"Skipped by the system: {reason}.")


def no_reference(state: TaskState) -> UnscoredError:
    """Return the error for a sample without a reference, or with a rejected one."""
    reference = state.metadata.get("reference")
    if isinstance(reference, Mapping) and (who := reference.get("rejected")):
        text = f"The sample's reference was rejected by {who}."
        return UnscoredError("rejected_reference", text)
    return UnscoredError("no_reference", "The sample has no reference to compare with.")
