"""Scores of a two-sided summary without a judge: its form and cited documents."""

from itertools import chain

from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.measure import MeasureSpec
from arag_inspect.measures.scorer import PlainScorer, scorer
from arag_inspect.text.replies import ReplyParseError

from .two_sided import CHECKS, documents_of, faults, read_answer, read_summary


@scorer(
    MeasureSpec("all", "Valid two-sided summaries", "All", role="primary"),
    MeasureSpec("schema", "Right form", "Form"),
    MeasureSpec("two_sides", "Two sides", "Sides"),
    MeasureSpec("ids_exist", "Documents exist", "Ids"),
    MeasureSpec("each_used_once", "Documents used once", "Once"),
    MeasureSpec("sentence", "Whole sentences", "Sentence"),
    MeasureSpec("word_limit", "Within 30 words", "Length"),
    family="facts",
    reads_marks=True,
)
def perspective_validity() -> PlainScorer:
    """1 for every rule of form that a two-sided summary keeps, else 0.

    1. `schema`: the answer is one JSON object `{"claims": [{"stance", "claim", "perspectives":
       [{"text", "evidence_docs"}]}]}`; every claim has a perspective and every perspective a
       document. `pro`, `con`, `yes` and `no` are read as `for` and `against`, `Doc 3` as 3.
    2. `two_sides`: exactly two claims, one for and one against.
    3. `ids_exist`: every cited document is one of the sample's.
    4. `each_used_once`: no document is cited twice in the summary.
    5. `sentence`: every perspective is one sentence, with its full stop.
    6. `word_limit`: every perspective has at most 30 words.
    7. `all`: 1 if all six hold. An answer that is not a JSON object of this form satisfies none.
    8. Unscored if the system gave up, and if the sample has no documents.

    Reads only the answer and `documents` in the sample's metadata. Metadata: `faults`, by key.
    """

    def score(state: TaskState, target: Target) -> Score:
        documents = documents_of(state)
        try:
            faults_by_check = faults(read_summary(state.output.completion), set(documents))
        except ReplyParseError as error:
            faults_by_check = {
                key: [f"the answer is not a two-sided summary: {error}"] for key in CHECKS
            }
        values = {check: float(not faults_by_check[check]) for check in CHECKS}
        problems = dict.fromkeys(chain.from_iterable(faults_by_check.values()))
        return Score(
            value={**values, "all": min(values.values())},
            explanation="\n".join(problems) or "The summary keeps every rule.",
            metadata={"faults": faults_by_check},
        )

    return score


@scorer(
    MeasureSpec("citation_recall", "Relevant documents used", "Used", role="secondary"),
    family="facts",
    reads_marks=True,
)
def citation_recall() -> PlainScorer:
    """Share of the relevant documents that the summary cites.

    1. The relevant documents are those of the sample marked `R` or unmarked; those marked `NR` are
       off topic.
    2. The value is relevant documents named by any perspective / relevant documents. Documents that
       do not exist are ignored.
    3. Unscored if the system gave up, if the answer is not a two-sided summary (see
       `perspective_validity`), and if no document is relevant.

    Reads only the answer and `documents` in the sample's metadata. Metadata: `unused`, the
    relevant documents that no perspective cites, and `off_topic`, those off topic that are cited.
    """

    def score(state: TaskState, target: Target) -> Score:
        summary, documents = read_answer(state)
        cited = {*chain.from_iterable(part.evidence_docs for part in summary.perspectives)}
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
