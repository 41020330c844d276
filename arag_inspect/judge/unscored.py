"""Samples that cannot be scored."""

from collections.abc import Mapping

from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState

from ..types.sample import UNANSWERABLE, sample_metadata_or_default
from ..types.trace import read_record

OF_THE_SAMPLE = frozenset(
    {
        "answerable",
        "no_criteria",
        "no_documents",
        "no_evidence",
        "no_facts",
        "no_figure",
        "no_gold",
        "no_instruction",
        "no_other_evidence",
        "no_reference",
        "no_sections",
        "no_transcript",
        "no_words",
        "not_a_question",
        "not_located",
        "nothing_changed",
        "rejected_reference",
        UNANSWERABLE,
    }
)
"""Reasons that do not depend on the answer: the measure does not apply to the sample."""

NOTHING_STATED = frozenset({"no_claims", "no_sentences", "nothing_listed"})
"""Reasons of an answer that states nothing to score, for example because it declines."""


class UnscoredError(Exception):
    """A sample cannot be scored; the decorator of scorers makes its score.

    Args:
        reason: A word by which such samples are counted, e.g. `no_reference`.
        explanation: One sentence.
    """

    def __init__(self, reason: str, explanation: str) -> None:
        super().__init__(explanation)
        self.reason = reason

    def score(self) -> Score:
        """Return the score of the sample."""
        return Score.unscored(reason=self.reason, explanation=str(self))


def check_not_skipped(state: TaskState) -> None:
    """Raise if the system skipped the sample.

    Raises:
        UnscoredError: The system skipped it.
    """
    reason = read_record(state).skipped
    if reason is not None:
        raise UnscoredError("skipped", f"Skipped by the system: {reason}.")


def no_reference(state: TaskState) -> UnscoredError:
    """Return the error for a sample without a reference, with a rejected one, or unanswerable."""
    if sample_metadata_or_default(state).question_type == UNANSWERABLE:
        reason = "The documents do not answer the question: only declining it is right."
        return UnscoredError(UNANSWERABLE, reason)
    reference = state.metadata.get("reference")
    if isinstance(reference, Mapping) and reference.get("rejected"):
        text = f"The sample's reference was rejected by {reference['rejected']}."
        return UnscoredError("rejected_reference", text)
    return UnscoredError("no_reference", "The sample has no reference to compare with.")
