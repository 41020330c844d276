"""Tiny BERT models with random weights, and recorders of their inputs."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.lazy import torch, transformers

WORDS = [
    "revenue", "profit", "sales", "rose", "fell", "grew", "by", "ten", "twelve", "percent", "the",
    "in",
    "quarter", "outlook", "flat", ".",
]  # fmt: skip


def save_tiny(
    folder: Path, kind: Callable[[Any], Any], window: int, seed: int = 0, **config: Any
) -> Any:
    """Save a tiny model of a class with its tokenizer and return it."""
    folder.mkdir()
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    words = folder.with_name("vocab.txt")
    words.write_text("\n".join(vocabulary))
    torch.manual_seed(seed)
    model = kind(
        transformers.BertConfig(
            vocab_size=len(vocabulary),
            hidden_size=32,
            num_attention_heads=4,
            intermediate_size=64,
            max_position_embeddings=window,
            **config,
        )
    )
    model.save_pretrained(folder)
    transformers.BertTokenizerFast(str(words), model_max_length=window).save_pretrained(folder)
    return model


def count_batches(
    monkeypatch: pytest.MonkeyPatch, loader: Any, kind: type[Any]
) -> tuple[list[str], list[int]]:
    """Record models loaded and the distinct texts of each (slowed) forward pass."""
    loaded: list[str] = []
    batches: list[int] = []
    load: Callable[..., Any] = loader.from_pretrained
    forward: Callable[..., Any] = kind.forward

    def counted_load(name: str, *args: Any, **options: Any) -> Any:
        loaded.append(name)
        return load(name, *args, **options)

    def counted_forward(self: Any, *args: Any, **options: Any) -> Any:
        rows = (args[0] if args else options["input_ids"]).tolist()
        batches.append(len({tuple(row) for row in rows}))
        time.sleep(0.05)  # so that other requests gather
        return forward(self, *args, **options)

    monkeypatch.setattr(loader, "from_pretrained", counted_load)
    monkeypatch.setattr(kind, "forward", counted_forward)
    return loaded, batches


def record_masks(monkeypatch: pytest.MonkeyPatch, kind: type[Any]) -> list[npt.NDArray[np.bool_]]:
    """Record the attention mask of each forward pass."""
    masks: list[npt.NDArray[np.bool_]] = []
    forward: Callable[..., Any] = kind.forward

    def recorded_forward(self: Any, *args: Any, **options: Any) -> Any:
        masks.append(options["attention_mask"].bool().numpy())
        return forward(self, *args, **options)

    monkeypatch.setattr(kind, "forward", recorded_forward)
    return masks
