"""Natural language inference on pairs of sentences."""

from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import chain, product
from typing import Any, Literal

from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect._util.extras import configure_openmp
from arag_inspect.corpus.embedding.model_files import model_folder, weights_digest
from arag_inspect.corpus.embedding.unpadded import predict_pairs
from arag_inspect.judge.unscored import UnscoredError, no_reference
from arag_inspect.measure import MeasureSpec
from arag_inspect.measures.local_model import (
    arithmetic,
    device,
    limit_length,
    load_transformer,
    local_model,
)
from arag_inspect.measures.scorer import scorer
from arag_inspect.text.sentences import sentences

NLI_MODEL = "MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli"

Label = Literal["contradiction", "entailment"]
SentencePair = tuple[str, str]
"""Premise and hypothesis."""

LEAST_PROBABILITY = 0.5
"""Lowest probability with which a label holds; no other label is likelier."""

_Inferred = dict[str, float]
"""Probability by label, in the model's order and spelling."""


class Inference:
    """An inference model of the process, shared by name."""

    def __init__(self, model: str) -> None:
        """Prepare without loading anything.

        Args:
            model: Local folder, or repository in the Hugging Face cache.
        """
        self._model = model
        self._local_model = local_model(("nli", model), partial(_load, model))

    @property
    def signature(self) -> dict[str, object]:
        """Properties that the probabilities depend on, for the signature of a score."""
        return {
            "libraries": ("transformers",),
            "model": self._model,
            "weights": _weights(self._model),
            "arithmetic": arithmetic(),
        }

    async def ask(self, label: Label, pairs: Sequence[SentencePair]) -> list[float]:
        """Return the probability of a label for each pair.

        Raises:
            UnscoredError: The model cannot be loaded, or has no such label.
        """
        inferred = await self._local_model.apply(pairs)
        return [self._probability(probabilities, label) for probabilities in inferred]

    def _probability(self, probabilities: _Inferred, label: Label) -> float:
        shares_by_label = {name.lower(): share for name, share in probabilities.items()}
        if label not in shares_by_label:
            raise UnscoredError(
                "scoring_failed",
                f"NLI model {self._model!r} has no label {label!r} but {', '.join(probabilities)}; "
                "choose a model of natural language inference",
            )
        return shares_by_label[label]


@cache
def _weights(model: str) -> str:
    """Return twelve digits of the SHA-256 of a model's weights, since a name has many versions."""
    return weights_digest(model_folder(model, "NLI model"))[:12]


def _load(name: str) -> Callable[[Sequence[SentencePair]], list[_Inferred]]:
    """Load a model of natural language inference, never from the network.

    The function that it returns is not thread-safe.
    """
    configure_openmp()
    with load_transformer("NLI", name) as folder:
        import torch
        from sentence_transformers import CrossEncoder

        model = CrossEncoder(
            folder,
            device=device(),
            activation_fn=torch.nn.Identity(),
            local_files_only=True,
            model_kwargs={"use_safetensors": True, "dtype": torch.float32},
        )
    _weights(name)  # digest the weights here, where waiting does not block
    limit_length(model.tokenizer, model.config)
    labels = [label for _, label in sorted(model.config.id2label.items())]

    def infer(pairs: Sequence[SentencePair]) -> list[_Inferred]:
        probabilities = predict_pairs(model, pairs, apply_softmax=True)
        rows = probabilities.reshape(len(pairs), len(labels)).tolist()
        return [dict(zip(labels, row, strict=True)) for row in rows]

    return infer


@scorer(
    MeasureSpec(
        "nli_contradiction", "Not contradicted (NLI)", "NLI", noun="sentences not contradicted"
    ),
    family="overlap",
    role="secondary",
    signature=("model", "weights", "arithmetic", "transformers"),
    sets={"summary": "all"},
)
def nli_contradiction(*, model: str = NLI_MODEL) -> Scorer:
    """Share of the reference's sentences that no sentence of the answer contradicts.

    1. Every sentence of the answer (premise) is paired with every sentence of the reference
       (hypothesis) and judged by a model of natural language inference.
    2. A reference sentence is contradicted if for any pair the probability of `contradiction` is at
       least 0.5.
    3. The value is 1 - contradicted sentences / sentences of the reference. With several
       references, the sentences of all of them count.
    4. What is left out contradicts nothing: read it together with a coverage measure.
    5. Unscored if the answer or the reference has no sentence, or if the model fails to load
       (`scoring_failed`). The model is never downloaded or replaced by another; the explanation
       gives the command that downloads it (`hf download MODEL`).

    There is one model per process. Only safetensors weights are loaded, in float32.

    Metadata: `contradictions`, the pairs with their probability, the likeliest first.

    Args:
        model: Local folder, or repository in the Hugging Face cache, of a model with the label
            `contradiction`.
    """
    inference = Inference(model)

    async def score(state: TaskState, target: Target) -> Score:
        hypotheses = list(chain.from_iterable(map(sentences, target)))
        if not hypotheses:
            raise no_reference(state)
        premises = sentences(state.output.completion)
        if not premises:
            raise UnscoredError("no_sentences", "The answer has no sentence to check.")
        pairs = list(product(premises, hypotheses))
        probabilities = await inference.ask("contradiction", pairs)
        contradictions: list[dict[str, Any]] = []
        for (premise, hypothesis), probability in zip(pairs, probabilities, strict=True):
            if probability >= LEAST_PROBABILITY:
                sides = {"answer": premise, "reference": hypothesis}
                contradictions.append({**sides, "probability": probability})
        contradictions.sort(key=lambda pair: -pair["probability"])
        contradicting_references = {pair["reference"] for pair in contradictions}
        contradicted = sum(sentence in contradicting_references for sentence in hypotheses)
        explanation = f"{contradicted} of {len(hypotheses)} reference sentences are contradicted."
        return Score(
            value=1 - contradicted / len(hypotheses),
            explanation=explanation,
            metadata={
                "signature": inference.signature,
                "contradictions": contradictions,
            },
        )

    return score
