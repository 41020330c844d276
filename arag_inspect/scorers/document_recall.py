"""Were all the documents read that a sample is about?"""

from statistics import fmean

from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.scorers._scorer import PlainScorer, scorer
from arag_inspect.scorers.retrieval_pr import MEASURES as RETRIEVAL
from arag_inspect.scorers.retrieval_pr import chunks_by_document
from arag_inspect.types.measures import measures

MEASURES = measures(RETRIEVAL[-1], key="document_recall", label="Document recall", role="secondary")


@scorer(MEASURES, any_length=True)
def document_recall() -> PlainScorer:
    """The key `documents` of `retrieval_pr` alone, for samples without gold chunks.

    Unscored if the sample names no document, and if the passages were not retrieved (stuffing,
    closed book, replayed answers).

    Metadata: `chunks`, the number of chunks read of each document.
    """

    def score(state: TaskState, target: Target) -> Score:
        _, chunks = chunks_by_document(state)
        if not chunks:
            raise UnscoredError("no_documents", "The sample names no document to read.")
        return Score(
            value=fmean(map(bool, chunks.values())),
            explanation=", ".join(f"{doc_id}: {count} chunks" for doc_id, count in chunks.items()),
            metadata={"chunks": chunks},
        )

    return score
