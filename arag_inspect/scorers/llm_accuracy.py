"""Does an answer agree with the gold answer?"""

from inspect_ai.scorer import Scorer

from arag_inspect.judge import model_graded
from arag_inspect.scorers._metrics import by_question
from arag_inspect.scorers._scorer import scorer
from arag_inspect.types.measures import MeasureSpec, measures

KEYS = ("correct", "incorrect", "refusal")


MEASURES = measures(
    MeasureSpec(
        "correct",
        "Correct by judge",
        "Correct",
        description="Share of answers that agree with the gold answer.",
        noun="correctness by judge",
        role="primary",
    ),
    MeasureSpec("incorrect", "Incorrect by judge", "Incorrect", higher_is_better=False),
    MeasureSpec("refusal", "Refused by judge", "Refused", higher_is_better=None),
    scorer="llm_accuracy",
    family="judgement",
    signature=("judge", "prompt"),
)


@scorer(MEASURES, more=by_question())
def llm_accuracy() -> Scorer:
    """Judge whether an answer agrees with the gold answer.

    Other words, units, scales and roundings agree too.

    1. The judge sees the question, the gold answers (several are alternatives) and the answer,
       reasons, and says CORRECT, INCORRECT or REFUSAL. Each is a key of the value, 0 or 1, so that
       wrong answers and refusals are counted separately.
    2. A reply without a readable verdict is asked for once more with the reason; without any
       verdict the sample is unscored.
    3. With several graders each key is the share of them that chose it; each verdict is kept.
    4. An empty answer is a refusal, without a call. Unscored without a gold answer.

    Model Roles:
        grader: The judge. Default claude-haiku-4-5.
    """
    return model_graded(
        name="llm_accuracy",
        prompt="judge/accuracy",
        choices=[key.upper() for key in KEYS],
        empty_verdict="REFUSAL",
    )
