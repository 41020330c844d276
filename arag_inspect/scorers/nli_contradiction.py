"""Does the answer contradict the reference?"""

from functools import cache, partial
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect.judge.unscored import no_reference
from arag_inspect.scorers._local_model import named
from arag_inspect.scorers._nli import BY_RULE, PUBLISHED, RULES, Inference
from arag_inspect.scorers._scorer import Positive, Share, scorer
from arag_inspect.text.sentences import sentences
from arag_inspect.types.measures import MeasureSpec, measures

MEASURES = measures(
    MeasureSpec(
        "nli_contradiction", "Not contradicted (NLI)", "NLI", noun="sentences not contradicted"
    ),
    family="overlap",
    role="secondary",
    signature=("model", "threshold", "transformers"),
)


@scorer(MEASURES)
def nli_contradiction(
    *,
    model: str = RULES,
    batch_size: Positive = 32,
    threshold: Share = 0.5,
) -> Scorer:
    """Share of the reference's sentences that no sentence of the answer contradicts.

    1. Every sentence of the answer (premise) is paired with every sentence of the reference
       (hypothesis) and judged by a model of natural language inference.
    2. A reference sentence is contradicted if for any pair `contradiction` is the likeliest label
       and its probability reaches the threshold.
    3. The value is 1 - contradicted sentences / sentences of the reference. With several
       references, the sentences of all of them count, each taken as true.
    4. An empty answer contradicts nothing and scores 1: read it together with a coverage measure.
    5. Unscored without a reference, and if the model cannot be loaded (reason `scoring_failed`).
    6. The default `offline/rules` is **a rule, not an inference model**: it detects only different
       quantities of one metric, and the explanation says so. `published` is
       MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli, which is recommended where it can be loaded.

    There is one model per process; samples scored at the same
    time share its batches. Only safetensors weights are loaded, in float32.

    Metadata: `contradictions`, the pairs with their probability, the likeliest first, and the
    reason if a rule decided.

    Args:
        model: Local folder or repository on the Hugging Face hub, one of whose labels is
            `contradiction`; `published`, or `offline/rules`.
        batch_size: Pairs per batch.
        threshold: Lowest probability of a contradiction that counts.
    """
    name = named(model, PUBLISHED)
    inference = cache(partial(Inference, name, batch_size))

    async def score(state: TaskState, target: Target) -> Score:
        hypotheses = [sentence for reference in target for sentence in sentences(reference)]
        if not hypotheses:
            raise no_reference(state)
        premises = sentences(state.output.completion)
        pairs = [(premise, index) for premise in premises for index, _ in enumerate(hypotheses)]
        verdicts = await inference().ask(
            "contradiction", [(premise, hypotheses[index]) for premise, index in pairs]
        )
        contradictions: list[dict[str, Any]] = [
            {
                "answer": premise,
                "reference": hypotheses[index],
                "probability": verdict.probability,
                **({"why": verdict.why} if verdict.why else {}),
            }
            for (premise, index), verdict in zip(pairs, verdicts, strict=True)
            if verdict.likeliest and verdict.probability >= threshold
        ]
        contradictions.sort(key=lambda own: -own["probability"])
        against = {own["reference"] for own in contradictions}
        contradicted = sum(sentence in against for sentence in hypotheses)
        explanation = f"{contradicted} of {len(hypotheses)} reference sentences are contradicted."
        if not pairs:
            explanation = "The answer is empty and contradicts nothing."
        return Score(
            value=1 - contradicted / len(hypotheses),
            explanation=f"{explanation} {BY_RULE if name == RULES else ''}".strip(),
            metadata={
                "signature": {
                    "libraries": () if name == RULES else ("transformers",),
                    "model": name,
                    "threshold": threshold,
                },
                "contradictions": contradictions,
            },
        )

    return score
