"""Embedding: batches of equal token counts, against batches in the given order."""

from functools import partial

import numpy as np
from sentence_transformers import SentenceTransformer

from arag_inspect.corpus import DEFAULT_MODEL, embedding_model
from arag_inspect.corpus.model_files import model_folder

from . import plain
from .material import sentences
from .measure import Row, best

_LEAST_COSINE = 0.999


def embedding(quick: bool) -> list[Row]:
    """Time the embedding of real sentences, after making sure that the vectors are nearly the same."""
    repeats = 2 if quick else 3
    texts = sentences(400 if quick else 2048)
    model = embedding_model()
    reference = SentenceTransformer(str(model_folder(DEFAULT_MODEL)), local_files_only=True)
    model.encode(texts[:64])
    plain.embed(reference, texts[:64])
    (fast, ours), (slow, exact) = best(
        [partial(model.encode, texts), partial(plain.embed, reference, texts)], repeats
    )
    cosine = float(np.einsum("ij,ij->i", ours, exact).mean())
    assert cosine >= _LEAST_COSINE, cosine
    return [
        Row(
            f"embedding, {len(texts):,} sentences with prefix, {model.dtype}, mean cosine {cosine:.5f}",
            f"{len(texts) / fast:.0f} /s",
            f"{len(texts) / slow:.0f} /s",
            slow / fast,
            None if quick else 1.5,
            repeats=repeats,
        )
    ]
