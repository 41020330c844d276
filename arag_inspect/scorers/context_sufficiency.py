"""Can the question be answered from what was read?"""

from inspect_ai.scorer import Scorer

from arag_inspect.judge import Context, model_graded
from arag_inspect.scorers._scorer import Positive, scorer
from arag_inspect.types.measures import MeasureSpec, measures

GRADES = ("sufficient", "partial", "insufficient")

MEASURES = measures(
    MeasureSpec(
        "sufficient",
        "Context sufficient",
        "Sufficient",
        noun="sufficiency of what was read",
        role="secondary",
    ),
    MeasureSpec("partial", "Context partly sufficient", "Partial", higher_is_better=None),
    MeasureSpec("insufficient", "Context insufficient", "Insufficient", higher_is_better=False),
    scorer="context_sufficiency",
    family="retrieval",
    signature=("against", "judge", "prompt"),
)


@scorer(MEASURES, any_length=True)
def context_sufficiency(
    *, context: Context = "auto", max_source_tokens: Positive | None = None
) -> Scorer:
    """Judge whether the question can be answered from what was read, without gold.

    1. The judge sees the question and the passages read, not the answer, and says SUFFICIENT,
       PARTIAL or INSUFFICIENT. Each is a key of the value, 0 or 1. The report crosses them with
       right, wrong and abstained: wrong in spite of sufficient evidence is the writer's fault, right
       without it is memory or luck.
    2. A reply without a readable verdict is asked for once more with the reason; without any
       verdict the sample is unscored. With several graders each key is the share that chose it.
    3. A source longer than the judge's window is read in parts.
    4. Unscored if nothing was read.

    Model Roles:
        grader: The judge. Default claude-haiku-4-5.

    Args:
        context: Where to find what was read, see `judge.context`.
        max_source_tokens: Longest source shown at once, in tokens; None uses 70 % of the judge's
            window.

    Raises:
        InputError: The context is unknown, or `max_source_tokens` is not a positive number.

    Source: Joren et al., "Sufficient Context", ICLR 2025, with a third grade.
    """
    return model_graded(
        name="context_sufficiency",
        prompt="judge/context_sufficiency",
        choices=[grade.upper() for grade in GRADES],
        context=context,
        max_source_tokens=max_source_tokens,
    )
