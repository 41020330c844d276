"""Grades by the gravest error of a summary."""

from inspect_ai.scorer import Scorer

from arag_inspect.judge import Context, integer_form, model_graded
from arag_inspect.judge.rubrics import BUCKETS, load_rubric
from arag_inspect.measure import MeasureSpec
from arag_inspect.measures.metrics import disagreement
from arag_inspect.measures.scorer import Positive, scorer

_WORST = BUCKETS[0]
_BEST = BUCKETS[-1]


@scorer(
    MeasureSpec(
        "severity_judge", "Free of grave errors", "Severity", noun="absence of grave errors"
    ),
    family="judgement",
    judged=True,
    role="secondary",
    low=0.2,
    signature=("against", "judge", "prompt", "rubric"),
    more=[disagreement()],
    sets={"summary": "all"},
)
def severity_judge(
    *,
    rubric: str = "financial",
    context: Context = "auto",
    max_source_tokens: Positive | None = None,
) -> Scorer:
    """Grade a summary by its gravest error, from 5 (perfect) to 1 (fail).

    The grades are 5 perfect, 4 minor, 3 major, 2 critical, 1 fail.

    1. The judge has the rubric's persona and grades. It sees the source of the summary and, if
       there is one, the reference; it lists the errors, and gives the grade of the worst. The value
       is the grade / 5: 0.2 to 1.
    2. A reply without a readable verdict is retried once with the reason; without any
       verdict the sample is unscored.
    3. With several graders the value is the mean of theirs; each verdict is kept, and
       `disagreement` is a metric.
    4. A source longer than the judge's window is read in parts, and the judge sees quotations from
       all of them.
    5. An empty answer fails, without a call. Unscored if there is neither a source nor a reference.

    Model Roles:
        grader: The judge. Default claude-haiku-4-5.

    Args:
        rubric: `financial`, `legal`, `legal_partner`, or the path of a Markdown file, see
            `judge.rubrics`.
        context: Texts from which the summary was written, see `judge.context`.
        max_source_tokens: Longest source shown at once, in tokens; None uses 70 % of the judge's
            window.

    Raises:
        InputError: The rubric is unreadable, the context is unknown, or `max_source_tokens` is not
            a positive number.
    """
    buckets = load_rubric(rubric)
    return model_graded(
        name="severity_judge",
        prompt="judge/severity",
        form=integer_form(_WORST, _BEST),
        value=lambda grade: float(grade / _BEST),
        empty_verdict=_WORST,
        settings={"persona": buckets.persona, "buckets": buckets.buckets},
        any_of=("source", "reference"),
        context=context,
        max_source_tokens=max_source_tokens,
        signed={"rubric": f"{buckets.name}:{buckets.digest}"},
    )
