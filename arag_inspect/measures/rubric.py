"""Grades by a rubric of weighted criteria."""

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

from inspect_ai.model import Model
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState
from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
)

from arag_inspect._util.errors import InputError, first_error
from arag_inspect._util.yaml_text import read_yaml
from arag_inspect.judge.concurrency import collect_all
from arag_inspect.judge.judge import judge
from arag_inspect.judge.judgement import combine
from arag_inspect.judge.model_graded import JudgeOpinion, judged_signature, panel_score
from arag_inspect.judge.panel import ask_panel
from arag_inspect.judge.parsing import StrictModel, VerdictForm, json_form
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.measure import MeasureSpec
from arag_inspect.measures.metrics import disagreement, listed_shares
from arag_inspect.measures.scorer import Positive, scorer
from arag_inspect.prompts import fence, fill, load_prompt, numbered_fences
from arag_inspect.text.replies import ReplyParseError

_MOST = 100
"""Maximum criteria per sample."""


class RubricCriterion(BaseModel):
    """A criterion and its points, negative if meeting it is a fault."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    criterion: str = Field(
        min_length=1,
        validation_alias=AliasChoices("criterion", "criteria", "description", "requirement"),
    )
    points: float = Field(
        default=1, allow_inf_nan=False, validation_alias=AliasChoices("points", "weight")
    )
    dealbreaker: bool = Field(
        default=False, validation_alias=AliasChoices("dealbreaker", "must", "required", "critical")
    )
    """Whether the answer scores 0 if the criterion is not met, or, for a fault, if it is met."""

    category: str = Field(default="", validation_alias=AliasChoices("category", "axis"))

    def is_passed(self, met: bool) -> bool:
        """Return whether an answer is as it should be: the criterion met, or a fault avoided."""
        return met == (self.points >= 0)


def _parse_criterion(value: Any) -> Any:
    return {"criterion": value} if isinstance(value, str) else value


_Criteria = Annotated[
    list[Annotated[RubricCriterion, BeforeValidator(_parse_criterion)]], Field(max_length=_MOST)
]
_LIST: TypeAdapter[list[RubricCriterion]] = TypeAdapter(_Criteria)
_FILE: TypeAdapter[dict[str, list[RubricCriterion]] | list[RubricCriterion]] = TypeAdapter(
    dict[str, _Criteria] | _Criteria
)


class _CriterionVerdict(StrictModel):
    number: int
    reason: str
    met: bool


class _Verdicts(StrictModel):
    criteria: list[_CriterionVerdict]


_EXAMPLE = '{"criteria": [{"number": 1, "reason": "one sentence", "met": true}, ...]}'


@scorer(
    MeasureSpec(
        "rubric",
        "Rubric",
        noun="points of its rubric",
        role="primary",
        decides=(),
        aspect="criteria",
    ),
    MeasureSpec(
        "rubric.all_pass",
        "Rubric, all criteria",
        "All",
        "Share of answers that pass every criterion of their rubric.",
        verb="passes all criteria more often",
        role="secondary",
        in_metadata=True,
    ),
    family="judgement",
    judged=True,
    signature=("judge", "prompt", "batch"),
    more=[disagreement(), listed_shares()],
    sets={"answer": "all"},
)
def rubric(*, file: str | None = None, batch: Positive = 10) -> Scorer:
    """Points of the weighted criteria that an answer meets, 0 if it misses a dealbreaker.

    1. Criteria are texts or `criterion` with `points` (default 1; negative for a fault),
       `dealbreaker` and `category`, at most 100 a sample: a list in the sample's metadata under
       `rubric`, or a YAML or JSON file with a list for every sample, or with a list by sample id.
       `weight`, `must` and `axis` are read as `points`, `dealbreaker` and `category`.
    2. The judge sees the question, the answer and up to `batch` criteria per call, without points,
       and says whether each is true of the answer: "does not mention X" is met if X is absent. A
       reply that is unreadable or leaves a criterion out is retried once with the reason.
    3. The value is the sum of the points of the criteria met / the sum of the positive points, at
       least 0. It is 0 if a dealbreaker with positive points is not met, or one with negative
       points is met. `all_pass` is 1 if every criterion is passed: met or, with negative points,
       not met.
    4. A judge without a verdict on any criterion is ignored; without any judge left the sample is
       unscored. With several graders each value is the mean of theirs.
    5. An empty answer is 0, without a call. Unscored without a criterion of positive points.

    Metadata: for each judge its `criteria`, each with points, category, and whether it is met and
    passed; `shares` has `all_pass`. The report lists the criteria passed least often, and the
    share passed by category.

    Model Roles:
        grader: The judge. Default claude-haiku-4-5.

    Args:
        file: Criteria, instead of those in the metadata.
        batch: Criteria per call. A larger batch costs less, but each verdict then depends on its
            neighbours.

    Raises:
        InputError: The file is unreadable, or a criterion is invalid.

    Source: HealthBench, arXiv 2505.08775.
    """
    criteria_in_file = None if file is None else _read(Path(file).expanduser())

    async def score(state: TaskState, target: Target) -> Score:
        criteria = _sample_criteria(state, criteria_in_file)
        if not any(criterion.points > 0 for criterion in criteria):
            raise UnscoredError("no_criteria", "The sample has no criterion of positive points.")
        answer = state.output.completion
        prompt = load_prompt("judge/rubric")
        signed = judged_signature("rubric", prompt, batch=batch)
        if not answer.strip():
            empty_result = {"shares": {"all_pass": 0.0}}
            return Score(value=0.0, metadata={"signature": signed, "judges": [], **empty_result})
        fields = {
            "question": fence("question", state.input_text),
            "answer": fence("answer", answer),
        }
        batches = [criteria[start : start + batch] for start in range(0, len(criteria), batch)]
        prompts = []
        for items in batches:
            fenced = numbered_fences("criterion", [item.criterion for item in items])
            prompts.append(fill(prompt, **fields, criteria=fenced))
        opinions = await ask_panel(partial(_judge_batches, prompts=prompts, batches=batches))
        passes = [opinion.record["all_pass"] for opinion in opinions if opinion.value is not None]
        metadata: dict[str, Any] = {"shares": {"all_pass": fmean(passes)}} if passes else {}
        return panel_score(opinions, signed=signed, **metadata)

    return score


async def _judge_batches(
    grader: Model,
    name: str,
    *,
    prompts: Sequence[str],
    batches: Sequence[Sequence[RubricCriterion]],
) -> JudgeOpinion:
    """Let one grader judge every criterion, a batch per call."""
    questions = [
        judge(grader, prompt, _build_form(len(items)), name=name)
        for prompt, items in zip(prompts, batches, strict=True)
    ]
    judgements = await collect_all(*questions)
    combined = combine(name, judgements)
    records = []
    for items, judgement in zip(batches, judgements, strict=True):
        verdicts: Sequence[_CriterionVerdict | None] = judgement.verdict or [None] * len(items)
        for criterion, verdict in zip(items, verdicts, strict=True):
            records.append(_build_record(criterion, verdict))
    value = _score_points(records)
    all_pass = None
    if value is not None:
        all_pass = float(all(record["passed"] for record in records))
    explanation = "\n".join(_format_record(record) for record in records)
    opinion_fields = {
        **combined.as_dict(),
        "verdict": value,
        "all_pass": all_pass,
        "criteria": records,
    }
    return JudgeOpinion(combined, value, explanation, opinion_fields)


@cache
def _build_form(count: int) -> VerdictForm[list[_CriterionVerdict]]:
    """Return the form of a verdict on each of some criteria."""

    def in_order(reply: _Verdicts) -> list[_CriterionVerdict]:
        verdicts = sorted(reply.criteria, key=lambda verdict: verdict.number)
        if [verdict.number for verdict in verdicts] != list(range(1, count + 1)):
            raise ReplyParseError(f"it must have one verdict on each criterion from 1 to {count}")
        return verdicts

    return json_form(_Verdicts, _EXAMPLE, wrapped=False).then(in_order)


def _build_record(criterion: RubricCriterion, verdict: _CriterionVerdict | None) -> dict[str, Any]:
    """Return a criterion with its verdict for the metadata; unknown values are None."""
    met = None if verdict is None else verdict.met
    return {
        **criterion.model_dump(),
        "met": met,
        "passed": None if met is None else criterion.is_passed(met),
        "reasoning": "" if verdict is None else verdict.reason,
    }


def _score_points(records: Sequence[dict[str, Any]]) -> float | None:
    """Return the share of the points; None if a criterion has no verdict."""
    if any(record["met"] is None for record in records):
        return None
    if any(record["dealbreaker"] and not record["passed"] for record in records):
        return 0.0
    max_points = sum(max(record["points"], 0.0) for record in records)
    points = sum(record["points"] for record in records if record["met"])
    return float(max(0.0, points / max_points))


def _format_record(record: dict[str, Any]) -> str:
    """Return a line of the explanation."""
    mark = {True: "met", False: "not met", None: "no verdict"}[record["met"]]
    dealbreaker_note = (
        " (dealbreaker)" if record["dealbreaker"] and record["passed"] is False else ""
    )
    return f"{mark} {record['points']:+g} {record['criterion']}{dealbreaker_note}"


def _sample_criteria(
    state: TaskState,
    criteria_in_file: dict[str, list[RubricCriterion]] | list[RubricCriterion] | None,
) -> list[RubricCriterion]:
    """Return the criteria of a sample from the file, else from its metadata."""
    if isinstance(criteria_in_file, list):
        return criteria_in_file
    if criteria_in_file is not None:
        return criteria_in_file.get(str(state.sample_id), [])
    try:
        return _LIST.validate_python(state.metadata.get("rubric") or [])
    except ValidationError as error:
        raise InputError(f"rubric of sample {state.sample_id}: {first_error(error)}") from None


def _read(path: Path) -> dict[str, list[RubricCriterion]] | list[RubricCriterion]:
    try:
        return _FILE.validate_python(read_yaml(path, "rubric file"))
    except ValidationError as error:
        raise InputError(f"rubric file {path}: {first_error(error)}") from None
