"""Natural language inference on pairs of sentences, in shared batches."""

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, Literal, NamedTuple

from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect.judge.unscored import no_reference
from arag_inspect.scorers._local_model import named
from arag_inspect.scorers._scorer import Share, scorer
from arag_inspect.text.sentences import sentences
from arag_inspect.types.measures import MeasureSpec

from .._util.extras import configure_openmp
from ..corpus.unpadded import predict_pairs
from ..judge.unscored import UnscoredError
from ..models.offline.judge.nli import infer
from ._local_model import (
    SharedModel,
    arithmetic,
    device,
    limit_length,
    load_transformer,
    shared_model,
)

PUBLISHED = "MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli"
RULES = "offline/rules"
"""Name of the rule-based inference, which is not a model: see `models.offline.judge.nli`."""

BY_RULE = "By rule, not by an inference model; model=published names one."

_SAMPLES_AT_MOST = 16
"""Most samples whose pairs are processed together; a sample has some hundred pairs."""

Label = Literal["contradiction", "entailment"]
Pair = tuple[str, str]
"""Premise and hypothesis."""


class InferredLabel(NamedTuple):
    """InferredLabel on a pair."""

    probability: float
    """Probability of the requested label."""

    likeliest: bool
    """Whether no other label is as probable."""

    why: str = ""
    """Reason, if a rule decided."""


_Inferred = tuple[dict[str, float], str]
"""Probability by label, in the model's order and spelling, and the reason, if a rule decided."""


class Inference:
    """An inference model of the process, shared by name, or the rules."""

    def __init__(self, model: str) -> None:
        """Prepare without loading anything.

        Args:
            model: Local folder or repository on the Hugging Face hub, or `offline/rules`.
        """
        self._model = model
        load = (lambda: _by_rule) if model == RULES else partial(_load, model)
        self._shared: SharedModel[Sequence[Pair], list[_Inferred]] = shared_model(
            ("nli", model), load, at_most=_SAMPLES_AT_MOST
        )

    @property
    def arithmetic(self) -> str:
        """What probabilities are computed in, e.g. `float32`; `exact` for the rules."""
        return "exact" if self._model == RULES else arithmetic()

    async def ask(self, label: Label, pairs: Sequence[Pair]) -> list[InferredLabel]:
        """Return a verdict on each pair.

        Raises:
            UnscoredError: The model cannot be loaded, or has no such label.
        """
        inferred = await self._shared.submit(pairs)
        return [self._verdict(*result, label) for result in inferred]

    def _verdict(self, probabilities: dict[str, float], why: str, label: Label) -> InferredLabel:
        by_name = {name.lower(): share for name, share in probabilities.items()}
        if label not in by_name:
            raise UnscoredError(
                "scoring_failed",
                f"NLI model {self._model!r} has no label {label!r} but {', '.join(probabilities)}; "
                "choose a model of natural language inference",
            )
        return InferredLabel(by_name[label], max(by_name, key=by_name.__getitem__) == label, why)


def _load(name: str) -> Callable[[Sequence[Sequence[Pair]]], list[list[_Inferred]]]:
    """Load a natural language inference model; what it returns is not thread-safe."""
    configure_openmp()
    with load_transformer("NLI", name) as folder:
        import torch
        from huggingface_hub.constants import HF_HUB_OFFLINE
        from sentence_transformers import CrossEncoder

        model = CrossEncoder(
            folder,
            device=device(),
            activation_fn=torch.nn.Identity(),
            local_files_only=HF_HUB_OFFLINE,
            model_kwargs={"use_safetensors": True, "dtype": torch.float32},
        )
    limit_length(model.tokenizer, model.config)
    labels = [label for _, label in sorted(model.config.id2label.items())]

    def infer_all(items: Sequence[Sequence[Pair]]) -> list[list[_Inferred]]:
        """Process the pairs of several samples, each distinct pair once."""
        pairs = sorted({pair for item in items for pair in item})
        probabilities = predict_pairs(model, pairs, apply_softmax=True)
        rows = probabilities.reshape(len(pairs), len(labels)).tolist()
        inferred = {
            pair: (dict(zip(labels, row, strict=True)), "")
            for pair, row in zip(pairs, rows, strict=True)
        }
        return [[inferred[pair] for pair in item] for item in items]

    return infer_all


def _by_rule(items: Sequence[Sequence[Pair]]) -> list[list[_Inferred]]:
    """Infer by rule; a probability is 0 or 1."""
    return [[_certain(*pair) for pair in item] for item in items]


def _certain(premise: str, hypothesis: str) -> _Inferred:
    result = infer(premise, hypothesis)
    labels = ("contradiction", "entailment", "neutral")
    return {label: float(label == result.label) for label in labels}, result.why


@scorer(
    MeasureSpec(
        "nli_contradiction", "Not contradicted (NLI)", "NLI", noun="sentences not contradicted"
    ),
    family="overlap",
    role="secondary",
    signature=("model", "threshold", "arithmetic", "transformers"),
)
def nli_contradiction(
    *,
    model: str = RULES,
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
        threshold: Lowest probability of a contradiction that counts.
    """
    name = named(model, PUBLISHED)
    inference = cache(partial(Inference, name))

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
                    "arithmetic": inference().arithmetic,
                },
                "contradictions": contradictions,
            },
        )

    return score
