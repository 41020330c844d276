"""Does a system decline exactly the questions that cannot be answered?"""

from collections.abc import Mapping
from math import nan

from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect.judge import model_graded
from arag_inspect.scorers._scorer import scorer
from arag_inspect.types.measures import MeasureSpec, measures
from arag_inspect.types.sample import sample_metadata_or_default

UNANSWERABLE = "unanswerable"
"""Question type of a sample that has no answer."""

MEASURES = measures(
    MeasureSpec("right", "Rightly declined", "Right", noun="right refusals", role="secondary"),
    MeasureSpec("wrong", "Wrongly declined", "Wrong", higher_is_better=False),
    scorer="abstention",
    family="judgement",
    signature=("judge", "prompt"),
)


@scorer(MEASURES)
def abstention() -> Scorer:
    """Judge whether a question was declined, and whether that was right.

    1. A question is unanswerable if its `question_type` in the metadata is `unanswerable`, as
       `arag-inspect prepare questions` writes it.
    2. The judge sees question and answer, but not the gold answer, and says REFUSED or ANSWERED.
    3. `right` is 1 or 0 for an unanswerable question and is missing for others; `wrong` is 1 or 0
       for an answerable one. With several graders it is the share of them that say REFUSED.
    4. An empty answer is a refusal, without a call.

    Model Roles:
        grader: The judge. Default claude-haiku-4-5.
    """
    judge = model_graded(
        name="abstention",
        prompt="judge/abstention",
        choices=("REFUSED", "ANSWERED"),
        empty_verdict="REFUSED",
    )

    async def score(state: TaskState, target: Target) -> Score | None:
        result = await judge(state, target)
        if result is None or not isinstance(result.value, Mapping):
            return result
        refused = float(str(result.value["refused"]))
        unanswerable = sample_metadata_or_default(state).question_type == UNANSWERABLE
        result.value = {
            "right": refused if unanswerable else nan,
            "wrong": nan if unanswerable else refused,
        }
        return result

    return score
