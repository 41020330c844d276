"""Judge the text read without gold chunks: stated facts, relevant passages, sufficient evidence."""

from collections.abc import Sequence
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect.judge import Context, choice_form, json_form, model_graded
from arag_inspect.judge.context import texts_to_check
from arag_inspect.judge.parsing import numbers_reply
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.measure import MeasureSpec
from arag_inspect.measures.fact_lists import GoldSource, NamedFact, facts_to_find
from arag_inspect.measures.metrics import disagreement
from arag_inspect.measures.scorer import Positive, scorer
from arag_inspect.prompts import numbered_fences
from arag_inspect.types.trace import read_record


@scorer(
    MeasureSpec(
        "context_recall",
        "Facts read",
        noun="share of facts read",
        role="secondary",
        aspect="facts read",
    ),
    family="retrieval",
    judged=True,
    signature=("against", "gold", "judge", "prompt"),
    more=[disagreement()],
    any_length=True,
    sets={"answer": "all"},
)
def context_recall(*, gold: GoldSource = "auto", context: Context = "auto") -> Scorer:
    """Share of the reference facts that the passages read state, without gold chunks.

    1. The judge sees the question, the passages in the order in which they were read, and the
       facts, and lists the facts that are stated. Numbers without a fact do not count.
    2. An unreadable reply is retried once with the reason; without any verdict the sample is
       unscored. With several graders the value is the mean of theirs.
    3. Unscored without facts, if nothing was read, and for an unanswerable question whose reference
       says so. The passages must fit the judge's window.

    Metadata: `facts`, each `stated` or `missing` by majority; a tie gives no verdict. The report's
    fact paths use them where no gold chunk is known.

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
        material = {
            "passages": numbered_fences("passage", texts),
            "facts": numbered_fences("fact", [fact.text for fact in facts]),
        }
        signed = {"against": against, "gold": origin}
        judge = _share_judge("context_recall", "stated", len(facts), material, signed)
        result = await judge(state, target)
        if result and result.metadata and "verdicts" in result.metadata:
            result.metadata["facts"] = _majority_verdicts(facts, result.metadata["judges"])
        return result

    return score


def _share_judge(
    name: str, field: str, count: int, material: dict[str, str], signed: dict[str, str]
) -> Scorer:
    """Ask a judge to list some of the numbered texts; the value is their share."""

    def share_listed(verdict: Any) -> float:
        return len({*range(1, count + 1)} & {*getattr(verdict, field)}) / count

    return model_graded(
        name=name,
        prompt=f"judge/{name}",
        form=json_form(numbers_reply(field), f'{{"{field}": [1, 3]}}'),
        value=share_listed,
        settings=material,
        signed=signed,
    )


def _majority_verdicts(
    facts: Sequence[NamedFact], judges: Sequence[dict[str, Any]]
) -> list[dict[str, str | None]]:
    number_sets = [set(judge["verdict"]["stated"]) for judge in judges if judge["verdict"]]
    records: list[dict[str, str | None]] = []
    for number, fact in enumerate(facts, 1):
        votes_for = sum(number in numbers for numbers in number_sets)
        verdict = None
        if votes_for * 2 > len(number_sets):
            verdict = "stated"
        elif votes_for * 2 < len(number_sets):
            verdict = "missing"
        records.append({**fact._asdict(), "verdict": verdict})
    return records


@scorer(
    MeasureSpec("context_relevance", "Passages relevant", "Relevant", noun="relevance of passages"),
    family="retrieval",
    judged=True,
    must_detect=None,
    role="secondary",
    signature=("against", "judge", "prompt"),
    more=[disagreement()],
    any_length=True,
    sets={"answer": "all"},
)
def context_relevance(*, context: Context = "auto") -> Scorer:
    """Share of the passages read that are about the question, without gold.

    1. The judge sees the question and all passages in the order in which they were read, and lists
       the relevant ones. Numbers without a passage do not count.
    2. An unreadable reply is retried once with the reason; without any verdict the sample is
       unscored. With several graders the value is the mean of theirs.
    3. Unscored if the system gave up, if nothing was read, and if the whole document was.

    The passages must fit the judge's window together. Its agreement with
    people is unknown, because no data set with human labels was available.

    Model Roles:
        grader: The judge. Default claude-haiku-4-5.

    Args:
        context: Where to find what was read, see `judge.context`.

    Raises:
        InputError: The context is unknown.
    """

    async def score(state: TaskState, target: Target) -> Score | None:
        if context == "auto" and read_record(state).context == "document":
            raise UnscoredError("no_retrieval", "The system does not retrieve passages.")
        origin, texts = await texts_to_check(state, context)
        material = {"material": numbered_fences("passage", texts)}
        signed = {"against": origin}
        judge = _share_judge("context_relevance", "relevant", len(texts), material, signed)
        return await judge(state, target)

    return score


_GRADES = ("sufficient", "partial", "insufficient")


@scorer(
    MeasureSpec(
        "sufficient",
        "Context sufficient",
        "Sufficient",
        noun="sufficiency of what was read",
        role="secondary",
        aspect="sufficiency",
    ),
    MeasureSpec("partial", "Context partly sufficient", "Partial", higher_is_better=None),
    MeasureSpec("insufficient", "Context insufficient", "Insufficient", higher_is_better=False),
    family="retrieval",
    judged=True,
    signature=("against", "judge", "prompt"),
    any_length=True,
    sets={"answer": "all"},
)
def context_sufficiency(
    *, context: Context = "auto", max_source_tokens: Positive | None = None
) -> Scorer:
    """Judge whether the question can be answered from what was read, without gold.

    1. The judge sees the question and the passages read, not the answer, and says SUFFICIENT,
       PARTIAL or INSUFFICIENT. Each is a key of the value, 0 or 1. The report crosses them with
       right, wrong and abstained: a wrong answer despite sufficient evidence is the writer's fault;
       a right answer without it is memory or luck.
    2. A reply without a readable verdict is retried once with the reason; without any
       verdict the sample is unscored. With several graders each key is the share that chose it.
    3. A source longer than the judge's window is read in parts.
    4. Unscored if nothing was read.

    Model Roles:
        grader: The judge. Default claude-haiku-4-5.

    Args:
        context: Where to find what was read, see `judge.context`.
        max_source_tokens: Longest source shown at once, in tokens; None uses 70 % of the judge's
            window.

    Raises:
        InputError: The context is unknown, or `max_source_tokens` is not a positive number.

    Source: Joren et al., "Sufficient Context", ICLR 2025, with a third grade.
    """
    return model_graded(
        name="context_sufficiency",
        prompt="judge/context_sufficiency",
        form=choice_form(tuple(grade.upper() for grade in _GRADES)),
        context=context,
        max_source_tokens=max_source_tokens,
    )
