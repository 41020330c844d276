"""G-Eval: criteria first, then step-by-step reasoning, then a score (Liu et al., EMNLP 2023)."""

from collections.abc import Sequence
from typing import Literal

from inspect_ai.scorer import Scorer

from arag_inspect.judge.context import Context
from arag_inspect.scorers._geval import Against, judged_by_criteria
from arag_inspect.scorers._shared.border import scorer
from arag_inspect.scorers._shared.metrics import (
    disagreement,
    distribution,
    estimates,
    grounding,
    share_at_least,
)
from arag_inspect.types.measures import MeasureSpec, measures
from arag_inspect.types.scale import USUAL

_METRICS = [*estimates(), share_at_least(4), distribution(), disagreement()]


def _grades(*specs: MeasureSpec) -> tuple[MeasureSpec, ...]:
    return measures(
        *specs,
        family="judgement",
        low=USUAL.low,
        high=USUAL.high,
        graded=True,
        signature=("judge", "criteria", "against", "scale", "weighted", "prompt"),
    )


MEASURES = _grades(
    MeasureSpec("geval", "G-Eval", "G-Eval", "Grade of the named dimension."),
    MeasureSpec("geval_*", "G-Eval *", "*", "Grade of another dimension."),
)
FAITHFULNESS = _grades(
    MeasureSpec(
        "geval_faithfulness",
        "Faithfulness",
        "Faithful",
        "Grade: is every statement supported by what the system read?",
        role="primary",
    )
)
COVERAGE = _grades(
    MeasureSpec(
        "geval_coverage",
        "Coverage",
        "Coverage",
        "Grade: does the answer state what the reference states?",
        role="primary",
    )
)


@scorer(metrics=[*_METRICS, grounding()], measures=MEASURES)
def geval(
    *,
    dimension: str,
    definition: str | None = None,
    criteria: str = "generated",
    regenerate_criteria: bool = False,
    scale: Sequence[int] = USUAL,
    context: Context = "auto",
    against: Against | None = None,
    weighted: bool = False,
    samples: int = 5,
    max_source_tokens: int | None = None,
) -> Scorer:
    """Judge a property of an answer with a model, by default from 1 (worst) to 5 (best).

    1. Criteria come first: five named ones with what the lowest, the middle and the highest score look like. They are generated once per grader, dimension and prompt and kept in `$ARAG_CACHE`, or pinned, or the user's.
    2. The judge reasons through each criterion, quoting the material, and ends with one integer. The whole reasoning is the explanation; quotations that do not stand in the material are named below it.
    3. A reply without exactly one integer of the scale is asked for once more with the reason; after that the judge has no verdict. Without any verdict the sample is unscored.
    4. With several graders (`--model-role grader=a,b`) the value is the mean of their verdicts; each is kept in the metadata.
    5. What comes from documents or from the model under test is fenced and declared to be data.
    6. A source longer than the judge's window is never cut: the judge first quotes from each part what bears on the answer, quotations that do not stand in their part are dropped, and the verdict is given on the rest. The metadata say so (`parts`).
    7. `against=both` judges twice, against what was read and against the whole document. The value is the second, which is the same measure for every system; the metadata tell of each unsupported statement whether it was invented, true but not retrieved, or misread.
    8. An empty answer has the lowest score, without a call.

    Model Roles:
        grader: Who judges. Default claude-haiku-4-5.

    Args:
        dimension: What is judged, e.g. `faithfulness`, `coverage`, or any other name with a `definition`.
        definition: What the dimension means; needed where no criteria ship for it.
        criteria: `generated`, `pinned` (what ships with the package), `legal` (pinned, for court opinions), or the path of a Markdown file.
        regenerate_criteria: Generate again, once in this run.
        scale: Lowest and highest score.
        context: Where to find what the answer was written from, see `judge.context`.
        against: What to hold the answer against: the `context` that was read, `both` this and the whole document, the `reference` or `none`; None takes what the criteria say.
        weighted: Give the expected score instead of the integer: by log-probabilities where the provider returns them, or else the mean of `samples` replies at temperature 1.
        samples: Replies to average where there are no log-probabilities.
        max_source_tokens: Longest source that is shown at once; None takes 70 % of the judge's window.

    Raises:
        InputError: Nothing is known of the dimension, a file of criteria cannot be read, or a parameter makes no sense.
    """
    return judged_by_criteria(
        dimension,
        definition=definition,
        criteria=criteria,
        regenerate=regenerate_criteria,
        scale=scale,
        context=context,
        against=against,
        samples=samples if weighted else 0,
        max_source_tokens=max_source_tokens,
    )


@scorer(metrics=[*_METRICS, grounding()], measures=FAITHFULNESS)
def geval_faithfulness(
    *,
    criteria: str = "generated",
    regenerate_criteria: bool = False,
    scale: Sequence[int] = USUAL,
    context: Context = "auto",
    against: Literal["context", "both"] = "context",
    weighted: bool = False,
    samples: int = 5,
    max_source_tokens: int | None = None,
) -> Scorer:
    """Is every statement supported by what the system has read? See `geval`.

    Stuffing is held against the whole document, the others against the passages
    they read; with `against=both` all of them against the whole document too.

    Model Roles:
        grader: Who judges. Default claude-haiku-4-5.

    Args:
        criteria: `generated`, `pinned`, `legal` (pinned, for court opinions), or the path of a Markdown file.
        regenerate_criteria: Generate again, once in this run.
        scale: Lowest and highest score.
        context: Where to find what the answer was written from.
        against: The `context` that was read, or `both` this and the whole document.
        weighted: Give the expected score instead of the integer.
        samples: Replies to average where there are no log-probabilities.
        max_source_tokens: Longest source that is shown at once.
    """
    return judged_by_criteria(
        "faithfulness",
        criteria=criteria,
        regenerate=regenerate_criteria,
        scale=scale,
        context=context,
        against=against,
        samples=samples if weighted else 0,
        max_source_tokens=max_source_tokens,
    )


@scorer(metrics=_METRICS, measures=COVERAGE)
def geval_coverage(
    *,
    criteria: str = "generated",
    regenerate_criteria: bool = False,
    scale: Sequence[int] = USUAL,
    weighted: bool = False,
    samples: int = 5,
) -> Scorer:
    """Does the answer tell what the reference tells? See `geval`.

    Model Roles:
        grader: Who judges. Default claude-haiku-4-5.

    Args:
        criteria: `generated`, `pinned`, `legal` (pinned, for court opinions), or the path of a Markdown file.
        regenerate_criteria: Generate again, once in this run.
        scale: Lowest and highest score.
        weighted: Give the expected score instead of the integer.
        samples: Replies to average where there are no log-probabilities.
    """
    return judged_by_criteria(
        "coverage",
        criteria=criteria,
        regenerate=regenerate_criteria,
        scale=scale,
        samples=samples if weighted else 0,
    )
