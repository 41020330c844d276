"""A corpus of 40,000 chunks: how long it takes to open and search, and how much memory."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np

from arag_inspect.corpus import Document, EmbeddingModel, Section, build_corpus
from arag_inspect.corpus.embeddings import Vectors

from .material import documents
from .measure import Row

_ROOT = Path(__file__).resolve().parents[1]


def memory(quick: bool) -> list[Row]:
    """Open a large corpus in a process of its own; random vectors stand for embeddings there."""
    chunks = 500 if quick else 40_000
    with TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        counts = build_large(corpus, chunks)
        size = sum(file.stat().st_size for file in corpus.iterdir())
        done = subprocess.run(
            [sys.executable, "-m", f"{__package__}.opened", str(corpus)],
            cwd=_ROOT,
            check=True,
            capture_output=True,
            text=True,
        )
        found = json.loads(done.stdout.splitlines()[-1])
    what = f"{counts['chunks']:,} chunks, {counts['sentences']:,} sentences, {size / 2**30:.2f} GiB"
    labels = {
        "open_s": ("opened (every file's digest checked) in", "{:.2f} s"),
        "first_keyword_s": ("first keyword search (builds the index)", "{:.2f} s"),
        "later_keyword_s": ("later keyword search, median", "{:.4f} s"),
        "first_semantic_s": ("first semantic search (loads the model)", "{:.2f} s"),
        "later_semantic_s": ("later semantic search, median", "{:.4f} s"),
        "imported_mib": ("memory after imports", "{:.0f} MiB"),
        "peak_mib": ("peak memory, mapped file pages included", "{:.0f} MiB"),
        "own_mib": ("memory at the end without mapped files", "{:.0f} MiB"),
    }
    return [
        Row(f"{what}: {label}", pattern.format(found[key]))
        for key, (label, pattern) in labels.items()
        if found[key] is not None
    ]


def random_vectors(rng: np.random.Generator, number: int, dimension: int) -> Vectors:
    """Random unit vectors, shape (number, dimension)."""
    vectors = rng.standard_normal((number, dimension), np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


@contextmanager
def stand_ins() -> Iterator[None]:
    """Random vectors stand for embeddings, and a count of characters for one of tokens."""
    rng = np.random.default_rng(5)

    def encode(model: EmbeddingModel, texts: Sequence[str]) -> Vectors:
        return random_vectors(rng, len(texts), model.dimension)

    def count_tokens(model: EmbeddingModel, texts: Sequence[str]) -> list[int]:
        return [len(text) * 2 // 9 for text in texts]  # 4.5 characters a token

    with (
        patch.object(EmbeddingModel, "encode", encode),
        patch.object(EmbeddingModel, "count_tokens", count_tokens),
    ):
        yield


def build_large(folder: Path, chunks: int) -> dict[str, int]:
    """Build a corpus of about so many chunks; gives its counts."""
    found = documents(chunks // 3)
    with stand_ins():
        manifest = build_corpus(_enough(found, chunks), folder, dataset="benchmark")
    return manifest.counts


def _enough(found: Sequence[Document], chunks: int) -> list[Document]:
    """As many documents as make the chunks, about."""
    made, kept = 0, []
    for document in found:
        made += sum(_chunks_of(section) for section in document.sections)
        kept.append(document)
        if made >= chunks:
            break
    return kept


def _chunks_of(section: Section) -> int:
    return -(-len(section.text) // 4400)
