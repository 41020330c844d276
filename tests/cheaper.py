"""Fixtures that spare tests what takes long and decides none of their figures."""

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
    """Leave the pictures of written reports empty."""
    monkeypatch.setattr(write, "as_svg", lambda chart: "")
    monkeypatch.setattr(write, "as_png", lambda chart, svg: b"")


@pytest.fixture(scope="module")
def hashed_vectors() -> Iterator[None]:
    """Embed texts by their words alone, without the embedding model."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EmbeddingModel, "_encode", _hashed)
        yield


def _hashed(
    model: EmbeddingModel, encode: Any, role: str, texts: Sequence[str], at_most: int
) -> Vectors:
    """Return a unit vector for each text: texts that share words are alike."""
    vectors = np.zeros((len(texts), model.dimension), np.float32)
    vectors[:, 0] = 1e-3  # of a text without words
    for vector, text in zip(vectors, texts, strict=True):
        for word in re.findall(r"\w+", text.lower()):
            vector[crc32(word.encode()) % len(vector)] += 1
    lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / lengths
