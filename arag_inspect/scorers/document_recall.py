"""Were all the documents read that a sample is about?"""

from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.scorers._scorer import PlainScorer, scorer
from arag_inspect.scorers.retrieval_pr import retrieves
from arag_inspect.types.measures import MeasureSpec, measures
from arag_inspect.types.sample import sample_metadata_or_default
from arag_inspect.types.trace import recorded

MEASURES = measures(
    MeasureSpec(
        "document_recall",
        "Documents read",
        "Documents",
        "Share of the sample's documents of which at least one chunk was read.",
        role="secondary",
    ),
    family="retrieval",
)


@scorer(MEASURES, any_length=True)
def document_recall() -> PlainScorer:
    """Share of the sample's documents of which at least one chunk was read.

    1. A comparison of two years that read one of them has 0.5, whatever its quality.
    2. Unscored if the sample names no document, and if the passages were not retrieved (stuffing,
       closed book, replayed answers).

    Metadata: `chunks`, the number of chunks read of each document.
    """

    def score(state: TaskState, target: Target) -> Score:
        trace = recorded(state)
        if not retrieves(trace):
            raise UnscoredError("no_retrieval", "The system does not retrieve passages.")
        doc_ids = sample_metadata_or_default(state).doc_ids
        if not doc_ids:
            raise UnscoredError("no_documents", "The sample names no document to read.")
        read = [passage.doc_id for passage in trace.passages]
        chunks = {doc_id: read.count(doc_id) for doc_id in doc_ids}
        return Score(
            value=sum(map(bool, chunks.values())) / len(chunks),
            explanation=", ".join(f"{doc_id}: {count} chunks" for doc_id, count in chunks.items()),
            metadata={"chunks": chunks},
        )

    return score
