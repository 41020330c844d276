"""Tests that chunk order is independent of rounding errors in vectors and of the index."""

import math
from pathlib import Path

import numpy as np
import pytest

from arag_inspect.corpus.chunks import Chunk
from arag_inspect.corpus.search.dense_index import DenseIndex, new_index, write_index
from arag_inspect.corpus.search.ranking import cosines
from arag_inspect.corpus.stores.lance import sentence_batch, write_dataset
from arag_inspect.corpus.stores.lance.store import best_chunks
from arag_inspect.text.sentences import Span

CHUNKS, SENTENCES, DIMENSION = 60, 12, 8


def _vectors(levels: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Return unit vectors whose first component, the query cosine, is a level plus noise."""
    first = levels + noise
    vectors = np.zeros((len(levels), DIMENSION), np.float32)
    vectors[:, 0], vectors[:, 1] = first, np.sqrt(1 - first**2)
    return vectors


def _expected(levels: np.ndarray, top_k: int) -> list[tuple[int, float, tuple[int, ...]]]:
    """Rank by brute force: the top 8, 32, ... sentences per requested chunk, until enough."""
    rows = sorted(range(len(levels)), key=lambda row: (-levels[row], row))
    pooled = 8 * top_k
    while True:
        chunks: dict[int, list[int]] = {}
        for row in rows[:pooled]:
            chunks.setdefault(row // SENTENCES, []).append(row)
        if len(chunks) >= top_k or pooled >= len(rows):
            break
        pooled *= 4
    return [
        (chunk, levels[own[0]], tuple(row % SENTENCES for row in own[:3]))
        for chunk, own in list(chunks.items())[:top_k]
    ]


@pytest.mark.parametrize("step", [0.5, 0.1, 0.01])  # from mostly ties to few
@pytest.mark.parametrize("top_k", [1, 5, 30])
def test_ranking_is_stable_under_rounding_noise_in_all_stores(
    tmp_path: Path, step: float, top_k: int
) -> None:
    random = np.random.default_rng(3)
    levels = np.round(random.integers(0, int(0.9 / step) + 1, CHUNKS * SENTENCES) * step, 6)
    query = np.eye(1, DIMENSION, dtype=np.float32)[0]
    chunks = [
        Chunk(number, "", "", "", "", "", "", 1, (Span(0, 0),) * SENTENCES)
        for number in range(CHUNKS)
    ]
    expected = _expected(levels, top_k)
    for seed in range(3):
        noise = np.random.default_rng(seed).uniform(-2e-7, 2e-7, len(levels))
        vectors = _vectors(levels, noise)
        index = new_index(DIMENSION)
        index.add(vectors)
        write_index(index, tmp_path / "index")
        chunk_of = np.repeat(np.arange(CHUNKS), SENTENCES)
        in_memory = DenseIndex(tmp_path / "index", chunk_of).search(query, top_k)
        batch = sentence_batch(chunks, vectors)
        dataset = write_dataset(str(tmp_path / f"lance-{seed}"), iter([batch]), batch.schema)
        in_lance, _ = best_chunks(dataset, query, top_k, None)
        assert [tuple(hit) for hit in in_memory] == expected
        assert in_lance == in_memory


def test_cosines_match_exact_arithmetic() -> None:
    random = np.random.default_rng(1)
    vectors = random.standard_normal((5000, 50)).astype(np.float32)
    query = random.standard_normal(50).astype(np.float32)
    exact = [
        math.fsum(float(a) * float(b) for a, b in zip(row, query, strict=True)) for row in vectors
    ]
    assert cosines(query, vectors).tolist() == np.round(exact, 6).tolist()
