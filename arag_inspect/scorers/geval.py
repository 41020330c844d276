"""G-Eval: criteria, step-by-step reasoning, score (Liu et al., EMNLP 2023)."""

from collections.abc import Sequence
from typing import Literal

from inspect_ai.scorer import Scorer

from arag_inspect.judge.context import Context
from arag_inspect.scorers._geval import Against, judged_by_criteria
from arag_inspect.scorers._metrics import (
    disagreement,
    distribution,
    estimates,
    grounding,
    share_at_least,
)
from arag_inspect.scorers._scorer import scorer
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


@scorer(MEASURES, metrics=[*_METRICS, grounding()])
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
    """Judge a property of an answer with a model, by default from 1 to 5 (best).

    1. Criteria come first: five named ones with descriptions of the lowest, the middle and the
       highest score. They are generated once per grader, dimension and prompt and cached in
       `$ARAG_CACHE`, or pinned, or the user's.
    2. The judge reasons through each criterion, quoting the material, and ends with one integer.
       The whole reasoning is the explanation; quotations that do not occur in the material are
       named below it.
    3. A reply without exactly one integer of the scale is asked for once more with the reason;
       after that the judge has no verdict. Without any verdict the sample is unscored.
    4. With several graders (`--model-role grader=a,b`) the value is the mean of their verdicts;
       each is kept in the metadata.
    5. Text from documents and from the model under test is fenced and declared to be data.
    6. A source longer than the judge's window is never truncated: the judge first quotes the
       evidence for the answer from each part, quotations that do not occur in their part are
       dropped, and the verdict is given on the rest. The metadata record it (`parts`).
    7. `against=both` judges twice, against the text that was read and against the whole document.
       The value is the second, which is the same measure for every system; the metadata classify
       each unsupported statement as invented, true but not retrieved, or misread.
    8. An empty answer has the lowest score, without a call.

    Model Roles:
        grader: The judge. Default claude-haiku-4-5.

    Args:
        dimension: Dimension to judge, e.g. `faithfulness`, `coverage`, or any other name with a
            `definition`.
        definition: Meaning of the dimension; required if it has no built-in criteria.
        criteria: `generated`, `pinned` (built-in), `legal` (pinned, for court opinions), or the
            path of a Markdown file.
        regenerate_criteria: Generate again, once in this run.
        scale: Lowest and highest score.
        context: Texts from which the answer was written, see `judge.context`.
        against: Material of the grading: the `context` that was read, `both` this and the whole
            document, the `reference` or `none`; None uses the criteria's.
        weighted: Give the expected score instead of the integer: by log-probabilities if the
            provider returns them and every score is one token, or else the mean of `samples`
            replies at temperature 1.
        samples: Replies to average without log-probabilities.
        max_source_tokens: Longest source shown at once, in tokens; None uses 70 % of the judge's
            window.

    Raises:
        InputError: The dimension is unknown, a criteria file cannot be read, or a parameter is
            invalid.
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


@scorer(FAITHFULNESS, metrics=[*_METRICS, grounding()])
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
    """Is every statement supported by the text that the system has read? See `geval`.

    Stuffing is judged against the whole document, other systems against the passages
    they read; with `against=both`, all are also judged against the whole document.

    Model Roles:
        grader: The judge. Default claude-haiku-4-5.

    Args:
        criteria: `generated`, `pinned`, `legal` (pinned, for court opinions), or the path of a
            Markdown file.
        regenerate_criteria: Generate again, once in this run.
        scale: Lowest and highest score.
        context: Texts from which the answer was written.
        against: The `context` that was read, or `both` this and the whole document.
        weighted: Give the expected score instead of the integer.
        samples: Replies to average without log-probabilities.
        max_source_tokens: Longest source shown at once, in tokens.
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


@scorer(COVERAGE, metrics=_METRICS)
def geval_coverage(
    *,
    criteria: str = "generated",
    regenerate_criteria: bool = False,
    scale: Sequence[int] = USUAL,
    weighted: bool = False,
    samples: int = 5,
) -> Scorer:
    """Does the answer state what the reference states? See `geval`.

    Model Roles:
        grader: The judge. Default claude-haiku-4-5.

    Args:
        criteria: `generated`, `pinned`, `legal` (pinned, for court opinions), or the path of a
            Markdown file.
        regenerate_criteria: Generate again, once in this run.
        scale: Lowest and highest score.
        weighted: Give the expected score instead of the integer.
        samples: Replies to average without log-probabilities.
    """
    return judged_by_criteria(
        "coverage",
        criteria=criteria,
        regenerate=regenerate_criteria,
        scale=scale,
        samples=samples if weighted else 0,
    )
