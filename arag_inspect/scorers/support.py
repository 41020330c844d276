"""Are the sentences of a summary supported by the text that was read?"""

import anyio.to_thread
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect.judge.context import Context, texts_to_check
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.quantities.sentence_support import NearestSentence, read_support, support_value
from arag_inspect.scorers._scorer import scorer
from arag_inspect.text.refusals import declines
from arag_inspect.text.sentences import sentences as split_into_sentences
from arag_inspect.types.measures import MeasureSpec, measures

MEASURES = measures(
    MeasureSpec("support", "Sentences supported", "Support"),
    family="facts",
    signature=("context", "weights"),
)


@scorer(MEASURES)
def support(*, context: Context = "auto") -> Scorer:
    """Compare every sentence of the summary with the text read.

    1. Counted are figures that the text lacks or contradicts (as `factual_consistency` reads
       them), names that it lacks, negations of what it does not negate, and directions (rose, fell)
       of which it says only the other of the same subject.
    2. The nearest sentences share most content words with it, rare words counting more.
    3. The value is a logistic function of the means of these counts, with weights fitted on 4,013
       summaries of SummEdits (Laban et al., EMNLP 2023). Leaving one of its seven domains out at a
       time, balanced accuracy is 0.65. It does not detect exchanged nouns and swapped roles: a
       small, fast measure beside a judge, not a substitute for one.
    4. Sentences that decline to answer ("The documents do not state the revenue.") claim nothing
       and are left out. Unscored if nothing else is said (`no_claims`), if the summary has no
       sentence with a content word, and if there is no text to check against, or it holds more than
       50,000 numbers.

    Metadata: `sentences`, each with its nearest and its `features`, the counts.

    Args:
        context: Texts to check against, see `judge.context`.

    Raises:
        InputError: The context is unknown.
    """

    async def score(state: TaskState, target: Target) -> Score:
        read_from, passages = await texts_to_check(state, context)
        answer = state.output.completion
        sentences = await anyio.to_thread.run_sync(read_support, answer, passages)
        if not sentences and any(map(declines, split_into_sentences(answer))):
            raise UnscoredError("no_claims", "The answer declines.")
        if not sentences:
            raise UnscoredError("no_sentences", "The summary has no sentence to check.")
        return Score(
            value=support_value(sentences),
            explanation="\n".join(map(_line, sentences)),
            metadata={
                "signature": {"context": read_from, "weights": 7},
                "sentences": [
                    {**sentence._asdict(), "features": sentence.features._asdict()}
                    for sentence in sentences
                ],
            },
        )

    return score


def _line(sentence: NearestSentence) -> str:
    counts = ", ".join(
        f"{name.replace('_', ' ')} {count:g}"
        for name, count in sentence.features._asdict().items()
        if count
    )
    return f"{counts or 'nothing against it'}: {sentence.sentence}"
