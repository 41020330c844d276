"""Fixtures that replace slow steps that do not affect the values under test."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from arag_inspect.corpus.embedding import models
from arag_inspect.corpus.embedding.model_files import DEFAULT_MODEL, model_folder, weights_digest
from arag_inspect.corpus.embedding.models import DType, EmbeddingModel, Vectors
from arag_inspect.corpus.embedding.probes import Machine
from arag_inspect.report.chart import as_png, as_svg, vega_bundle
from arag_inspect.report.output import write
from arag_inspect.report.page import render


@pytest.fixture(scope="session", autouse=True)
def unpainted() -> Iterator[None]:
    """Skip rendering images in written reports, which takes most of the time of a report.

    Pages lack the script that draws their charts, which takes as long to build.
    """
    with pytest.MonkeyPatch.context() as patch:
        leave_unpainted(patch)
        yield


def leave_unpainted(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(write, "as_svg", lambda chart: "")
    patch.setattr(write, "as_png", lambda chart, svg: b"")
    patch.setattr(render, "vega_bundle", str)


@pytest.fixture
def painted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Render images in written reports, and write whole pages."""
    monkeypatch.setattr(write, "as_svg", as_svg)
    monkeypatch.setattr(write, "as_png", as_png)
    monkeypatch.setattr(render, "vega_bundle", vega_bundle)


class HashedModel(EmbeddingModel):
    """The default model without its weights: it counts the same tokens, and hashes words.

    Loading the libraries of the real model takes longer than most tests.
    """

    dimension = 384
    window = 254
    _model = SimpleNamespace(encode_document=None, encode_query=None)
    machine = Machine(device="cpu", instruction_set="none", threads=1, libraries={"torch": "none"})
    arithmetic = "float32"

    def __init__(self, name: str, dtype: DType) -> None:
        from tokenizers import Tokenizer

        self.name, self.dtype = name, dtype
        folder = model_folder(DEFAULT_MODEL)
        self.digest, self.prompts = weights_digest(folder), {}
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [len(encoding.ids) for encoding in encodings]

    def _encode(self, encode: Any, role: str, texts: Sequence[str], at_most: int) -> Vectors:
        """Return a unit vector for each text; texts that share words are similar."""
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        vectors[:, 0] = 1e-3  # for texts without words
        for vector, text in zip(vectors, texts, strict=True):
            for word in re.findall(r"\w+", text.lower()):
                vector[crc32(word.encode()) % len(vector)] += 1
        lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / lengths


_with_weights = models._embedding_model


def _without_weights(name: str, dtype: DType) -> EmbeddingModel:
    """Return a `HashedModel` in place of the default model, and any other model itself."""
    make = HashedModel if name == DEFAULT_MODEL else EmbeddingModel
    return make(name, dtype)


def embed_by_hashed_words() -> None:
    """Embed as `hashed_vectors` does, in a process that a test starts."""
    models._embedding_model = cache(_without_weights)


@pytest.fixture(scope="session", autouse=True)
def hashed_vectors() -> Iterator[None]:
    """Embed texts by hashing their words, without the embedding model."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(models, "_embedding_model", cache(_without_weights))
        yield


@pytest.fixture
def real_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Embed texts with the embedding model, as users do."""
    monkeypatch.setattr(models, "_embedding_model", _with_weights)
    for cached in ("corpus.corpus._OPENED", "measures.local_model._MODELS"):
        monkeypatch.setattr(f"arag_inspect.{cached}", {})  # what is in it keeps its model
