"""Simple baselines that a scorer has to beat."""

import re
from collections import Counter
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from ...corpus import DEFAULT_MODEL, embedding_model
from ...quantities import numerical_precision
from ...text.sentences import sentences

_WORD = re.compile(r"[a-z0-9]+(?:[.,]\d+)*")


def baselines(answers: pd.DataFrame) -> pd.DataFrame:
    """Return a column of values for each applicable baseline.

    Sets with a source: precision of the summary's words and word pairs in the
    source, share of its numbers found there, least cosine of a sentence with its
    nearest of the source. Other sets: recall and F1 of the reference's words,
    and mean cosine of its sentences with their nearest of the answer.
    """
    measure = _of_source if answers["source"].all() else _of_reference
    return pd.DataFrame(map(measure, answers.itertuples()), index=answers.index).add_prefix(
        "baseline: "
    )


def _of_source(row: Any) -> dict[str, float]:
    numbers = numerical_precision(row.answer, [row.source])
    return {
        "ROUGE-1 precision": _overlap(row.answer, row.source, 1),
        "ROUGE-2 precision": _overlap(row.answer, row.source, 2),
        "numbers found": 1.0 if numbers is None else numbers,
        "cosine": min(_cosines(row.answer, row.source)),
    }


def _of_reference(row: Any) -> dict[str, float]:
    recall = _overlap(row.reference, row.answer, 1)
    precision = _overlap(row.answer, row.reference, 1)
    return {
        "ROUGE-1 recall": recall,
        "ROUGE-1 F1": 2 * recall * precision / ((recall + precision) or 1),
        "cosine": float(np.mean(_cosines(row.reference, row.answer))),
    }


def _overlap(text: str, other: str, n: int) -> float:
    """Return the share of a text's n-grams that the other text has, with multiplicity."""
    grams, other_grams = _grams(text, n), _grams(other, n)
    return (grams & other_grams).total() / (grams.total() or 1)


@lru_cache(maxsize=1024)
def _grams(text: str, n: int) -> Counter[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return Counter(zip(*(words[start:] for start in range(n)), strict=False))


def _cosines(text: str, other: str) -> list[float]:
    """Return the best cosine of each sentence of a text with one of the other; 0 without any."""
    vectors, other_vectors = _vectors(text), _vectors(other)
    if not (len(vectors) and len(other_vectors)):
        return [0.0]
    best: list[float] = (vectors @ other_vectors.T).max(axis=1).tolist()
    return best


@lru_cache(maxsize=256)
def _vectors(text: str) -> np.ndarray:
    parts = sentences(text)
    if not parts:
        return np.zeros((0, 1), dtype=np.float32)
    return embedding_model(DEFAULT_MODEL, "float32").encode(parts)
