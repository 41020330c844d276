"""Is what was retrieved about the question?"""

from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect.judge import Context, model_graded
from arag_inspect.judge.context import texts_to_check
from arag_inspect.judge.parsing import numbers_reply
from arag_inspect.prompts import numbered_fences
from arag_inspect.scorers._metrics import disagreement
from arag_inspect.scorers._scorer import scorer
from arag_inspect.types.measures import MeasureSpec, measures

MEASURES = measures(
    MeasureSpec("context_relevance", "Passages relevant", "Relevant", noun="relevance of passages"),
    family="retrieval",
    role="secondary",
    signature=("against", "judge", "prompt"),
)


@scorer(MEASURES, more=[disagreement()], any_length=True)
def context_relevance(*, context: Context = "auto") -> Scorer:
    """Share of the passages read that are about the question, without gold.

    1. The judge sees the question and all passages in the order in which they were read, and lists
       the relevant ones. Numbers without a passage do not count.
    2. A reply that cannot be read is asked for once more with the reason; without any verdict the
       sample is unscored. With several graders the value is the mean of theirs.
    3. The judge by rule (`offline/extractive`) counts a passage as relevant if it has half of the
       question's content words.
    4. Unscored if the system gave up, and if nothing was read.

    The passages must fit the judge's window together. Its agreement with
    people is not known, because no data set with human labels was available.

    Model Roles:
        grader: The judge. Default claude-haiku-4-5.

    Args:
        context: Where to find what was read, see `judge.context`.

    Raises:
        InputError: The context is unknown.
    """

    async def score(state: TaskState, target: Target) -> Score | None:
        origin, texts = await texts_to_check(state, context)
        numbers = set(range(1, len(texts) + 1))
        judge = model_graded(
            name="context_relevance",
            prompt="judge/context_relevance",
            reply=numbers_reply("relevant"),
            example='{"relevant": [1, 3]}',
            value=lambda verdict: len(numbers.intersection(verdict.relevant)) / len(texts),
            settings={"material": numbered_fences("passage", texts)},
            signed={"against": origin},
        )
        return await judge(state, target)

    return score
