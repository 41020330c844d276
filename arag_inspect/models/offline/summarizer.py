"""Extractive summaries: whole sentences, chosen by centrality and numeric density."""

import re
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from ...text.sentences import sentences as split

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_WORD = re.compile(r"[a-z][a-z'-]+|\d[\d,.]*")
_FIGURE = re.compile(
    r"\$\s?\d|\d{1,20}(?:\.\d{1,20})?\s?(?:%|percent|basis points|million|billion)|\d\.\d"
)
_OUTLOOK = re.compile(r"\b(?:guidance|expect|outlook|full[- ]year|anticipate|forecast)", re.I)
_CHATTER = re.compile(
    r"\b(?:thank|welcome|good (?:morning|afternoon|day)|operator|question|forward-looking"
    r"|safe harbor|conference call|webcast|non-gaap (?:financial )?measures)\b",
    re.I,
)
_STOP = frozenset(
    re.findall(
        r"\w+",
        "the a an and or of to in on for with our we as is are was were be this that by at from it "
        "its us you i have has had will would also which these those than then so not more very",
    )
)
_SIMILAR = 0.5
"""Cosine above which a sentence repeats a chosen one."""


class RankedPassage(NamedTuple):
    """A chunk from which to take sentences."""

    chunk_id: int
    text: str


def summarize(passages: Sequence[RankedPassage], words: int, most: int | None = None) -> str:
    """Choose sentences that total about a number of words, in reading order.

    Args:
        passages: Passages to summarise, in reading order.
        words: Target length; at least one sentence is chosen.
        most: Maximum words; a sentence is cut only if all are too long.
    """
    sentences = _sentences(passages)
    vectors = _tfidf(sentences)
    weights = _centrality(vectors) + np.array([_interest(sentence) for sentence in sentences])
    if most is not None:
        words = min(words, most)
    rows: list[int] = []
    words_left = words
    for row in np.argsort(-weights, kind="stable").tolist():
        length = len(sentences[row].split())
        if most is not None and length > words_left:
            continue
        if rows and length > words_left * 1.15:
            continue
        if rows and (vectors[rows] @ vectors[[row]].T).max() > _SIMILAR:
            continue
        rows.append(row)
        words_left -= length
        if words_left < 8:
            break
    if not rows:
        return _first_words(min(sentences, key=len), words)
    return " ".join(sentences[row] for row in sorted(rows))


def answer(passages: Sequence[RankedPassage], question: str, most: int | None = None) -> str:
    """Return the two sentences that share most words with a question, best first.

    Args:
        passages: Passages from which to answer.
        question: The question.
        most: Maximum words; beyond them the second sentence is omitted, or the first cut.
    """
    sentences = _sentences(passages)
    vectors = _tfidf([*sentences, question])
    overlap = (vectors[:-1] @ vectors[[-1]].T).toarray().ravel()
    figures = np.array([bool(_FIGURE.search(sentence)) for sentence in sentences])
    best = np.argsort(-(overlap + 0.1 * figures), kind="stable")[:2]
    first, *second = [sentences[row] for row in best.tolist()]
    joined_sentences = " ".join([first, *second])
    if most is None or len(joined_sentences.split()) <= most:
        return joined_sentences
    return _first_words(first, most)


def _first_words(text: str, most: int) -> str:
    return " ".join(text.split()[:most])


def _sentences(passages: Sequence[RankedPassage]) -> list[str]:
    sentences = [*chain.from_iterable(split(passage.text) for passage in passages)]
    usable_sentences = [sentence for sentence in sentences if 6 <= len(sentence.split()) <= 60]
    return list(dict.fromkeys(usable_sentences or sentences)) or [""]


def _tfidf(sentences: Sequence[str]) -> "csr_array":
    """Return unit TF-IDF vectors, shape (sentences, words)."""
    from scipy.sparse import csr_array  # slow to import; scorers load this module

    words = [_content_words(sentence) for sentence in sentences]
    all_words = list(chain.from_iterable(words))
    number = {word: i for i, word in enumerate(sorted(set(all_words)))}
    rows = np.repeat(np.arange(len(words)), [*map(len, words)])
    columns = np.array([number[word] for word in all_words], dtype=np.int64)
    shape = (len(words), max(1, len(number)))
    counts = csr_array((np.ones(len(columns)), (rows, columns)), shape=shape)
    counts.sum_duplicates()
    idf = np.log((1 + len(words)) / (1 + np.bincount(counts.indices, minlength=shape[1]))) + 1
    weighted = counts.multiply(idf).tocsr()
    norms = np.sqrt(weighted.multiply(weighted).sum(axis=1))
    return csr_array(weighted.multiply(1 / np.maximum(norms, 1e-12)[:, None]))


def _content_words(sentence: str) -> list[str]:
    return [word for word in _WORD.findall(sentence.lower()) if word not in _STOP]


def _centrality(vectors: "csr_array") -> npt.NDArray[np.float64]:
    """Return the cosine of each sentence with the centroid, scaled to 0..1."""
    centroid = np.asarray(vectors.mean(axis=0)).ravel()
    scores: npt.NDArray[np.float64] = vectors @ centroid
    return scores / max(float(scores.max()), 1e-12)


def _interest(sentence: str) -> float:
    """Weigh a sentence: figures and outlook raise the weight, formalities lower it."""
    figures = min(3, len(_FIGURE.findall(sentence)))
    weight = 0.35 * figures
    if figures and _OUTLOOK.search(sentence):
        weight += 0.35
    if _CHATTER.search(sentence):
        weight -= 1.0
    return weight
