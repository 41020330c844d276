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

    def __init__(self, model: str, batch_size: int) -> None:
        """Prepare without loading anything.

        Args:
            model: Local folder or repository on the Hugging Face hub, or `offline/rules`.
            batch_size: Pairs per batch.
        """
        self._model = model
        load = (lambda: _by_rule) if model == RULES else partial(_Judge, model, batch_size)
        self._shared: SharedModel[Sequence[Pair], list[_Inferred]] = shared_model(
            ("nli", model, batch_size), load, at_most=_SAMPLES_AT_MOST
        )

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


class _Judge:
    """A natural language inference model; not thread-safe."""

    def __init__(self, model: str, batch_size: int) -> None:
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
        self._batch_size = batch_size
        self._window = limit_length(self._tokenizer, self._model.config)
        self._labels = [name for _, name in sorted(self._model.config.id2label.items())]

    def __call__(self, items: Sequence[Sequence[Pair]]) -> list[list[_Inferred]]:
        """Process the pairs of several samples, each distinct pair once, sorted by length."""
        import torch

        pairs = sorted(
            {pair for item in items for pair in item}, key=lambda own: (-len("".join(own)), own)
        )
        inferred: dict[Pair, _Inferred] = {}
        for start in range(0, len(pairs), self._batch_size):
            batch = pairs[start : start + self._batch_size]
            encoded = self._tokenizer(
                *map(list, zip(*batch, strict=True)),
                padding=True,
                truncation=True,
                max_length=self._window,
                return_tensors="pt",
            ).to(self._model.device)
            with torch.inference_mode():
                rows = self._model(**encoded).logits.float().softmax(dim=-1).tolist()
            for pair, row in zip(batch, rows, strict=True):
                inferred[pair] = dict(zip(self._labels, row, strict=True)), ""
        return [[inferred[pair] for pair in item] for item in items]


def _by_rule(items: Sequence[Sequence[Pair]]) -> list[list[_Inferred]]:
    """Infer by rule; a probability is 0 or 1."""
    return [[_certain(*pair) for pair in item] for item in items]


def _certain(premise: str, hypothesis: str) -> _Inferred:
    result = infer(premise, hypothesis)
    labels = ("contradiction", "entailment", "neutral")
    return {label: float(label == result.label) for label in labels}, result.why
