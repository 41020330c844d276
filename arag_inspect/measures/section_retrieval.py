"""Measure how much of the sections that a summary needs was read."""

from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from arag_inspect.judge.unscored import UnscoredError, no_reference
from arag_inspect.measure import MeasureSpec
from arag_inspect.measures.keyed_score import NoValue, keyed_score
from arag_inspect.measures.retrieval import retrieving_trace
from arag_inspect.measures.scorer import PlainScorer, scorer
from arag_inspect.types.sample import (
    GoldChunks,
    SampleFact,
    SampleMetadata,
    sample_metadata_or_default,
)


@scorer(
    MeasureSpec(
        "facts_read",
        "Reference facts read",
        "Facts read",
        "Share of the reference's facts read.",
        noun="share of reference facts read",
        role="secondary",
        decides=("section",),
        aspect="reference facts read",
    ),
    MeasureSpec(
        "partial",
        "Evidence of other questions read",
        "Partial",
        "Share of other questions' evidence on the same documents that was read.",
        higher_is_better=None,
    ),
    family="retrieval",
    any_length=True,
)
def section_retrieval() -> PlainScorer:
    """Did the system read the facts of a reference that is written from whole sections?

    A system that reads k of the n chunks of a section has a recall of k / n at most, so recall
    says little. The facts of the reference are what a summary needs.

    1. `facts_read`: facts of the reference whose chunks (or copies of them) were all read / facts
       with known chunks. Facts without known chunks do not count.
    2. `partial`: chunks read that contain evidence of the benchmark's other questions on the same
       documents / such chunks. Neither direction is better.
    3. A key without facts or chunks has no value, and its reason is in the metadata. Unscored if
       both keys have no value, and if the passages were not retrieved.

    Metadata: ids of the facts `not_read` and `not_located`, and `unscored`, the reason by key.
    """

    def score(state: TaskState, target: Target) -> Score:
        ids_read = {passage.chunk_id for passage in retrieving_trace(state).passages}
        sample_metadata = sample_metadata_or_default(state)
        located = [fact for fact in sample_metadata.facts if fact.holders]
        not_located = [fact.id for fact in sample_metadata.facts if not fact.holders]
        missing_error = None if located else _missing_facts_error(state, target, sample_metadata)
        other_evidence_ids = sample_metadata.partial_chunk_ids
        if missing_error and not other_evidence_ids:
            raise missing_error
        facts_read = [fact.id for fact in located if _is_read(fact, sample_metadata, ids_read)]
        other_read = ids_read.intersection(other_evidence_ids)
        facts_share = (
            NoValue(missing_error.reason) if missing_error else len(facts_read) / len(located)
        )
        other_share = (
            len(other_read) / len(other_evidence_ids)
            if other_evidence_ids
            else NoValue("no_other_evidence")
        )
        return keyed_score(
            {"facts_read": facts_share, "partial": other_share},
            explanation=(
                f"Read {len(facts_read)} of {len(located)} facts of the reference "
                f"({len(not_located)} more are not located), and {len(other_read)} of "
                f"{len(other_evidence_ids)} chunks with evidence of other questions."
            ),
            metadata={
                "not_read": [fact.id for fact in located if fact.id not in facts_read],
                "not_located": not_located,
                "unscored": {},
            },
        )

    return score


def _is_read(fact: SampleFact, sample_metadata: SampleMetadata, ids_read: set[int]) -> bool:
    """Return whether all chunks that contain a fact were read, directly or as copies."""
    holders = GoldChunks(fact.holders, sample_metadata.gold_copies)
    return len(holders.find_in(ids_read)) == len(holders.by_chunk)


def _missing_facts_error(
    state: TaskState, target: Target, sample_metadata: SampleMetadata
) -> UnscoredError:
    """Return why the share of facts is unknown."""
    if sample_metadata.facts:
        return UnscoredError("not_located", "The chunks of no fact of the reference are known.")
    if not target.text.strip():
        return no_reference(state)
    return UnscoredError("no_facts", "The sample has no facts of its reference to look for.")
