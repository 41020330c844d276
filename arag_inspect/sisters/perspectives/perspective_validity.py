"""Does a two-sided summary have a valid form?"""

from itertools import chain

from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from arag_inspect._util.json_text import ReplyParseError
from arag_inspect.scorers._scorer import PlainScorer, scorer
from arag_inspect.types.measures import MeasureSpec

from .two_sided import CHECKS, documents_of, faults, read_summary


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
    7. `all`: 1 if all six hold. An answer that is not a JSON object of this form keeps none.
    8. Unscored if the system gave up, and if the sample has no documents.

    Reads the answer and `documents` of the sample's metadata alone. Metadata: `faults`, by key.
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
