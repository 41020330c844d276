"""Judge whether an answer addresses the question."""

from inspect_ai.scorer import Scorer

from arag_inspect.judge import choice_form, model_graded
from arag_inspect.measure import MeasureSpec
from arag_inspect.measures.metrics import disagreement
from arag_inspect.measures.scorer import scorer

_VALUES = {"FULL": 1.0, "PARTIAL": 0.5, "NONE": 0.0}


@scorer(
    MeasureSpec("answer_relevance", "Answer relevant", "To the point", noun="relevance of answers"),
    family="judgement",
    judged=True,
    must_detect=None,
    role="secondary",
    signature=("judge", "prompt"),
    more=[disagreement()],
    sets={"answer": "all"},
)
def answer_relevance() -> Scorer:
    """Judge whether an answer addresses the question, right or wrong.

    1. The judge sees question and answer, but neither gold nor passages, and says FULL (1),
       PARTIAL (0.5: a part is omitted, or much was not asked) or NONE (0: it is about something
       else, or declines).
    2. A reply without a readable verdict is retried once with the reason; without any
       verdict the sample is unscored. With several graders the value is the mean of theirs.
    3. An empty answer is 0, without a call.

    Model Roles:
        grader: The judge. Default claude-haiku-4-5.
    """
    return model_graded(
        name="answer_relevance",
        prompt="judge/answer_relevance",
        form=choice_form(tuple(_VALUES)),
        value=_VALUES.__getitem__,
        empty_verdict="NONE",
    )
