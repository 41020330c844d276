"""Do the passages read state the reference facts?"""

from collections.abc import Sequence
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect.judge import Context, model_graded
from arag_inspect.judge.context import texts_to_check
from arag_inspect.judge.parsing import StrictModel
from arag_inspect.prompts import fence
from arag_inspect.scorers._facts import Gold, NamedFact, facts_to_find
from arag_inspect.scorers._metrics import disagreement
from arag_inspect.scorers._scorer import scorer
from arag_inspect.types.measures import MeasureSpec, measures

MEASURES = measures(
    MeasureSpec("context_recall", "Facts read", noun="share of facts read", role="secondary"),
    family="retrieval",
    signature=("against", "gold", "judge", "prompt"),
)


class StatedFacts(StrictModel):
    """Numbers of the facts that the passages state."""

    stated: list[int]


@scorer(MEASURES, more=[disagreement()], any_length=True)
def context_recall(*, gold: Gold = "auto", context: Context = "auto") -> Scorer:
    """Share of the reference facts that the passages read state, without gold chunks.

    1. The judge sees the passages in the order in which they were read, and the facts, and lists
       the facts that are stated. Numbers without a fact do not count.
    2. A reply that cannot be read is asked for once more with the reason; without any verdict the
       sample is unscored. With several graders the value is the mean of theirs.
    3. Unscored without facts, and if nothing was read. The passages must fit the judge's window.

    Metadata: `facts`, each `stated` or `missing` by most judges; of a tie it has no verdict. The
    report's path of every fact uses them where no gold chunk is known.

    Model Roles:
        grader: The judge. Default claude-haiku-4-5.

    Args:
        gold: `bank`, `reference` (its sentences), `metadata:KEY`, or `auto`: the bank if the sample
            has one, else the reference.
        context: Where to find what was read, see `judge.context`.

    Raises:
        InputError: `gold` or the context is unknown.
    """

    async def score(state: TaskState, target: Target) -> Score | None:
        facts, origin = facts_to_find(state, target, gold)
        against, texts = await texts_to_check(state, context)
        judge = model_graded(
            name="context_recall",
            prompt="judge/context_recall",
            reply=StatedFacts,
            example='{"stated": [1, 3]}',
            value=lambda verdict: len(_stated(verdict.stated, facts)) / len(facts),
            settings={
                "passages": _fenced("passage", texts),
                "facts": _fenced("fact", [fact.text for fact in facts]),
            },
            signed={"against": against, "gold": origin},
        )
        result = await judge(state, target)
        if result and result.metadata and "verdicts" in result.metadata:
            result.metadata["facts"] = _by_most(facts, result.metadata["judges"])
        return result

    return score


def _by_most(
    facts: Sequence[NamedFact], judges: Sequence[dict[str, Any]]
) -> list[dict[str, str | None]]:
    listed = [_stated(own["verdict"]["stated"], facts) for own in judges if own["verdict"]]
    votes = [sum(number in own for own in listed) * 2 - len(listed) for number in range(len(facts))]
    return [
        {**fact._asdict(), "verdict": "stated" if vote > 0 else "missing" if vote < 0 else None}
        for fact, vote in zip(facts, votes, strict=True)
    ]


def _stated(numbers: Sequence[int], facts: Sequence[NamedFact]) -> set[int]:
    """Return the positions of the facts that a judge lists."""
    return {number - 1 for number in numbers if 0 < number <= len(facts)}


def _fenced(tag: str, texts: Sequence[str]) -> str:
    return "\n\n".join(fence(tag, text, number=str(i)) for i, text in enumerate(texts, 1))
