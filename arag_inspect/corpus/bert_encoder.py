"""Sentence encoders of the default model's kind: BERT, mean of the tokens, unit vectors.

They need torch and tokenizers alone. Importing sentence-transformers, which every other model
needs, takes longer than most commands compute. Import this module when a model is loaded.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional as F

_BATCH = 32


class _Affine(NamedTuple):
    weight: Tensor
    bias: Tensor


class _Layer(NamedTuple):
    query_key_value: _Affine
    attention_output: _Affine
    attention_norm: _Affine
    expand: _Affine
    contract: _Affine
    norm: _Affine


def is_mean_pooled_bert(folder: Path) -> bool:
    """Return whether `BertEncoder` computes what sentence-transformers does with a model.

    Args:
        folder: A model in sentence-transformers' layout.
    """
    modules, pooling, bert, sentence, general = (
        _read(folder / name)
        for name in (
            "modules.json",
            "1_Pooling/config.json",
            "config.json",
            "sentence_bert_config.json",
            "config_sentence_transformers.json",
        )
    )
    if not isinstance(modules, list) or not all(map(_is_table, (pooling, bert, sentence))):
        return False
    types = [str(module.get("type")).rpartition(".")[2] for module in modules if _is_table(module)]
    return (
        types == ["Transformer", "Pooling", "Normalize"]
        and {key for key, value in pooling.items() if value is True} == {"pooling_mode_mean_tokens"}
        and bert.get("model_type") == "bert"
        and bert.get("hidden_act", "gelu") == "gelu"
        and bert.get("position_embedding_type", "absolute") == "absolute"
        and isinstance(sentence.get("max_seq_length"), int)
        and not sentence.get("do_lower_case")
        and not (_is_table(general) and general.get("default_prompt_name"))
        and all((folder / name).is_file() for name in ("tokenizer.json", "model.safetensors"))
    )


class BertEncoder:
    """A BERT whose mean over the tokens, scaled to length 1, stands for a sentence."""

    def __init__(self, folder: Path, dtype: torch.dtype) -> None:
        """Load a model, on a GPU if there is one.

        Args:
            folder: Its files, for which `is_mean_pooled_bert` holds.
            dtype: Data type of the forward pass.
        """
        config = _read(folder / "config.json")
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._weights = {
            _current_name(name): tensor.to(self._device, dtype)
            for name, tensor in load_file(folder / "model.safetensors").items()
            if tensor.is_floating_point()
        }
        self._heads: int = config.get("num_attention_heads", 12)
        self._epsilon: float = config.get("layer_norm_eps", 1e-12)
        self._words = self._weights["embeddings.word_embeddings.weight"]
        self._positions = (
            self._weights["embeddings.position_embeddings.weight"]
            + self._weights["embeddings.token_type_embeddings.weight"][0]
        )
        self._norm = self._affine("embeddings.LayerNorm")
        self._layers = [self._layer(index) for index in range(config.get("num_hidden_layers", 12))]
        self._counter = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._counter.no_truncation()
        self._counter.no_padding()
        self._tokenizer = Tokenizer.from_str(self._counter.to_str())
        window = _read(folder / "sentence_bert_config.json")["max_seq_length"]
        self._tokenizer.enable_truncation(min(window, len(self._positions)))

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self._words.shape[1])

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text, without special tokens."""
        return list(map(len, self._counter.encode_batch(list(texts), add_special_tokens=False)))

    def encode(self, texts: Sequence[str]) -> Tensor:
        """Embed texts in batches of similar length.

        Returns:
            Unit vectors in float32, shape (texts, dimension), in the order of the texts.
        """
        rows = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        order = sorted(range(len(rows)), key=lambda index: -len(rows[index]))
        vectors = torch.empty(len(rows), self.dimension)
        with torch.inference_mode():
            for start in range(0, len(order), _BATCH):
                batch = order[start : start + _BATCH]
                vectors[batch] = self._embed([rows[index] for index in batch]).cpu()
        return vectors

    def _embed(self, rows: Sequence[Sequence[int]]) -> Tensor:
        """Embed token ids, the longest row first."""
        longest = len(rows[0])
        ids = torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows])
        lengths = torch.tensor([[len(row)] for row in rows], device=self._device)
        used = torch.arange(longest, device=self._device) < lengths
        mask = None if len(rows[-1]) == longest else used[:, None, None, :]
        states = self._words[ids.to(self._device)] + self._positions[:longest]
        states = self._normalize(states, self._norm)
        for layer in self._layers:
            states = self._apply(layer, states, mask)
        means = (states.float() * used[:, :, None]).sum(1) / lengths
        return F.normalize(means, dim=1)

    def _apply(self, layer: _Layer, states: Tensor, mask: Tensor | None) -> Tensor:
        """Apply a layer to states, shape (texts, tokens, dimension)."""
        texts, tokens, dimension = states.shape
        query, key, value = (
            F.linear(states, *layer.query_key_value)
            .view(texts, tokens, 3, self._heads, dimension // self._heads)
            .permute(2, 0, 3, 1, 4)
        )
        attended = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        attended = attended.transpose(1, 2).reshape(texts, tokens, dimension)
        attended = F.linear(attended, *layer.attention_output)
        states = self._normalize(states + attended, layer.attention_norm)
        expanded = F.gelu(F.linear(states, *layer.expand))
        return self._normalize(states + F.linear(expanded, *layer.contract), layer.norm)

    def _normalize(self, states: Tensor, norm: _Affine) -> Tensor:
        return F.layer_norm(states, (self.dimension,), *norm, self._epsilon)

    def _layer(self, index: int) -> _Layer:
        prefix = f"encoder.layer.{index}"
        projections = [
            self._affine(f"{prefix}.attention.self.{name}") for name in ("query", "key", "value")
        ]
        return _Layer(
            _Affine(*map(torch.cat, zip(*projections, strict=True))),
            self._affine(f"{prefix}.attention.output.dense"),
            self._affine(f"{prefix}.attention.output.LayerNorm"),
            self._affine(f"{prefix}.intermediate.dense"),
            self._affine(f"{prefix}.output.dense"),
            self._affine(f"{prefix}.output.LayerNorm"),
        )

    def _affine(self, name: str) -> _Affine:
        return _Affine(self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])


def _current_name(name: str) -> str:
    """Return the name of a weight as BERT has it today, without the model's own prefix."""
    name = name.removeprefix("bert.")
    return name.replace("LayerNorm.gamma", "LayerNorm.weight").replace(
        "LayerNorm.beta", "LayerNorm.bias"
    )


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _is_table(value: object) -> bool:
    return isinstance(value, dict)
