"""G-Eval: criteria, step-by-step reasoning, score (Liu et al., EMNLP 2023)."""

from collections.abc import Awaitable, Sequence
from typing import Annotated, Any, Literal

from inspect_ai.model import Model
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState
from pydantic import PlainValidator

from arag_inspect._util.encodable import encodable
from arag_inspect._util.errors import InputError
from arag_inspect.judge.context import Context
from arag_inspect.judge.panel import ask_panel
from arag_inspect.measure import DEFAULT_SCALE, GRADES, MeasureSpec, Scale, parse_scale
from arag_inspect.measures._geval.criteria import Judged, choose_criteria, is_built_in
from arag_inspect.measures._geval.panel import Against, Grading, JudgeGrades, materials_of
from arag_inspect.measures._question import asks_for_summary, check_has_answer
from arag_inspect.measures.guard import ScorerDetails, describe_scorer
from arag_inspect.measures.metrics import (
    disagreement,
    distribution,
    grounding,
    listed_shares,
    share_at_least,
)
from arag_inspect.measures.scorer import Positive, scorer

Grades = Annotated[Sequence[int], PlainValidator(parse_scale)]

_SHARED: dict[str, Any] = {
    "family": "judgement",
    "judged": True,
    "signature": ("judge", "criteria", "against", "scale", "weighted", "prompt"),
}

_MORE = [share_at_least(4), distribution(), disagreement(), listed_shares()]


@scorer(
    MeasureSpec(
        "geval",
        "G-Eval",
        description="Grade of the named dimension.",
        named_by="dimension",
        **GRADES,
    ),
    MeasureSpec("geval_*", "G-Eval *", "*", "Grade of another dimension.", **GRADES),
    more=[*_MORE, grounding()],
    must_detect=(),
    **_SHARED,
)
def geval(
    *,
    dimension: str,
    definition: str | None = None,
    criteria: str = "generated",
    regenerate_criteria: bool = False,
    scale: Grades = DEFAULT_SCALE,
    context: Context = "auto",
    against: Against | None = None,
    weighted: bool = False,
    samples: Positive = 5,
    max_source_tokens: Positive | None = None,
) -> Scorer:
    """Judge a property of an answer with a model, by default from 1 to 5 (best).

    1. Criteria come first: five named ones with descriptions of the lowest, the middle and the
       highest score. They are generated once per grader, dimension and prompt, for answers to
       questions and for summaries, and cached in `$ARAG_CACHE`, or pinned, or supplied by the user.
    2. The judge reasons through each criterion, quoting the material, and ends with one integer.
       The whole reasoning is the explanation; quotations that do not occur in the material are
       listed below it. Against a source, the judge labels every statement of the answer supported,
       distorted, absent, contradicted or vague; for coverage, every item of the reference stated,
       partly, missing or wrong. The metadata has the lists and their shares (`shares`).
    3. A reply without exactly one integer of the scale is retried once with the reason;
       after that the judge has no verdict. Without any verdict the sample is unscored. A grade of
       faithfulness or coverage that contradicts its list is retried once too; after that it counts,
       and the metadata says so (`contradiction`).
    4. With several graders (`--model-role grader=a,b`) the value is the mean of their verdicts;
       each is kept in the metadata.
    5. Text from documents and from the model under test is fenced and declared to be data.
    6. A source longer than the judge's window is never truncated: the judge first quotes the
       evidence for the answer from each part, quotations that do not occur in their part are
       dropped, and the verdict is given on the others. The metadata records this (`parts`).
    7. `against=both` judges twice, against the text that was read and against the whole document.
       The second verdict, which is the same measure for every system, is the value. The metadata
       classifies each unsupported statement as invented, true but not retrieved, or misread.
    8. An empty answer has the lowest score, without a call; its faithfulness is unscored.

    Model Roles:
        grader: The judge. Default claude-haiku-4-5.

    Args:
        dimension: Dimension to judge, e.g. `faithfulness`, `coverage`, or any other name with a
            `definition`.
        definition: Meaning of the dimension; required if it has no built-in criteria.
        criteria: `generated`, `pinned` (built-in), `legal` (pinned, for court opinions), or the
            path of a Markdown file.
        regenerate_criteria: Regenerate them, once in this run.
        scale: Lowest and highest score.
        context: Texts from which the answer was written, see `judge.context`.
        against: Material to grade against: the `context` that was read, `both` the context and the
            whole document, the `reference`, or `none`. None uses the criteria's.
        weighted: Give the expected score instead of the integer: from log-probabilities if the
            provider returns them and every score has one digit, otherwise the mean of `samples`
            replies at temperature 1.
        samples: Replies to average without log-probabilities.
        max_source_tokens: Longest source shown at once, in tokens; None uses 70 % of the judge's
            window.

    Raises:
        InputError: The dimension is unknown, a criteria file is unreadable, or a parameter is
            invalid.
    """
    base = choose_criteria(dimension, encodable(definition), criteria)
    if against is None:
        against = "context" if base.material == "source" else base.material
    grading = Grading(
        base,
        criteria,
        Scale(*scale),
        against,
        samples if weighted else 0,
        max_source_tokens,
        {} if regenerate_criteria else None,
    )
    if is_built_in(criteria) and grading.scale != DEFAULT_SCALE:
        raise InputError("pinned criteria are written for a scale from 1 to 5; drop scale")

    async def score(state: TaskState, target: Target) -> Score:
        answer = state.output.completion
        if grading.against == "reference":
            check_has_answer(state, target)
        if not answer.strip():
            return grading.lowest()
        materials = await materials_of(state, target, grading.against, context)
        judged: Judged = "summary" if asks_for_summary(state) else "answer"

        def ask(grader: Model, name: str) -> Awaitable[JudgeGrades]:
            return grading.ask(grader, name, judged, materials, answer)

        panel = await ask_panel(ask)
        origin = materials.deciding.origin if grading.against == "context" else ""
        return grading.score(panel, origin, materials.deciding.left_out)

    describe_scorer(score, ScorerDetails(scale=grading.scale))
    return score


@scorer(
    MeasureSpec(
        "geval_faithfulness",
        "Faithfulness",
        "Faithful",
        verb="is more faithful",
        role="primary",
        decides=("summary", "section"),
        aspect="faithfulness",
        exported="geval_faithfulness",
        stands_in_for=("geval_faithfulness.supported",),
        **GRADES,
    ),
    MeasureSpec(
        "geval_faithfulness.supported",
        "Statements supported",
        "Supported",
        (
            "Share of the answer's statements that the judge lists as supported, without "
            "vague judgements."
        ),
        verb="has more of its statements supported",
        role="primary",
        decides=("summary", "section"),
        aspect="statements supported",
        in_metadata=True,
    ),
    more=[*_MORE, grounding()],
    **_SHARED,
    sets={"summary": "default", "answer": "all"},
)
def geval_faithfulness(
    *,
    criteria: str = "generated",
    regenerate_criteria: bool = False,
    scale: Grades = DEFAULT_SCALE,
    context: Context = "auto",
    against: Literal["context", "both"] = "context",
    weighted: bool = False,
    samples: Positive = 5,
    max_source_tokens: Positive | None = None,
) -> Scorer:
    """Is every statement supported by the text that the system has read?

    `geval` of this dimension, and the share of statements that are supported. Stuffing is judged
    against the whole document, other systems against the passages they read; with `against=both`,
    all are also judged against the whole document.

    Model Roles:
        grader: The judge. Default claude-haiku-4-5.

    Args:
        criteria: `generated`, `pinned`, `legal` (pinned, for court opinions), or the path of a
            Markdown file.
        regenerate_criteria: Generate again, once in this run.
        scale: Lowest and highest score.
        context: Texts from which the answer was written.
        against: The `context` that was read, or `both` the context and the whole document.
        weighted: Give the expected score instead of the integer.
        samples: Replies to average without log-probabilities.
        max_source_tokens: Longest source shown at once, in tokens.
    """
    return geval(
        dimension="faithfulness",
        criteria=criteria,
        regenerate_criteria=regenerate_criteria,
        scale=scale,
        context=context,
        against=against,
        weighted=weighted,
        samples=samples,
        max_source_tokens=max_source_tokens,
    )


@scorer(
    MeasureSpec(
        "geval_coverage",
        "Coverage",
        description="Does the answer state what the reference states? Not counted: that the "
        "reference names no guidance, which only systems that read the whole document are "
        "asked to say.",
        verb="covers more",
        role="primary",
        decides=("summary", "section"),
        order=1,
        aspect="coverage",
        exported="geval_coverage",
        stands_in_for=("geval_coverage.stated",),
        **GRADES,
    ),
    MeasureSpec(
        "geval_coverage.stated",
        "Items stated",
        "Items",
        (
            "Share of the reference's items that the judge lists as stated; one stated partly "
            "counts half."
        ),
        verb="states more of the reference",
        role="primary",
        decides=("summary", "section"),
        order=1,
        aspect="items stated",
        in_metadata=True,
    ),
    more=_MORE,
    must_detect=("sentence_dropped",),
    compared_with="reference",
    **_SHARED,
    sets={"summary": "default"},
)
def geval_coverage(
    *,
    criteria: str = "generated",
    regenerate_criteria: bool = False,
    scale: Grades = DEFAULT_SCALE,
    weighted: bool = False,
    samples: Positive = 5,
) -> Scorer:
    """Does the answer state what the reference states?

    `geval` of this dimension, and the share of the reference's items that are stated. Repeated
    items and analysts' estimates do not count; the metadata lists them (`reference_left_out`).

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
    return geval(
        dimension="coverage",
        criteria=criteria,
        regenerate_criteria=regenerate_criteria,
        scale=scale,
        weighted=weighted,
        samples=samples,
    )
