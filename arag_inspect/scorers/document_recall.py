"""Were all the documents read that a sample is about?"""

from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect.judge.signature import signature
from arag_inspect.judge.unscored import unscored_if_skipped
from arag_inspect.scorers._shared.border import scorer
from arag_inspect.scorers._shared.metrics import estimates
from arag_inspect.scorers.retrieval_pr import retrieves
from arag_inspect.types.measures import MeasureSpec, measures
from arag_inspect.types.sample import known_metadata
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


@scorer(metrics=estimates(), measures=MEASURES, any_length=True)
def document_recall() -> Scorer:
    """Share of the sample's documents of which at least one chunk was read.

    1. A comparison of two years that read one of them has 0.5, whatever its quality.
    2. Unscored if the sample names no document, and if the passages were not retrieved (stuffing,
       closed book, replayed answers).

    Metadata: `chunks`, the number of chunks read of each document.
    """

    async def score(state: TaskState, target: Target) -> Score:
        trace = recorded(state)
        if (unscored := unscored_if_skipped(state)) is not None:
            return unscored
        if not retrieves(trace):
            return Score.unscored(
                reason="no_retrieval", explanation="The system does not retrieve passages."
            )
        doc_ids = known_metadata(state).doc_ids
        if not doc_ids:
            return Score.unscored(
                reason="no_documents", explanation="The sample names no document to read."
            )
        read = [passage.doc_id for passage in trace.passages]
        chunks = {doc_id: read.count(doc_id) for doc_id in doc_ids}
        return Score(
            value=sum(map(bool, chunks.values())) / len(chunks),
            answer=state.output.completion,
            explanation=", ".join(f"{doc_id}: {count} chunks" for doc_id, count in chunks.items()),
            metadata={"signature": signature("document_recall"), "chunks": chunks},
        )

    return score
