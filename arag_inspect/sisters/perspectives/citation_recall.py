"""How many of the relevant documents does a two-sided summary use?"""

from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.scorers._scorer import PlainScorer, scorer
from arag_inspect.types.measures import MeasureSpec

from .two_sided import answered


@scorer(
    MeasureSpec("citation_recall", "Relevant documents used", "Used", role="secondary"),
    family="facts",
    reads_marks=True,
)
def citation_recall() -> PlainScorer:
    """Share of the relevant documents that the summary cites.

    1. Relevant are the documents of the sample that are marked `R` or not marked at all; those
       marked `NR` are off topic.
    2. The value is relevant documents named by any perspective / relevant documents. Documents that
       do not exist are ignored.
    3. Unscored if the system gave up, if the answer is not a two-sided summary (see
       `perspective_validity`), and if no document is relevant.

    Reads the answer and `documents` of the sample's metadata alone. Metadata:
    `unused`, the relevant documents that no perspective cites, and `off_topic`, those
    off topic that are cited.
    """

    def score(state: TaskState, target: Target) -> Score:
        summary, documents = answered(state)
        cited = {doc for part in summary.perspectives for doc in part.evidence_docs}
        relevant = [doc for doc, part in documents.items() if part.relevance != "NR"]
        if not relevant:
            raise UnscoredError("no_documents", "No document of the sample is relevant.")
        unused = [doc for doc in relevant if doc not in cited]
        off_topic = [doc for doc in documents if doc in cited and doc not in relevant]
        used = len(relevant) - len(unused)
        return Score(
            value=used / len(relevant),
            explanation=f"{used} of {len(relevant)} relevant documents are used, "
            f"and {len(off_topic)} off topic.",
            metadata={"unused": unused, "off_topic": off_topic},
        )

    return score
