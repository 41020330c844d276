"""Grades by a rubric: weighted criteria one by one, or the gravest error."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import yaml
from inspect_ai.model import Model
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from arag_inspect._util.errors import InputError, first_error, one_line
from arag_inspect._util.untrusted import parse_yaml
from arag_inspect.judge import Context, model_graded
from arag_inspect.judge._calls import collect_all
from arag_inspect.judge.criteria import BUCKETS, load_rubric
from arag_inspect.judge.judge import ask_panel, combined, judge
from arag_inspect.judge.parsing import choice_form
from arag_inspect.judge.scorer import JudgeOpinion, judged_signature, panel_score
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.measure import MeasureSpec
from arag_inspect.measures._metrics import disagreement
from arag_inspect.measures._scorer import Positive, scorer
from arag_inspect.prompts import fence, fill, load_prompt

_MOST = 100
"""Most criteria of a sample; each is a call."""


class RubricCriterion(BaseModel):
    """A criterion and its points: negative where meeting it is a fault."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    criterion: str = Field(min_length=1)
    points: float = Field(default=1, allow_inf_nan=False)


def _criterion(value: Any) -> Any:
    return {"criterion": value} if isinstance(value, str) else value


_Criteria = Annotated[
    list[Annotated[RubricCriterion, BeforeValidator(_criterion)]], Field(max_length=_MOST)
]
_LIST: TypeAdapter[list[RubricCriterion]] = TypeAdapter(_Criteria)
_FILE: TypeAdapter[dict[str, list[RubricCriterion]] | list[RubricCriterion]] = TypeAdapter(
    dict[str, _Criteria] | _Criteria
)


@scorer(
    MeasureSpec(
        "rubric",
        "Rubric",
        noun="points of its rubric",
        role="primary",
        decides=(),
        aspect="criteria",
    ),
    family="judgement",
    judged=True,
    signature=("judge", "prompt"),
    more=[disagreement()],
)
def rubric(*, file: str | None = None) -> Scorer:
    """Points of the weighted criteria that an answer meets.

    1. Criteria are texts or `criterion` with `points` (default 1; negative for a fault), at most
       100 a sample: a list in the sample's metadata under `rubric`, or a YAML or JSON file with a
       list for every sample, or with a list by sample id.
    2. The judge sees the question, the answer and one criterion per call, and says MET or NOT_MET.
       A reply that cannot be read is asked for once more with the reason.
    3. The value is the sum of the points of the criteria met over the sum of the positive points,
       at least 0. A judge without a verdict on any criterion is ignored; without any judge left
       the sample is unscored. With several graders the value is the mean of theirs.
    4. An empty answer is 0, without a call. Unscored without a criterion of positive points.

    Metadata: for each judge its `criteria`, each with points and whether it is met. The report
    lists the criteria that are met least.

    Model Roles:
        grader: The judge. Default claude-haiku-4-5.

    Args:
        file: Criteria, instead of those in the metadata.

    Raises:
        InputError: The file cannot be read, or a criterion is invalid.

    Source: HealthBench, arXiv 2505.08775.
    """
    of_file = None if file is None else _read(Path(file).expanduser())

    async def score(state: TaskState, target: Target) -> Score:
        criteria = _criteria_of(state, of_file)
        most = sum(max(criterion.points, 0) for criterion in criteria)
        if not most:
            raise UnscoredError("no_criteria", "The sample has no criterion of positive points.")
        answer, prompt = state.output.completion, load_prompt("judge/rubric")
        signed = judged_signature("rubric", prompt)
        if not answer.strip():
            return Score(value=0.0, metadata={"signature": signed, "judges": []})
        fields = {
            "question": fence("question", state.input_text),
            "answer": fence("answer", answer),
        }
        prompts = [
            fill(prompt, **fields, criterion=fence("criterion", criterion.criterion))
            for criterion in criteria
        ]
        opinions = await ask_panel(partial(_judge, prompts=prompts, criteria=criteria, most=most))
        return panel_score(opinions, answer, signed=signed)

    return score


async def _judge(
    grader: Model,
    name: str,
    *,
    prompts: Sequence[str],
    criteria: Sequence[RubricCriterion],
    most: float,
) -> JudgeOpinion:
    """Let one grader judge every criterion."""
    form = choice_form(("MET", "NOT_MET"))
    judgements = await collect_all(*(judge(grader, prompt, form, name=name) for prompt in prompts))
    together = combined(name, judgements)
    records = []
    for criterion, judgement in zip(criteria, judgements, strict=True):
        met = None if judgement.verdict is None else judgement.verdict == "MET"
        records.append({**criterion.model_dump(), "met": met, "reasoning": judgement.text})
    value = None
    if all(record["met"] is not None for record in records):
        value = max(0.0, sum(record["points"] for record in records if record["met"]) / most)
    marks = {True: "met", False: "not met", None: "no verdict"}
    lines = [
        f"{marks[record['met']]} {record['points']:+g} {record['criterion']}" for record in records
    ]
    record = {**together.as_dict(), "verdict": value, "criteria": records}
    return JudgeOpinion(together, value, "\n".join(lines), record)


def _criteria_of(
    state: TaskState, of_file: dict[str, list[RubricCriterion]] | list[RubricCriterion] | None
) -> list[RubricCriterion]:
    if isinstance(of_file, list):
        return of_file
    if of_file is not None:
        return of_file.get(str(state.sample_id), [])
    try:
        return _LIST.validate_python(state.metadata.get("rubric") or [])
    except ValidationError as error:
        raise InputError(f"rubric of sample {state.sample_id}: {first_error(error)}") from None


def _read(path: Path) -> dict[str, list[RubricCriterion]] | list[RubricCriterion]:
    try:
        return _FILE.validate_python(parse_yaml(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        raise InputError(f"rubric file {path}: {first_error(error)}") from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"rubric file {path} cannot be read: {one_line(error)}") from None


_WORST, _BEST = BUCKETS[0], BUCKETS[-1]


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
)
def severity_judge(
    *,
    rubric: str = "financial",
    context: Context = "auto",
    max_source_tokens: Positive | None = None,
) -> Scorer:
    """Grade a summary by its gravest error, from 5 (perfect) to 1 (fail).

    The grades are 5 perfect, 4 minor, 3 major, 2 critical, 1 fail.

    1. The judge has the persona and the grades of the rubric, sees the source of the summary and,
       if there is one, the reference, lists the errors, and gives the grade of the worst. The value
       is the grade / 5: 0.2 to 1.
    2. A reply without a readable verdict is asked for once more with the reason; without any
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
            `judge.rubric`.
        context: Texts from which the summary was written, see `judge.context`.
        max_source_tokens: Longest source shown at once, in tokens; None uses 70 % of the judge's
            window.

    Raises:
        InputError: The rubric cannot be read, the context is unknown, or `max_source_tokens` is not
            a positive number.
    """
    buckets = load_rubric(rubric)
    return model_graded(
        name="severity_judge",
        prompt="judge/severity",
        scale=(_WORST, _BEST),
        value=lambda grade: float(grade / _BEST),
        empty_verdict=_WORST,
        settings={"persona": buckets.persona, "buckets": buckets.buckets},
        any_of=("source", "reference"),
        context=context,
        max_source_tokens=max_source_tokens,
        signed={"rubric": f"{buckets.name}:{buckets.digest}"},
    )
