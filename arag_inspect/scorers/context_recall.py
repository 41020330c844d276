"""Do the passages read state the reference facts?"""

from collections.abc import Sequence
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect.judge import Context, model_graded
from arag_inspect.judge.context import texts_to_check
from arag_inspect.judge.parsing import numbers_reply
from arag_inspect.prompts import numbered_fences
from arag_inspect.scorers._facts import Gold, NamedFact, facts_to_find
from arag_inspect.scorers._metrics import disagreement
from arag_inspect.scorers._scorer import scorer
from arag_inspect.types.measures import MeasureSpec, measures

MEASURES = measures(
    MeasureSpec("context_recall", "Facts read", noun="share of facts read", role="secondary"),
    family="retrieval",
    signature=("against", "gold", "judge", "prompt"),
)


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
        numbers = set(range(1, len(facts) + 1))
        judge = model_graded(
            name="context_recall",
            prompt="judge/context_recall",
            reply=numbers_reply("stated"),
            example='{"stated": [1, 3]}',
            value=lambda verdict: len(numbers.intersection(verdict.stated)) / len(facts),
            settings={
                "passages": numbered_fences("passage", texts),
                "facts": numbered_fences("fact", [fact.text for fact in facts]),
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
    stated = [set(judge["verdict"]["stated"]) for judge in judges if judge["verdict"]]
    votes = [sum(n in each for each in stated) * 2 - len(stated) for n, _ in enumerate(facts, 1)]
    return [
        {**fact._asdict(), "verdict": "stated" if vote > 0 else "missing" if vote < 0 else None}
        for fact, vote in zip(facts, votes, strict=True)
    ]
