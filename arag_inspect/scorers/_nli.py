"""Natural language inference on pairs of sentences, in shared batches."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

from .._util.extras import configure_openmp
from ..judge.unscored import UnscoredError
from ..models.offline.judge.nli import infer
from ._local_model import SharedModel, device, limit_length, load_transformer, shared_model

PUBLISHED = "MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli"
RULES = "offline/rules"
"""Name of the rule-based inference, which is not a model: see `models.offline.judge.nli`."""

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


class _Inferred(NamedTuple):
    """Inference result of a pair."""

    probabilities: dict[str, float]
    """Probability by label, in the model's order and spelling."""

    why: str = ""


_Item = tuple[Sequence[Pair], int]
"""Pairs of a sample, and their batch size."""


class Inference:
    """An inference model of the process, shared by name, or the rules."""

    def __init__(self, model: str, batch_size: int) -> None:
        """Prepare without loading anything.

        Args:
            model: Local folder or repository on the Hugging Face hub, or `offline/rules`.
            batch_size: Pairs per batch.
        """
        self._model, self._batch_size = model, batch_size
        load = (lambda: _by_rule) if model == RULES else partial(_Judge, model)
        self._shared: SharedModel[_Item, list[_Inferred]] = shared_model(
            ("nli", model), load, at_most=_SAMPLES_AT_MOST
        )

    async def ask(self, label: Label, pairs: Sequence[Pair]) -> list[InferredLabel]:
        """Return a verdict on each pair.

        Raises:
            UnscoredError: The model cannot be loaded, or has no such label.
        """
        inferred = await self._shared.submit((pairs, self._batch_size))
        return [_verdict(result, self._model, label) for result in inferred]


def _verdict(inferred: _Inferred, model: str, label: str) -> InferredLabel:
    probabilities = inferred.probabilities
    name = next((name for name in probabilities if name.lower() == label), None)
    if name is None:
        raise UnscoredError(
            "scoring_failed",
            f"NLI model {model!r} has no label {label!r} but {', '.join(probabilities)}; "
            "choose a model of natural language inference",
        )
    likeliest = max(probabilities, key=probabilities.__getitem__) == name
    return InferredLabel(probabilities[name], likeliest, inferred.why)


class _Judge:
    """A natural language inference model; not thread-safe."""

    def __init__(self, model: str) -> None:
        configure_openmp()
        with load_transformer("NLI", model) as name:
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
        self._labels = [name for _, name in sorted(self._model.config.id2label.items())]

    def __call__(self, items: Sequence[_Item]) -> list[list[_Inferred]]:
        """Process the pairs of several samples, each distinct pair once, sorted by length."""
        pairs = sorted(
            {pair for sample_pairs, _ in items for pair in sample_pairs},
            key=lambda pair: (-len("".join(pair)), pair),
        )
        size = min(batch_size for _, batch_size in items)
        inferred: dict[Pair, _Inferred] = {}
        for start in range(0, len(pairs), size):
            batch = pairs[start : start + size]
            inferred.update(zip(batch, self._judge(batch), strict=True))
        return [[inferred[pair] for pair in sample_pairs] for sample_pairs, _ in items]

    def _judge(self, pairs: list[Pair]) -> list[_Inferred]:
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
            rows = self._model(**encoded).logits.float().softmax(dim=-1).tolist()
        return [_Inferred(dict(zip(self._labels, row, strict=True))) for row in rows]


def _by_rule(items: Sequence[_Item]) -> list[list[_Inferred]]:
    """Infer by rule; a probability is 0 or 1."""
    return [[_certain(*pair) for pair in pairs] for pairs, _ in items]


def _certain(premise: str, hypothesis: str) -> _Inferred:
    result = infer(premise, hypothesis)
    labels = ("contradiction", "entailment", "neutral")
    return _Inferred({label: float(label == result.label) for label in labels}, result.why)
