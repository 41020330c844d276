"""Does the answer contradict the reference?"""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from arag_inspect.corpus import split_sentences
from arag_inspect.corpus._openmp import settle_openmp
from arag_inspect.errors import InputError
from arag_inspect.scorers._batching import (
    SharedModel,
    device,
    limit_length,
    loading,
    require,
    scoring_failed,
    shared_model,
)
from arag_inspect.scorers._unscored import skipped
from arag_inspect.scorers.metrics import estimates
from arag_inspect.scorers.signature import signature

_SAMPLES_AT_MOST = 16
"""Most samples whose pairs are judged in one go; a sample has some hundred pairs."""

Pair = tuple[str, str]
"""Premise and hypothesis."""


class Verdict(NamedTuple):
    """What the model says of a pair."""

    contradiction: float
    """Probability."""

    likeliest: bool
    """No other label is as probable."""


@scorer(metrics=estimates())
def nli_contradiction(
    *,
    model: str = "MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli",
    batch_size: int = 32,
    threshold: float = 0.5,
) -> Scorer:
    """Share of the reference's sentences that no sentence of the answer contradicts.

    1. Every sentence of the answer (premise) is paired with every sentence of the reference (hypothesis) and judged by a model of natural language inference.
    2. A reference sentence is contradicted when for any pair `contradiction` is the likeliest label and its probability reaches the threshold.
    3. The value is 1 - contradicted sentences / sentences of the reference. With several references, the sentences of all of them count: each is taken for true.
    4. An empty answer contradicts nothing and scores 1: read this beside a measure of what was covered.
    5. Unscored without a reference, and where the model cannot be loaded (reason `scoring_failed`).

    There is one model in the process, and samples that are scored at the same
    time share its batches. Only safetensors weights are loaded, in float32.

    Metadata: `contradictions`, the pairs with their probability, the likeliest first.

    Args:
        model: Local folder or repository on the Hugging Face hub; one of its labels is `contradiction`.
        batch_size: Pairs judged together.
        threshold: Least probability of a contradiction that counts.
    """
    require(batch_size >= 1, f"batch_size of nli_contradiction is {batch_size}; give at least 1")
    require(
        0 <= threshold <= 1, f"threshold of nli_contradiction is {threshold}; give one from 0 to 1"
    )
    judge: SharedModel[list[Pair], list[Verdict]] = shared_model(
        ("nli_contradiction", model, batch_size),
        partial(_Judge, model, batch_size),
        at_most=_SAMPLES_AT_MOST,
    )

    async def score(state: TaskState, target: Target) -> Score:
        if (unscored := skipped(state)) is not None:
            return unscored
        hypotheses = [sentence for reference in target for sentence in _sentences(reference)]
        if not hypotheses:
            return Score.unscored(
                reason="no_reference", explanation="The sample has no reference to compare with."
            )
        answer = state.output.completion
        premises = _sentences(answer)
        places = [(premise, place) for premise in premises for place, _ in enumerate(hypotheses)]
        try:
            verdicts = await judge.submit(
                [(premise, hypotheses[place]) for premise, place in places]
            )
        except InputError as error:
            return scoring_failed(error, answer)
        against = sorted(
            (
                (verdict.contradiction, premise, place)
                for (premise, place), verdict in zip(places, verdicts, strict=True)
                if verdict.likeliest and verdict.contradiction >= threshold
            ),
            reverse=True,
        )
        contradicted = len({place for _, _, place in against})
        return Score(
            value=1 - contradicted / len(hypotheses),
            answer=answer,
            explanation=(
                f"{contradicted} of {len(hypotheses)} reference sentences are contradicted."
                if premises
                else "The answer is empty and contradicts nothing."
            ),
            metadata={
                "signature": signature(
                    "nli_contradiction",
                    libraries=("transformers",),
                    model=model,
                    threshold=threshold,
                ),
                "contradictions": [
                    {
                        "answer": premise,
                        "reference": hypotheses[place],
                        "probability": probability,
                    }
                    for probability, premise, place in against
                ],
            },
        )

    return score


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


class _Judge:
    """A model of natural language inference; not for two threads at a time."""

    def __init__(self, model: str, batch_size: int) -> None:
        settle_openmp()
        with loading("NLI", model) as name:
            import torch
            from huggingface_hub.constants import HF_HUB_OFFLINE
            from transformers import AutoModelForSequenceClassification, AutoTokenizer

            where: dict[str, Any] = {"local_files_only": HF_HUB_OFFLINE, "trust_remote_code": False}
            self._tokenizer: Any = AutoTokenizer.from_pretrained(name, **where)
            self._model: Any = AutoModelForSequenceClassification.from_pretrained(
                name, use_safetensors=True, dtype=torch.float32, **where
            )
        self._model.eval().to(device())
        self._window = limit_length(self._tokenizer, self._model.config)
        self._contradiction = _label(model, self._model.config.id2label)
        self._batch_size = batch_size

    def __call__(self, items: Sequence[Sequence[Pair]]) -> list[list[Verdict]]:
        """Judge the pairs of several samples, each pair once and those of similar length together."""
        pairs = sorted(
            {pair for item in items for pair in item}, key=lambda pair: (-len("".join(pair)), pair)
        )
        verdicts: dict[Pair, Verdict] = {}
        for start in range(0, len(pairs), self._batch_size):
            batch = pairs[start : start + self._batch_size]
            verdicts.update(zip(batch, self._judge(batch), strict=True))
        return [[verdicts[pair] for pair in item] for item in items]

    def _judge(self, pairs: list[Pair]) -> list[Verdict]:
        import torch

        premises, hypotheses = map(list, zip(*pairs, strict=True))
        encoded = self._tokenizer(
            premises,
            hypotheses,
            padding=True,
            truncation=True,
            max_length=self._window,
            return_tensors="pt",
        ).to(self._model.device)
        with torch.inference_mode():
            probabilities = self._model(**encoded).logits.float().softmax(dim=-1)
        likeliest = (probabilities.argmax(dim=-1) == self._contradiction).tolist()
        column = probabilities[:, self._contradiction].tolist()
        return [Verdict(*verdict) for verdict in zip(column, likeliest, strict=True)]


def _label(model: str, labels: dict[int, str]) -> int:
    for place, label in labels.items():
        if label.lower() == "contradiction":
            return place
    raise InputError(
        f"NLI model {model!r} has no label 'contradiction' but {', '.join(labels.values())}; "
        "choose a model of natural language inference"
    )
