"""G-Eval: criteria first, then step-by-step reasoning, then a score (Liu et al., EMNLP 2023)."""

import re
from collections.abc import Sequence
from typing import Any, Literal

from inspect_ai.model import Model, ResponseSchema
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState
from inspect_ai.util import json_schema
from pydantic import BaseModel

from arag_inspect.errors import InputError
from arag_inspect.prompts import fence, fill, load_prompt
from arag_inspect.scorers._unscored import skipped
from arag_inspect.scorers.context import Context, check_context, material
from arag_inspect.scorers.criteria import (
    Criteria,
    generated_criteria,
    pinned_criteria,
    read_criteria,
)
from arag_inspect.scorers.judge import (
    Judgement,
    UnreadableError,
    graders,
    judge,
    no_verdict,
    read_final_score,
    read_json,
)
from arag_inspect.scorers.metrics import disagreement, distribution, estimates, share_at_least
from arag_inspect.scorers.signature import signature

_METRICS = [*estimates(), share_at_least(4), distribution(), disagreement()]
_LINE = re.compile(
    r"^[\W_]*criterion\s*(?P<number>\d+)(?P<text>.*?)(?=^[\W_]*(?:criterion\s*\d+|final[ _]score)|\Z)",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
_SCORE = re.compile(r"score\W*(\d+)\W*$", re.IGNORECASE)


class _CriterionVerdict(BaseModel):
    name: str
    reasoning: str
    score: int


class _Reply(BaseModel):
    criteria: list[_CriterionVerdict]
    final_score: int


@scorer(metrics=_METRICS)
def geval(
    *,
    dimension: str,
    definition: str | None = None,
    criteria: str = "generated",
    regenerate_criteria: bool = False,
    context: Context = "auto",
    against: Literal["source", "reference", "none"] | None = None,
) -> Scorer:
    """Judge a property of an answer with a model, from 1 (worst) to 5 (best).

    1. Criteria come first: five named ones with what 1, 3 and 5 look like. They are generated once per grader, dimension and prompt and kept in `$ARAG_CACHE`, or pinned, or the user's.
    2. The judge reasons through each criterion, quoting the material, and ends with one integer. The whole reasoning is the explanation.
    3. A reply without exactly one integer from 1 to 5 is asked for once more with the reason; after that the judge has no verdict. Without any verdict the sample is unscored.
    4. With several graders (`--model-role grader=a,b`) the value is the mean of their verdicts; each is kept in the metadata.
    5. What comes from documents or from the model under test is fenced and declared to be data.

    Model Roles:
        grader: Who judges. Default claude-haiku-4-5.

    Args:
        dimension: What is judged, e.g. `faithfulness`, `coverage`, or any other name with a `definition`.
        definition: What the dimension means; needed where no criteria ship for it.
        criteria: `generated`, `pinned` (what ships with the package), or the path of a Markdown file.
        regenerate_criteria: Generate anew, once in this run.
        context: Where to find what the answer was written from, see `scorers.context`.
        against: What to hold the answer against; None takes what the criteria say.

    Raises:
        InputError: Nothing is known of the dimension, or a file of criteria cannot be read.
    """
    return _geval(dimension, definition, criteria, regenerate_criteria, context, against)


@scorer(metrics=_METRICS)
def geval_faithfulness(
    *, criteria: str = "generated", regenerate_criteria: bool = False, context: Context = "auto"
) -> Scorer:
    """Is every statement supported by what the system has read? See `geval`.

    Stuffing is held against the whole document, the others against the passages they read.

    Model Roles:
        grader: Who judges. Default claude-haiku-4-5.

    Args:
        criteria: `generated`, `pinned`, or the path of a Markdown file.
        regenerate_criteria: Generate anew, once in this run.
        context: Where to find what the answer was written from.
    """
    return _geval("faithfulness", None, criteria, regenerate_criteria, context, None)


@scorer(metrics=_METRICS)
def geval_coverage(
    *, criteria: str = "generated", regenerate_criteria: bool = False
) -> Scorer:
    """Does the answer tell what the reference tells? See `geval`.

    Model Roles:
        grader: Who judges. Default claude-haiku-4-5.

    Args:
        criteria: `generated`, `pinned`, or the path of a Markdown file.
        regenerate_criteria: Generate anew, once in this run.
    """
    return _geval("coverage", None, criteria, regenerate_criteria, "auto", None)


def _geval(
    dimension: str,
    definition: str | None,
    criteria: str,
    regenerate: bool,
    context: Context,
    against: str | None,
) -> Scorer:
    check_context(context)
    base = _base_criteria(dimension, definition, criteria)
    base = base._replace(material=against or base.material)
    remade: set[str] = set()

    async def score(state: TaskState, target: Target) -> Score:
        if (unscored := skipped(state)) is not None:
            return unscored
        answer = state.output.completion
        if not answer.strip():
            return Score(value=1, answer=answer, explanation="The answer is empty.")
        shown = await _material(state, target, base.material, context)
        if isinstance(shown, Score):
            return shown
        panel = graders()
        found = []
        for grader in panel:
            again = regenerate and str(grader) not in remade
            remade.add(str(grader))
            found.append(await _judge_one(grader, base, criteria, again, shown, answer))
        return _score(found, base, criteria, answer)

    return score


def _base_criteria(dimension: str, definition: str | None, criteria: str) -> Criteria:
    if criteria not in ("generated", "pinned"):
        return read_criteria(criteria)
    pinned = pinned_criteria(dimension) if re.fullmatch(r"\w+", dimension) else None
    if pinned is None and (criteria == "pinned" or definition is None):
        raise InputError(
            f"no criteria ship for {dimension!r}; give `definition` and criteria=generated, or "
            "criteria=PATH"
        )
    if pinned is None:
        return Criteria(dimension, str(definition), "source", "")
    return pinned._replace(definition=definition or pinned.definition)


async def _material(state: TaskState, target: Target, kind: str, context: Context) -> str | Score:
    """What the answer is held against, fenced; or why there is nothing."""
    if kind == "none":
        return ""
    if kind == "reference":
        reference = "\n".join(text for text in target if text.strip())
        if not reference:
            return Score.unscored(
                reason="no_reference", explanation="The sample has no reference to compare with."
            )
        return fence("reference", reference)
    origin, texts = await material(state, context)
    if not texts:
        return Score.unscored(
            reason="no_passages", explanation="There is nothing to judge the answer against."
        )
    return fence("source", "\n\n".join(texts), origin=origin)


async def _judge_one(
    grader: Model, base: Criteria, source: str, regenerate: bool, shown: str, answer: str
) -> tuple[Judgement[int], Criteria]:
    try:
        used = (
            await generated_criteria(grader, base, 1, 5, regenerate)
            if source == "generated"
            else base
        )
    except UnreadableError as error:
        return Judgement(str(grader), reason=str(error)), base
    template = load_prompt("geval")
    fixed = fill(
        template,
        dimension=used.dimension,
        definition=used.definition,
        criteria=used.text,
        low=1,
        high=5,
        material=shown,
        summary=fence("summary", answer),
    )
    schema = ResponseSchema(name="verdict", json_schema=json_schema(_Reply))
    return await judge(grader, fixed, lambda reply: read_final_score(reply, 1, 5), schema), used


def _score(
    found: Sequence[tuple[Judgement[int], Criteria]], base: Criteria, source: str, answer: str
) -> Score:
    judged = [one for one, _ in found if one.verdict is not None]
    if not judged:
        return no_verdict([one for one, _ in found], answer)
    verdicts = [one.verdict for one in judged if one.verdict is not None]
    return Score(
        value=sum(verdicts) / len(verdicts),
        answer=answer,
        explanation="\n\n".join(
            one.replies[-1] if len(judged) == 1 else f"## {one.grader}\n\n{one.replies[-1]}"
            for one in judged
        ),
        metadata={
            "signature": signature(
                f"geval_{base.dimension}",
                judge="+".join(one.grader for one, _ in found),
                criteria=f"{source}:{'+'.join(sorted({used.digest for _, used in found}))}",
                against=base.material,
                prompt=Criteria("", "", "", load_prompt("geval")).digest,
            ),
            "verdicts": {one.grader: one.verdict for one in judged},
            "judges": [
                {**one.as_dict(), "verdict": one.verdict, "criteria": _by_criterion(one, used)}
                for one, used in found
            ],
        },
    )


def _by_criterion(judgement: Judgement[int], used: Criteria) -> list[dict[str, Any]]:
    """Reasoning and score by criterion, as far as the reply gives them."""
    reply = judgement.replies[-1] if judgement.replies else ""
    record = read_json(reply)
    if record is not None and isinstance(record.get("criteria"), list):
        return [one for one in record["criteria"] if isinstance(one, dict)]
    found = []
    for match in _LINE.finditer(reply):
        number, text = int(match["number"]), match["text"].strip(" :*\n")
        name = used.names[number - 1] if 0 < number <= len(used.names) else str(number)
        given = _SCORE.search(text)
        found.append(
            {"name": name, "reasoning": text, "score": int(given[1]) if given else None}
        )
    return found
