"""Embedding: batches of equal token counts against padded ones, bfloat16, and one query alone."""

from collections.abc import Callable
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
from sentence_transformers import SentenceTransformer

from arag_inspect.corpus import DEFAULT_MODEL, embedding_model
from arag_inspect.corpus.embedding import unpadded
from arag_inspect.corpus.embedding.model_files import model_folder

from . import plain
from .material import documents, sentences
from .measure import Row, best

_LEAST_COSINE = 0.999

_FEW_TOKENS = 12
"""Tokens of a query, besides the two special ones, short enough to be padded."""


def embedding(quick: bool) -> list[Row]:
    """Time the embedding of real sentences, after checking that the vectors are nearly equal."""
    repeats = 2 if quick else 3
    texts = sentences(400 if quick else 2048)
    model, half = embedding_model(), embedding_model(dtype="bfloat16")
    reference = SentenceTransformer(str(model_folder(DEFAULT_MODEL)), local_files_only=True)
    runs: list[Callable[[], Any]] = [
        partial(model.encode, texts),
        partial(plain.embed, reference, texts),
        partial(plain.embed_sorted, reference, texts),
        partial(half.encode, texts),
    ]
    for encode in (model.encode, half.encode, partial(plain.embed, reference)):
        encode(texts[:64])
    (fast, ours), *others = best(runs, repeats)
    against = ("padded, in the given order", "padded, sorted by length", "the same in bfloat16")
    rows = []
    for name, (seconds, vectors) in zip(against, others, strict=True):
        cosine = float(np.einsum("ij,ij->i", ours, vectors).mean())
        assert cosine >= _LEAST_COSINE, cosine
        target = 1.8 if name == against[0] and not quick else None
        rows.append(
            Row(
                f"embedding in float32, {len(texts):,} sentences with prefix, against {name}",
                f"{len(texts) / fast:.0f} /s",
                f"{len(texts) / seconds:.0f} /s",
                seconds / fast,
                target,
                repeats=repeats,
            )
        )
    return [*rows, _one_query(repeats)]


def _one_query(repeats: int) -> Row:
    """Time short queries one by one, filled up with copies and as they are."""
    model, (call, *_) = embedding_model(), documents(4)
    short = [f"{call.company} {words}" for words in ("net debt", "outlook", "free cash flow")]
    queries = [query for query in short if model.count_tokens([query])[0] <= _FEW_TOKENS]
    assert queries

    def one_by_one() -> None:
        for query in queries * 20:
            model.encode_queries([query])

    as_they_are = patch.object(unpadded, "FEWEST_TOKENS", 1)(one_by_one)
    one_by_one()
    (filled, _), (alone, _) = best([one_by_one, as_they_are], 5 * repeats)
    number = 20 * len(queries)
    return Row(
        f"one query of at most {_FEW_TOKENS} tokens, filled up to {unpadded.FEWEST_TOKENS}",
        f"{1000 * filled / number:.1f} ms",
        f"{1000 * alone / number:.1f} ms",
        filled / alone,
        repeats=5 * repeats,
    )
