"""Fixtures that replace slow steps that do not affect the values under test."""

import re
from collections.abc import Iterator, Sequence
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from arag_inspect.corpus.embedding_models import EmbeddingModel, Vectors
from arag_inspect.report import write


@pytest.fixture
def unpainted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip rendering images in written reports."""
    monkeypatch.setattr(write, "as_svg", lambda chart: "")
    monkeypatch.setattr(write, "as_png", lambda chart, svg: b"")


@pytest.fixture(scope="module")
def hashed_vectors() -> Iterator[None]:
    """Embed texts by hashing their words, without the embedding model."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EmbeddingModel, "_encode", _hashed)
        yield


def _hashed(
    model: EmbeddingModel, encode: Any, role: str, texts: Sequence[str], at_most: int
) -> Vectors:
    """Return a unit vector for each text; texts that share words are similar."""
    vectors = np.zeros((len(texts), model.dimension), np.float32)
    vectors[:, 0] = 1e-3  # for texts without words
    for vector, text in zip(vectors, texts, strict=True):
        for word in re.findall(r"\w+", text.lower()):
            vector[crc32(word.encode()) % len(vector)] += 1
    lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / lengths
