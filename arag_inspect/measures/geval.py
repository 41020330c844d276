"""G-Eval: criteria, step-by-step reasoning, score (Liu et al., EMNLP 2023)."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Annotated, Any, Literal, NamedTuple, cast

import anyio.to_thread
from inspect_ai.model import Model
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState
from pydantic import PlainValidator

from arag_inspect._util.encodable import encodable
from arag_inspect._util.errors import InputError
from arag_inspect.judge._calls import collect_all
from arag_inspect.judge.context import Context, no_source, resolve_context, whole_document
from arag_inspect.judge.criteria import Criteria, choose_criteria, generated_criteria, is_pinned
from arag_inspect.judge.dimension import (
    DimensionVerdict,
    GroundingError,
    JudgedAgainst,
    faults,
    judge_dimension,
)
from arag_inspect.judge.graded_lists import ListKind, list_kind
from arag_inspect.judge.judge import ask_panel
from arag_inspect.judge.material import places_of
from arag_inspect.judge.references import reference_of
from arag_inspect.judge.scorer import JudgeOpinion, judged_signature, panel_score
from arag_inspect.judge.unscored import UnscoredError, no_reference
from arag_inspect.measure import DEFAULT_SCALE, MeasureSpec, Scale, parse_scale
from arag_inspect.measures._metrics import (
    disagreement,
    distribution,
    grounding,
    listed_shares,
    share_at_least,
)
from arag_inspect.measures._scorer import Positive, scorer
from arag_inspect.prompts import load_prompt

Against = Literal["context", "both", "reference", "none"]
Grades = Annotated[Sequence[int], PlainValidator(parse_scale)]

_GRADED: dict[str, Any] = {"low": DEFAULT_SCALE.low, "high": DEFAULT_SCALE.high, "graded": True}
_SHARED: dict[str, Any] = {
    "family": "judgement",
    "judged": True,
    "signature": ("judge", "criteria", "against", "scale", "weighted", "prompt"),
}


_MORE = [share_at_least(4), distribution(), disagreement(), listed_shares()]
_SCALE = "arag_scale"

_LISTS = ("lists/statements", "lists/items", "grades/statements", "grades/items", "grades/mean")
"""Prompts that ask for the lists, and say how a grade follows from them."""

_Verdicts = dict[str, DimensionVerdict]
"""One judge's verdicts, by material; the last one decides."""


@scorer(
    MeasureSpec("geval", "G-Eval", "G-Eval", "Grade of the named dimension.", **_GRADED),
    MeasureSpec("geval_*", "G-Eval *", "*", "Grade of another dimension.", **_GRADED),
    more=[*_MORE, grounding()],
    held_to=(),
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
       highest score. They are generated once per grader, dimension and prompt and cached in
       `$ARAG_CACHE`, or pinned, or the user's.
    2. The judge reasons through each criterion, quoting the material, and ends with one integer.
       The whole reasoning is the explanation; quotations that do not occur in the material are
       named below it. Against a source it lists every statement of the answer as supported,
       distorted, absent, contradicted or vague; for coverage, every item of the reference as
       stated, partly, missing or wrong. The metadata have the lists and what they count (`shares`).
    3. A reply without exactly one integer of the scale is asked for once more with the reason;
       after that the judge has no verdict. Without any verdict the sample is unscored. A grade of
       faithfulness or coverage that its list refutes is asked for once more too; after that it
       counts, and the metadata say so (`contradiction`).
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
    base = choose_criteria(dimension, encodable(definition), criteria)
    material = against or ("context" if base.material == "source" else base.material)
    grading = _Grading(
        base,
        criteria,
        Scale(*scale),
        cast(Against, material),
        samples if weighted else 0,
        max_source_tokens,
    )
    if is_pinned(criteria) and grading.scale != DEFAULT_SCALE:
        raise InputError("pinned criteria are written for a scale from 1 to 5; drop scale")
    regenerated: set[str] = set()

    async def score(state: TaskState, target: Target) -> Score:
        answer, ends = state.output.completion, list(grading.scale)
        if not answer.strip():
            shares = {"shares": {kind.measure: 0.0}} if (kind := grading.kind) else {}
            return Score(value=ends[0], metadata={"signature": None, "scale": ends, **shares})
        materials = await _materials(state, target, grading.against, context)

        def ask(grader: Model, name: str) -> Awaitable[_Verdicts]:
            again = regenerate_criteria and str(grader) not in regenerated
            regenerated.add(str(grader))
            return grading.ask(grader, name, again, materials, answer)

        origin = f":{materials['context'].origin}" if grading.against == "context" else ""
        verdicts = await ask_panel(ask)
        left_out = [material.left_out for material in materials.values()]
        return grading.score(verdicts, answer, grading.against + origin, left_out[-1])

    setattr(score, _SCALE, grading.scale)
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
        **_GRADED,
    ),
    MeasureSpec(
        "geval_faithfulness.supported",
        "Statements supported",
        "Supported",
        "Share of the answer's statements that the judge lists as supported, without vague judgements.",
        verb="has more of its statements supported",
        role="primary",
        decides=("summary", "section"),
        aspect="statements supported",
        in_metadata=True,
    ),
    more=[*_MORE, grounding()],
    **_SHARED,
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
        against: The `context` that was read, or `both` this and the whole document.
        weighted: Give the expected score instead of the integer.
        samples: Replies to average without log-probabilities.
        max_source_tokens: Longest source shown at once, in tokens.
    """
    return geval(dimension="faithfulness", **locals())


@scorer(
    MeasureSpec(
        "geval_coverage",
        "Coverage",
        description="Does the answer state what the reference states? Not counted: that the reference "
        "names no guidance, which only systems that read the whole document are asked to say.",
        verb="covers more",
        role="primary",
        decides=("summary", "section"),
        place=1,
        aspect="coverage",
        exported="geval_coverage",
        stands_in_for=("geval_coverage.stated",),
        **_GRADED,
    ),
    MeasureSpec(
        "geval_coverage.stated",
        "Items stated",
        "Items",
        "Share of the reference's items that the judge lists as stated; one stated partly counts half.",
        verb="states more of the reference",
        role="primary",
        decides=("summary", "section"),
        place=1,
        aspect="items stated",
        in_metadata=True,
    ),
    more=_MORE,
    held_to=("sentence_dropped",),
    compared_with="reference",
    **_SHARED,
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

    `geval` of this dimension, and the share of the reference's items that are stated. An item that
    another one repeats and an analysts' estimate do not count; the metadata name them
    (`reference_left_out`).

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
    return geval(dimension="coverage", **locals())


def scale_of_scorer(scorer: Scorer) -> Scale:
    """Return the scale of a scorer."""
    scale: Scale = getattr(scorer, _SCALE, DEFAULT_SCALE)
    return scale


async def _materials(
    state: TaskState, target: Target, against: Against, context: Context
) -> dict[str, JudgedAgainst]:
    """Return the materials of the grading by name."""
    if against == "none":
        return {"none": JudgedAgainst("none")}
    if against == "reference":
        reference = await anyio.to_thread.run_sync(reference_of, list(target))
        if not reference.text:
            raise no_reference(state)
        texts, left_out = [reference.text], reference.left_out()
        return {"reference": JudgedAgainst("reference", texts=texts, left_out=left_out)}
    read = await resolve_context(state, context)
    materials = {}
    if read.texts:
        materials["context"] = JudgedAgainst("source", *read, await places_of(state, read))
    if against == "both":
        document = await whole_document(state)
        if not document.texts:
            why = "The whole document is neither in the log nor in a prepared corpus."
            raise UnscoredError("no_document", why)
        origins = await places_of(state, document)
        materials["source"] = JudgedAgainst("source", *document, origins)
    if not materials:
        raise no_source(read, "There is no material to judge the answer against.")
    return materials


class _Grading(NamedTuple):
    """How answers are graded."""

    base: Criteria
    criteria: str
    scale: Scale
    against: Against
    samples: int
    """Replies to average without log-probabilities; 0 for the integer score."""

    max_source_tokens: int | None

    @property
    def kind(self) -> ListKind | None:
        """What judges list with their grades."""
        is_source = self.against in ("context", "both")
        return list_kind(self.base.dimension, "source" if is_source else self.against)

    async def ask(
        self,
        grader: Model,
        name: str,
        regenerate: bool,
        materials: dict[str, JudgedAgainst],
        answer: str,
    ) -> _Verdicts:
        """Let one judge grade against each material; the same text is judged once.

        The deciding verdict includes the cost of the others, and of criteria generated for it.
        """
        criteria, writing = self.base, None
        if self.criteria == "generated":
            criteria, writing = await generated_criteria(grader, criteria, *self.scale, regenerate)
            if writing is not None and writing.verdict is None:
                failed = DimensionVerdict(replace(writing, grader=name), criteria, None)
                return dict.fromkeys(materials, failed)
        by_text = {"\n\n".join(material.texts): material for material in materials.values()}

        async def grade(material: JudgedAgainst) -> DimensionVerdict:
            return await judge_dimension(
                grader,
                criteria,
                self.scale,
                material,
                answer,
                name=name,
                samples=self.samples,
                max_source_tokens=self.max_source_tokens,
            )

        verdicts = await collect_all(*map(grade, by_text.values()))
        *others, deciding = (verdict.judgement for verdict in verdicts)
        for judgement in (*others, *filter(None, [writing])):
            deciding.add_cost(judgement)
        judged = dict(zip(by_text, verdicts, strict=True))
        return {key: judged["\n\n".join(material.texts)] for key, material in materials.items()}

    def score(
        self,
        panel: Sequence[_Verdicts],
        answer: str,
        against: str,
        left_out: Mapping[str, Sequence[str]],
    ) -> Score:
        """Combine the verdicts of all judges; name what of the reference was left out."""
        deciding = [list(verdicts.values())[-1] for verdicts in panel]
        digests = sorted({verdict.criteria.digest for verdict in deciding})
        signed = judged_signature(
            f"geval_{self.base.dimension}",
            *(
                load_prompt(f"judge/{name}")
                for name in ("geval", "geval_source", "geval_reference", *_LISTS)
            ),
            judge="+".join(verdict.judgement.grader for verdict in deciding),
            criteria=f"{self.criteria}:{'+'.join(digests)}",
            against=against,
            scale=self.scale,
            weighted=self.samples > 0,
        )
        opinions = [
            JudgeOpinion(grade.judgement, grade.value, grade.explanation(), grade.as_dict())
            for grade in deciding
        ]
        faulty = _grounding(panel) if self.against == "both" else {}
        metadata = {"scale": list(self.scale), **self._shares(deciding), **faulty}
        if left_out:
            metadata["reference_left_out"] = left_out
        return panel_score(opinions, answer, signed=signed, **metadata)

    def _shares(self, deciding: Sequence[DimensionVerdict]) -> dict[str, Any]:
        """Return the mean share of the judges' lists, or why there is none, for the metadata."""
        if self.kind is None:
            return {}
        shares = [verdict.share for verdict in deciding if verdict.share is not None]
        if shares:
            return {"shares": {self.kind.measure: fmean(shares)}}
        return {"unscored": {self.kind.measure: "nothing_listed"}}


def _grounding(panel: Sequence[_Verdicts]) -> dict[str, Any]:
    """Return the mean score against the text read, and each unsupported statement's fault."""
    complete = [grades for grades in panel if all(v.value is not None for v in grades.values())]
    read = [grades["context"] for grades in panel if "context" in grades]
    values = [grades["context"].value or 0.0 for grades in complete if "context" in grades]
    by_statement: dict[str, GroundingError] = {}
    for grades in complete:
        source = grades["source"].unsupported
        by_statement |= faults(grades.get("context", grades["source"]).unsupported, source)
    return {
        **({"context": fmean(values)} if values else {}),
        "judges_context": [verdict.as_dict() for verdict in read],
        **({"faults": by_statement} if complete else {}),
    }
