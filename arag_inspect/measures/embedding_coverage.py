"""Resemblance to the reference by embeddings of sentences."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState
from pydantic import Field

from arag_inspect.corpus import DEFAULT_MODEL, embedding_model
from arag_inspect.corpus.embedding.unpadded import ALONE
from arag_inspect.corpus.search.ranking import cosines
from arag_inspect.judge.unscored import no_reference
from arag_inspect.measure import MeasureSpec
from arag_inspect.measures.local_model import (
    local_model,
)
from arag_inspect.measures.scorer import scorer
from arag_inspect.text.sentences import sentences

Sentences = tuple[str, ...]

Vector = npt.NDArray[np.float32]


@scorer(
    MeasureSpec("embedding_coverage", "Embedding coverage", "Embedded", role="secondary"),
    family="overlap",
    signature=("model", "threshold", "arithmetic", "sentence-transformers"),
    sets={"summary": "all"},
)
def embedding_coverage(
    *, threshold: Annotated[float, Field(ge=-1, le=1)] = 0.5, model: str = DEFAULT_MODEL
) -> Scorer:
    """Share of the reference's sentences that resemble a sentence of the answer.

    1. A reference sentence is covered when its cosine with any sentence of the answer reaches the
       threshold. Similar sentences may still assert different things: this is not a measure of
       truth.
    2. With several references, the best-covered one counts.
    3. An empty answer scores 0. Unscored without a reference, and if the model cannot be loaded
       (reason `scoring_failed`).

    Vectors are computed in float32, one sentence at a time, and cosines are rounded to six digits,
    so that the score does not depend on the processor.

    Metadata: `sentences`, each sentence of that reference with its best cosine and the nearest
    sentence of the answer.

    Args:
        threshold: Lowest cosine at which a sentence covers another.
        model: Sentence-transformers name on the hub, or path of a local folder.
    """
    embedder = local_model(("embedding_coverage", model), partial(_load, model))

    async def score(state: TaskState, target: Target) -> Score:
        references = list(filter(None, (tuple(sentences(reference)) for reference in target)))
        if not references:
            raise no_reference(state)
        answer = tuple(sentences(state.output.completion))
        texts = answer + tuple(chain.from_iterable(references))
        embedded = await embedder.apply(texts)
        match_lists = [_nearest(reference, answer, embedded.vectors) for reference in references]

        def count_covered(matches: Sequence[Mapping[str, Any]]) -> int:
            return sum(match["cosine"] >= threshold for match in matches) if answer else 0

        best = max(match_lists, key=lambda matches: count_covered(matches) / len(matches))
        covered_count = count_covered(best)
        return Score(
            value=covered_count / len(best),
            explanation=(
                f"{covered_count} of {len(best)} reference sentences are covered."
                if answer
                else None
            ),
            metadata={
                "signature": {
                    "libraries": ("sentence-transformers",),
                    "model": model,
                    "threshold": threshold,
                    "arithmetic": embedded.arithmetic,
                },
                "sentences": best,
            },
        )

    return score


def _nearest(
    reference: Sentences, answer: Sentences, vectors: Mapping[str, Vector]
) -> list[dict[str, Any]]:
    """Return each sentence of the reference with the nearest of the answer; None if it is empty."""
    if not answer:
        return [{"reference": sentence, "cosine": None, "match": None} for sentence in reference]
    answer_vectors = np.stack([vectors[text] for text in answer])
    nearest_matches = []
    for sentence in reference:
        similarities = cosines(vectors[sentence], answer_vectors)
        best = int(similarities.argmax())
        nearest_matches.append(
            {"reference": sentence, "cosine": float(similarities[best]), "match": answer[best]}
        )
    return nearest_matches


class _EmbeddedTexts(NamedTuple):
    """Texts of a sample with their vectors."""

    vectors: Mapping[str, Vector]
    arithmetic: str
    """Arithmetic of the vectors."""


def _load(model: str) -> Callable[[Sentences], _EmbeddedTexts]:
    embedder = embedding_model(model, "float32")

    def embed(texts: Sentences) -> _EmbeddedTexts:
        vectors = embedder.encode(texts, ALONE)
        return _EmbeddedTexts(dict(zip(texts, vectors, strict=True)), embedder.arithmetic)

    return embed
