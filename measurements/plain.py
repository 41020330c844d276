"""Naive implementations of the A-RAG paper's tools, as baselines for ours."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from sentence_transformers import SentenceTransformer

_BATCH = 32


def keyword_scores(texts: Sequence[str], keywords: Sequence[str]) -> list[int]:
    """Score every text: occurrences of each keyword times its length."""
    scores = []
    for text in texts:
        lowered = text.lower()
        scores.append(sum(lowered.count(word.lower()) * len(word) for word in keywords))
    return scores


def best_chunks(scores: Sequence[float], top_k: int) -> list[int]:
    """Return the positions of the highest scores above zero; ties in ascending order."""
    ranked = sorted(range(len(scores)), key=lambda place: -scores[place])
    return [place for place in ranked[:top_k] if scores[place] > 0]


def embed(model: SentenceTransformer, texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Embed texts, batch by batch in the order given."""
    batches = [
        model.encode(
            list(texts[start : start + _BATCH]),
            batch_size=_BATCH,
            normalize_embeddings=True,
            show_progress_bar=False,
        )
        for start in range(0, len(texts), _BATCH)
    ]
    return np.concatenate(batches)


def embed_sorted(model: SentenceTransformer, texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Embed texts in batches of similar length."""
    vectors: npt.NDArray[np.float32] = model.encode(
        list(texts), batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
    )
    return vectors


def semantic_search(
    query: npt.NDArray[np.float32],
    vectors: npt.NDArray[np.float32],
    chunk_of: npt.NDArray[np.int64],
    top_k: int,
) -> list[tuple[int, float]]:
    """Rank all sentences, and take each chunk's best until there are enough chunks."""
    similarities = vectors @ query
    found: dict[int, float] = {}
    for row in np.argsort(-similarities):
        found.setdefault(int(chunk_of[row]), float(similarities[row]))
        if len(found) == top_k:
            break
    return list(found.items())


def bert_score(
    model: str, layer: int, answers: Sequence[str], references: Sequence[str]
) -> list[list[float]]:
    """Precision, recall and F1 of all pairs in one call."""
    from bert_score import score

    found = score(list(answers), list(references), model_type=model, num_layers=layer)
    return [column.tolist() for column in found]


def classify(model: str, pairs: Sequence[tuple[str, str]], batch_size: int) -> list[list[float]]:
    """Probabilities of a sequence classifier's labels, pairs of similar length together."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model)
    classifier = AutoModelForSequenceClassification.from_pretrained(model).eval()
    order = sorted(range(len(pairs)), key=lambda place: -len("".join(pairs[place])))
    found: dict[int, list[float]] = {}
    for start in range(0, len(order), batch_size):
        places = order[start : start + batch_size]
        first, second = ([pairs[place][side] for place in places] for side in (0, 1))
        batch = tokenizer(first, second, padding=True, truncation=True, return_tensors="pt")
        with torch.inference_mode():
            probabilities = classifier(**batch).logits.softmax(dim=-1)
        found.update(zip(places, probabilities.tolist(), strict=True))
    return [found[place] for place in range(len(pairs))]
