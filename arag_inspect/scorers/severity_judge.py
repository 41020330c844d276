"""How grave is the worst error of a summary?"""

from collections.abc import Sequence
from functools import partial
from statistics import fmean

from inspect_ai.model import Model, ResponseSchema
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState
from inspect_ai.util import json_schema
from pydantic import BaseModel

from arag_inspect._util.errors import check_positive
from arag_inspect._util.hashing import digest
from arag_inspect.judge._concurrency import collect_all
from arag_inspect.judge.judge import (
    Judgement,
    graders,
    judge,
    no_verdict,
    panel_names,
    read_final_score,
)
from arag_inspect.judge.long_source import quote_by_part, source_limit
from arag_inspect.judge.rubric import BUCKETS, Rubric, load_rubric
from arag_inspect.judge.signature import signature
from arag_inspect.prompts import fence, fill, load_prompt
from arag_inspect.scorers._shared.border import scorer
from arag_inspect.scorers._shared.context import (
    Context,
    SourceTexts,
    check_context,
    resolve_context,
)
from arag_inspect.scorers._shared.metrics import disagreement, estimates
from arag_inspect.scorers._shared.unscored import unscored_if_skipped
from arag_inspect.types.measures import MeasureSpec, measures

_WORST, _BEST = BUCKETS[0], BUCKETS[-1]


class _Error(BaseModel):
    severity: int
    error: str


class _Reply(BaseModel):
    errors: list[_Error]
    worst_error: str
    final_score: int


_SCHEMA = ResponseSchema(name="severity", json_schema=json_schema(_Reply))

MEASURES = measures(
    MeasureSpec(
        "severity_judge",
        "Free of grave errors",
        "Severity",
        "Grade of the gravest error, as a share of the best grade.",
        role="secondary",
        low=0.2,
    ),
    family="judgement",
    signature=("against", "judge", "prompt", "rubric"),
)


@scorer(metrics=[*estimates(), disagreement()], measures=MEASURES)
def severity_judge(
    *,
    rubric: str = "financial",
    context: Context = "auto",
    max_source_tokens: int | None = None,
) -> Scorer:
    """Grade a summary by its gravest error: 5 perfect, 4 minor, 3 major, 2 critical, 1 fail.

    1. The judge has the persona and the buckets of the rubric, sees what the summary was written from and, where there is one, the reference, lists the errors, and gives the grade of the worst. The value is the grade / 5: 0.2 to 1.
    2. A reply without exactly one integer from 1 to 5 is asked for once more with the reason; without any verdict the sample is unscored.
    3. With several graders the value is the mean of theirs; each verdict is kept, and `disagreement` is a metric.
    4. A source longer than the judge's window is read in parts, and the judge sees quotations from all of them.
    5. An empty answer fails, without a call. Unscored where there is neither a source nor a reference.

    Model Roles:
        grader: Who judges. Default claude-haiku-4-5.

    Args:
        rubric: `financial`, `legal`, `legal_partner`, or the path of a Markdown file, see `scorers.rubric`.
        context: Where to find what the summary was written from, see `scorers.context`.
        max_source_tokens: Longest source that is shown at once; None takes 70 % of the judge's window.

    Raises:
        InputError: The rubric cannot be read, the context is unknown, or `max_source_tokens` is no positive number.
    """
    check_context(context)
    check_positive(max_source_tokens=max_source_tokens)
    buckets = load_rubric(rubric)

    async def score(state: TaskState, target: Target) -> Score:
        if (unscored := unscored_if_skipped(state)) is not None:
            return unscored
        answer = state.output.completion
        source = await resolve_context(state, context)
        reference = "\n".join(text for text in target if text.strip())
        if not source.texts and not reference:
            return Score.unscored(
                reason="no_passages",
                answer=answer,
                explanation="There is neither a source nor a reference to judge the answer against.",
            )
        panel = graders()
        against = [source.origin] * bool(source.texts) + ["reference"] * bool(reference)
        signed = signature(
            "severity_judge",
            against="+".join(against),
            judge="+".join(str(grader) for grader in panel),
            prompt=digest(load_prompt("judge/severity")),
            rubric=f"{buckets.name}:{buckets.digest}",
        )
        if not answer.strip():
            return Score(
                value=_WORST / _BEST,
                answer=answer,
                explanation="The answer is empty.",
                metadata={"signature": signed, "judges": []},
            )
        found = await collect_all(
            *(
                _ask(grader, buckets, source, reference, answer, max_source_tokens)
                for grader in panel
            )
        )
        for one, name in zip(found, panel_names(panel), strict=True):
            one.grader = name
        return _score(found, signed, answer)

    return score


async def _ask(
    grader: Model,
    rubric: Rubric,
    source: SourceTexts,
    reference: str,
    answer: str,
    longest: int | None,
) -> Judgement[int]:
    texts, spent = source.texts, None
    limit = source_limit(grader, longest)
    if sum(map(len, texts)) > limit:
        spent = await quote_by_part(grader, texts, limit, answer)
        if spent.verdict is None:
            return Judgement(str(grader), reason=spent.reason, replies=spent.replies)
        texts = spent.verdict
    shown = [fence("source", "\n\n".join(texts), origin=source.origin)] if source.texts else []
    shown += [fence("reference", reference)] if reference else []
    prompt = fill(
        load_prompt("judge/severity"),
        persona=rubric.persona,
        buckets=rubric.buckets,
        material="\n\n".join(shown),
        summary=fence("summary", answer),
    )
    read = partial(read_final_score, low=_WORST, high=_BEST)
    found = await judge(grader, prompt, read, _SCHEMA)
    if spent is not None:
        found.pay(spent)
    return found


def _score(found: Sequence[Judgement[int]], signed: str, answer: str) -> Score:
    grades = [one.verdict for one in found if one.verdict is not None]
    if not grades:
        return no_verdict(list(found), answer)
    judged = [one for one in found if one.verdict is not None]
    return Score(
        value=fmean(grades) / _BEST,
        answer=answer,
        explanation="\n\n".join(
            one.said if len(judged) == 1 else f"## {one.grader}\n\n{one.said}" for one in judged
        ),
        metadata={
            "signature": signed,
            "verdicts": {
                one.grader: one.verdict / _BEST for one in judged if one.verdict is not None
            },
            "judges": [{**one.as_dict(), "verdict": one.verdict} for one in found],
        },
    )
