"""Natural language inference: what a premise means for a hypothesis, in batches that all samples share."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

from ..corpus._openmp import settle_openmp
from ..errors import InputError
from ._batching import SharedModel, device, limit_length, loading, shared_model

DEFAULT_MODEL = "MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli"

_SAMPLES_AT_MOST = 16
"""Most samples whose pairs are judged in one go; a sample has some hundred pairs."""

Label = Literal["contradiction", "entailment"]
Pair = tuple[str, str]
"""Premise and hypothesis."""


class Verdict(NamedTuple):
    """What the model says of a pair."""

    probability: float
    """Of the label that was asked for."""

    likeliest: bool
    """No other label is as probable."""


def nli_model(model: str, label: Label, batch_size: int) -> SharedModel[list[Pair], list[Verdict]]:
    """The model of the process: takes the pairs of a sample, gives a verdict on each.

    Args:
        model: Local folder or repository on the Hugging Face hub.
        label: What is asked of each pair.
        batch_size: Pairs judged together.
    """
    return shared_model(
        ("nli", model, label, batch_size),
        partial(_Judge, model, label, batch_size),
        at_most=_SAMPLES_AT_MOST,
    )


class _Judge:
    """A model of natural language inference, asked for one label; not for two threads at a time."""

    def __init__(self, model: str, label: str, batch_size: int) -> None:
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
        self._column = _column(model, label, self._model.config.id2label)
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
        likeliest = (probabilities.argmax(dim=-1) == self._column).tolist()
        column = probabilities[:, self._column].tolist()
        return [Verdict(*verdict) for verdict in zip(column, likeliest, strict=True)]


def _column(model: str, label: str, labels: dict[int, str]) -> int:
    for place, name in labels.items():
        if name.lower() == label:
            return place
    raise InputError(
        f"NLI model {model!r} has no label {label!r} but {', '.join(labels.values())}; "
        "choose a model of natural language inference"
    )
