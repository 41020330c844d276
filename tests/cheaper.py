"""Fixtures that replace slow steps that do not affect the values under test."""

import re
from collections.abc import Iterator, Sequence
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from arag_inspect.corpus.embedding.models import EmbeddingModel, Vectors
from arag_inspect.report import write
from arag_inspect.report.chart import as_png, as_svg


@pytest.fixture(scope="session", autouse=True)
def unpainted() -> Iterator[None]:
    """Skip rendering images in written reports, which takes most of the time of a report."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(write, "as_svg", lambda chart: "")
        patch.setattr(write, "as_png", lambda chart, svg: b"")
        yield


@pytest.fixture
def painted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Render images in written reports."""
    monkeypatch.setattr(write, "as_svg", as_svg)
    monkeypatch.setattr(write, "as_png", as_png)


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
