"""Resemblance to the reference by embeddings of sentences."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState
from pydantic import Field

from arag_inspect.corpus import DEFAULT_MODEL, embedding_model
from arag_inspect.corpus.embedding.models import Vectors
from arag_inspect.corpus.embedding.unpadded import ALONE
from arag_inspect.corpus.search.ranking import cosines
from arag_inspect.judge.unscored import no_reference
from arag_inspect.measure import MeasureSpec
from arag_inspect.measures._local_model import (
    SharedModel,
    shared_model,
)
from arag_inspect.measures.scorer import scorer
from arag_inspect.text.sentences import sentences

_SAMPLES = 64
"""Maximum samples whose sentences are embedded together."""

Texts = tuple[str, ...]

Vector = npt.NDArray[np.float32]


@scorer(
    MeasureSpec("embedding_coverage", "Embedding coverage", "Embedded", role="secondary"),
    family="overlap",
    signature=("model", "threshold", "arithmetic", "sentence-transformers"),
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

    Vectors are computed in float32, in batches of equal token counts, and cosines are rounded to
    six digits, so that the score does not depend on the processor.

    Metadata: `sentences`, each sentence of that reference with its best cosine and the nearest
    sentence of the answer.

    Args:
        threshold: Lowest cosine at which a sentence covers another.
        model: Sentence-transformers name on the hub, or path of a local folder.
    """
    embedder: SharedModel[Texts, _Sentences] = shared_model(
        ("embedding_coverage", model), partial(_Embedder, model), at_most=_SAMPLES
    )

    async def score(state: TaskState, target: Target) -> Score:
        references = list(filter(None, (tuple(sentences(reference)) for reference in target)))
        if not references:
            raise no_reference(state)
        answer = tuple(sentences(state.output.completion))
        texts = answer + tuple(chain.from_iterable(references))
        embedding_batch = await embedder.submit(texts)
        vectors = dict(zip(texts, embedding_batch.vectors, strict=True))
        match_lists = [_nearest(reference, answer, vectors) for reference in references]

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
                    "arithmetic": embedding_batch.arithmetic,
                },
                "sentences": best,
            },
        )

    return score


def _nearest(
    reference: Texts, answer: Texts, vectors: Mapping[str, Vector]
) -> list[dict[str, Any]]:
    """Return each sentence of the reference with the nearest of the answer, None if it is empty."""
    if not answer:
        return [{"reference": sentence, "cosine": None, "match": None} for sentence in reference]
    answer_vectors = np.stack([vectors[text] for text in answer])
    nearest_matches = []
    for sentence in reference:
        by_sentence = cosines(vectors[sentence], answer_vectors)
        best = int(by_sentence.argmax())
        nearest_matches.append(
            {"reference": sentence, "cosine": float(by_sentence[best]), "match": answer[best]}
        )
    return nearest_matches


class _Sentences(NamedTuple):
    """Embedded sentences of a sample."""

    vectors: Vectors
    arithmetic: str
    """Arithmetic of the vectors."""


class _Embedder:
    """Embeds the sentences of several samples, each once; not thread-safe."""

    def __init__(self, model: str) -> None:
        self._model = embedding_model(model, "float32")

    def __call__(self, items: Sequence[Texts]) -> list[_Sentences]:
        texts = list(dict.fromkeys(chain.from_iterable(items)))
        vectors = dict(zip(texts, self._model.encode(texts, ALONE), strict=True))
        embedded_items = []
        for item in items:
            item_vectors = np.stack([vectors[text] for text in item])
            embedded_items.append(_Sentences(item_vectors, self._model.arithmetic))
        return embedded_items
