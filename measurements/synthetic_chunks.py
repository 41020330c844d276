"""Prepared folders of synthetic chunks: 20 sentences of made words, random vectors."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from arag_inspect._util.files import file_digest
from arag_inspect.corpus.chunks import Chunk, chunk_line
from arag_inspect.corpus.embedding.models import Vectors
from arag_inspect.corpus.prepared.manifest import (
    CHUNKS,
    FORMAT_VERSION,
    INDEX,
    Embedding,
    LanceData,
    Manifest,
)
from arag_inspect.corpus.prepared.provenance import Source
from arag_inspect.corpus.search.dense_index import new_index, write_index
from arag_inspect.corpus.stores import lance as datasets
from arag_inspect.corpus.stores.lance.indices import build_indices
from arag_inspect.text.sentences import Span

Kind = Literal["local", "lance"]
SENTENCES_EACH, DIMENSION, VOCABULARY = 20, 384, 20_000
_WORDS, _STEP = 15, 500


def build(kind: Kind, chunks: int, folder: Path, clusters: int = 0) -> None:
    """Write a prepared folder of `chunks` chunks; the same for both stores except for its format.

    Args:
        kind: The store.
        chunks: Number of chunks.
        folder: Where to write.
        clusters: Centres around which the vectors of each chunk lie; 0 spreads them evenly.
    """
    folder.mkdir(parents=True)
    (_build_local if kind == "local" else _build_lance)(chunks, folder, clusters)


def word(rank: int) -> str:
    """The word of a rank, of three syllables; low ranks are frequent."""
    return "".join(_SYLLABLES[rank // 100**place % 100] for place in range(3))


_SYLLABLES = [a + b for b in "aeiou" for a in "bcdfghjklmnprstvwxyz"]


def unit_vectors(
    random: np.random.Generator, count: int, clusters: int = 0, each: int = 1
) -> Vectors:
    """Random unit vectors, shape (count, 384).

    Args:
        random: Source of chance.
        count: Number of vectors.
        clusters: Centres around which they lie, so that the cosine of two is about 0.5; 0 for none.
        each: How many vectors in a row share a centre.
    """
    vectors = random.standard_normal((count, DIMENSION), np.float32)
    if clusters:
        vectors += _centres(clusters)[random.integers(clusters, size=count // each).repeat(each)]
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


@cache
def _centres(clusters: int) -> Vectors:
    return np.random.default_rng(3).standard_normal((clusters, DIMENSION), np.float32)


def _build_local(chunks: int, folder: Path, clusters: int) -> None:
    index = new_index(DIMENSION)
    with (folder / CHUNKS).open("wb") as file:
        for step, vectors in zip(_chunks(chunks), _vectors(chunks, clusters), strict=True):
            index.add(vectors)
            file.writelines(map(chunk_line, step))
    write_index(index, folder / INDEX)
    files = {name: file_digest(folder / name) for name in (CHUNKS, INDEX)}
    _manifest(chunks, files, None).write(folder)


def _build_lance(chunks: int, folder: Path, clusters: int) -> None:
    root = folder / "data-0"
    texts = datasets.write_dataset(
        f"{root}/{datasets.CHUNKS}",
        map(datasets.chunk_batch, _chunks(chunks)),
        datasets.CHUNK_COLUMNS,
    )
    sentences = datasets.write_dataset(
        f"{root}/{datasets.SENTENCES}",
        map(datasets.sentence_batch, _chunks(chunks), _vectors(chunks, clusters)),
        datasets.sentence_columns(DIMENSION),
    )
    _manifest(chunks, {}, build_indices(texts, sentences, "data-0", "")).write(folder)


def _steps(chunks: int) -> Iterator[range]:
    for low in range(0, chunks, _STEP):
        yield range(low, min(chunks, low + _STEP))


def _chunks(chunks: int) -> Iterator[list[Chunk]]:
    random = np.random.default_rng(0)
    for ids in _steps(chunks):
        drawn = random.zipf(1.3, (len(ids), SENTENCES_EACH, _WORDS)) % VOCABULARY
        yield [_chunk(chunk_id, ranks) for chunk_id, ranks in zip(ids, drawn.tolist(), strict=True)]


def _chunk(chunk_id: int, ranks: list[list[int]]) -> Chunk:
    parts = [f"{' '.join(map(_words().__getitem__, sentence))}." for sentence in ranks]
    ends = (np.cumsum([len(part) + 1 for part in parts]) - 1).tolist()
    return Chunk(
        chunk_id=chunk_id,
        doc_id=f"d{chunk_id // 100}",
        company=f"c{chunk_id // 1000}",
        period=f"Q{chunk_id // 100 % 4}",
        section="",
        prefix=f"[{chunk_id // 100}]",
        text=" ".join(parts),
        tokens=SENTENCES_EACH * _WORDS,
        sentences=tuple(map(Span, [0, *(end + 1 for end in ends[:-1])], ends)),
    )


@cache
def _words() -> list[str]:
    return [word(rank) for rank in range(VOCABULARY)]


def _vectors(chunks: int, clusters: int) -> Iterator[Vectors]:
    random = np.random.default_rng(2)
    for ids in _steps(chunks):
        yield unit_vectors(random, len(ids) * SENTENCES_EACH, clusters, SENTENCES_EACH)


def _manifest(chunks: int, files: dict[str, str], data: LanceData | None) -> Manifest:
    return Manifest(
        format_version=FORMAT_VERSION,
        dataset="synthetic",
        split="",
        command="",
        package_version="",
        source=Source(),
        chunk_tokens=1000,
        tokenizer="",
        embedding=Embedding(
            model="", digest="", dimension=DIMENSION, dtype="float32", prefix_embedded=False
        ),
        counts={"chunks": chunks, "sentences": chunks * SENTENCES_EACH},
        files=files,
        lance=data,
    )
