"""Does an answer say the same as the gold answer?"""

from collections.abc import Sequence
from functools import partial
from statistics import fmean
from typing import Literal

from inspect_ai.model import ResponseSchema
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState
from inspect_ai.util import json_schema
from pydantic import BaseModel

from arag_inspect._util.hashing import digest
from arag_inspect.judge.judge import Judgement, graders, judge_by_all, no_verdict
from arag_inspect.judge.parsing import read_choice
from arag_inspect.judge.signature import signature
from arag_inspect.prompts import fence, fill, load_prompt
from arag_inspect.scorers._shared.border import scorer
from arag_inspect.scorers._shared.metrics import estimates, graded
from arag_inspect.scorers._shared.unscored import unscored_if_skipped
from arag_inspect.types.measures import MeasureSpec, measures

KEYS = ("correct", "incorrect", "refusal")


class _Reply(BaseModel):
    reasoning: str
    verdict: Literal["CORRECT", "INCORRECT", "REFUSAL"]


_SCHEMA = ResponseSchema(name="accuracy", json_schema=json_schema(_Reply))

MEASURES = measures(
    MeasureSpec(
        "llm_accuracy.correct",
        "Correct by judge",
        "Correct",
        "Share of answers that agree with the gold answer.",
        role="primary",
    ),
    MeasureSpec(
        "llm_accuracy.incorrect",
        "Incorrect by judge",
        "Incorrect",
        "Share of answers that differ from the gold answer.",
        higher_is_better=False,
    ),
    MeasureSpec(
        "llm_accuracy.refusal",
        "Refused by judge",
        "Refused",
        "Share of questions that were not answered.",
        higher_is_better=None,
    ),
    family="judgement",
    signature=("judge", "prompt"),
)


@scorer(
    metrics={"correct": graded(keyed=True), "incorrect": estimates(), "refusal": estimates()},
    measures=MEASURES,
)
def llm_accuracy() -> Scorer:
    """Judge whether an answer is the gold answer in other words, units, scale or rounding.

    1. The judge sees the question, the gold answers (several are alternatives) and the answer, reasons, and says CORRECT, INCORRECT or REFUSAL. Each is a key of the value, 0 or 1, so that wrong answers and answers not given are told apart.
    2. A reply that does not make one choice is asked for once more with the reason; without any verdict the sample is unscored.
    3. With several graders each key is the share of them that chose it; each verdict is kept.
    4. An empty answer is a refusal, without a call. Unscored without a gold answer.

    Model Roles:
        grader: Who judges. Default claude-haiku-4-5.
    """

    async def score(state: TaskState, target: Target) -> Score:
        if (unscored := unscored_if_skipped(state)) is not None:
            return unscored
        golds = [gold for gold in target if gold.strip()]
        answer = state.output.completion
        if not golds:
            return Score.unscored(
                reason="no_reference",
                answer=answer,
                explanation="The sample has no gold answer to compare with.",
            )
        if not answer.strip():
            return Score(
                value=_shares(["refusal"]),
                answer=answer,
                explanation="The answer is empty.",
                metadata={"signature": _signature(), "judges": []},
            )
        prompt = fill(
            load_prompt("judge/accuracy"),
            question=fence("question", state.input_text),
            gold="\n\n".join(fence("gold", gold) for gold in golds),
            answer=fence("answer", answer),
        )
        read = partial(read_choice, label="verdict", choices=KEYS)
        return _score(await judge_by_all(prompt, read, _SCHEMA), answer)

    return score


def _score(found: Sequence[Judgement[str]], answer: str) -> Score:
    judged = [one for one in found if one.verdict is not None]
    if not judged:
        return no_verdict(list(found), answer)
    return Score(
        value=_shares([str(one.verdict) for one in judged]),
        answer=answer,
        explanation="\n\n".join(
            one.said if len(judged) == 1 else f"## {one.grader}\n\n{one.said}" for one in judged
        ),
        metadata={
            "signature": _signature(),
            "judges": [{**one.as_dict(), "verdict": one.verdict} for one in found],
        },
    )


def _shares(verdicts: Sequence[str]) -> dict[str, float]:
    return {key: fmean(verdict == key for verdict in verdicts) for key in KEYS}


def _signature() -> str:
    return signature(
        "llm_accuracy",
        judge="+".join(str(grader) for grader in graders()),
        prompt=digest(load_prompt("judge/accuracy")),
    )
