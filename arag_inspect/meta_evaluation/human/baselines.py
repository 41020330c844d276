"""Simple baselines that a scorer has to beat."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from ...corpus import DEFAULT_MODEL, embedding_model
from ...quantities import numerical_precision
from ...text.sentences import sentences as split_sentences
from .labelled import LabelledAnswer

_WORD = re.compile(r"[a-z0-9]+(?:[.,]\d+)*")


def baselines(answers: Sequence[LabelledAnswer]) -> dict[str, list[float]]:
    """Return the values of each applicable baseline, in the order of the answers.

    Sets with a source: precision of the summary's words and word pairs in the
    source, share of its numbers found there, least cosine of a sentence with its
    nearest of the source. Other sets: recall and F1 of the reference's words,
    and mean cosine of its sentences with their nearest of the answer.
    """
    measures: Mapping[str, Callable[[LabelledAnswer], float]]
    if all(answer.source for answer in answers):
        measures = {
            "baseline: ROUGE-1 precision": lambda a: _overlap(a.answer, a.source, 1),
            "baseline: ROUGE-2 precision": lambda a: _overlap(a.answer, a.source, 2),
            "baseline: numbers found": _numbers,
            "baseline: cosine": lambda a: min(_cosines(a.answer, a.source), default=0.0),
        }
    else:
        measures = {
            "baseline: ROUGE-1 recall": lambda a: _overlap(a.reference, a.answer, 1),
            "baseline: ROUGE-1 F1": _f1,
            "baseline: cosine": lambda a: float(np.mean(_cosines(a.reference, a.answer) or [0.0])),
        }
    return {name: [measure(answer) for answer in answers] for name, measure in measures.items()}


def _numbers(answer: LabelledAnswer) -> float:
    share = numerical_precision(answer.answer, [answer.source])
    return 1.0 if share is None else share


def _overlap(text: str, other: str, n: int) -> float:
    """Return the share of a text's n-grams that the other text has, with multiplicity."""
    grams, other_grams = _grams(text, n), _grams(other, n)
    return (grams & other_grams).total() / grams.total() if grams else 0.0


def _f1(answer: LabelledAnswer) -> float:
    recall = _overlap(answer.reference, answer.answer, 1)
    precision = _overlap(answer.answer, answer.reference, 1)
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


@lru_cache(maxsize=1024)
def _grams(text: str, n: int) -> Counter[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return Counter(zip(*(words[start:] for start in range(n)), strict=False))


def _cosines(text: str, other: str) -> list[float]:
    """Return the best cosine of each sentence of a text with one of the other."""
    vectors, other_vectors = _vectors(text), _vectors(other)
    return (
        (vectors @ other_vectors.T).max(axis=1).tolist()
        if len(vectors) and len(other_vectors)
        else []
    )


@lru_cache(maxsize=256)
def _vectors(text: str) -> np.ndarray:
    sentences = split_sentences(text)
    if not sentences:
        return np.zeros((0, 1), dtype=np.float32)
    return embedding_model(DEFAULT_MODEL, "float32").encode(sentences)
