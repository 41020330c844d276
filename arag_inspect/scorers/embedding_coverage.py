"""Coverage of the reference by the answer, with sentence embeddings."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState
from pydantic import Field

from arag_inspect.corpus import DEFAULT_MODEL, embedding_model
from arag_inspect.corpus.embeddings import Vectors
from arag_inspect.judge.unscored import no_reference
from arag_inspect.scorers._local_model import SharedModel, shared_model
from arag_inspect.scorers._scorer import scorer
from arag_inspect.text.sentences import sentences
from arag_inspect.types.measures import MeasureSpec, measures

_SAMPLES_AT_MOST = 64
"""Most samples whose sentences are embedded together."""

_SENTENCES_KEPT = 10_000
"""Most cached sentence vectors: 15 MiB with the default model."""

Texts = tuple[str, ...]
Vector = npt.NDArray[np.float32]


MEASURES = measures(
    MeasureSpec("embedding_coverage", "Embedding coverage", "Embedded", role="secondary"),
    family="overlap",
    signature=("model", "threshold", "sentence-transformers"),
)


@scorer(MEASURES)
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

    Vectors are computed in float32 on every machine, so that the score does not
    depend on the processor.

    Metadata: `sentences`, each sentence of that reference with its best cosine and the nearest
    sentence of the answer.

    Args:
        threshold: Lowest cosine at which a sentence covers another.
        model: Sentence-transformers name on the hub, or path of a local folder.
    """
    embedder: SharedModel[Texts, Vectors] = shared_model(
        ("embedding_coverage", model), partial(_Embedder, model), at_most=_SAMPLES_AT_MOST
    )

    async def score(state: TaskState, target: Target) -> Score:
        references = [texts for reference in target if (texts := tuple(sentences(reference)))]
        if not references:
            raise no_reference(state)
        answer = tuple(sentences(state.output.completion))
        texts = answer + tuple(sentence for reference in references for sentence in reference)
        vectors = dict(zip(texts, await embedder.submit(texts), strict=True))
        compared = [_nearest(reference, answer, vectors) for reference in references]
        covered, best = max(
            (
                (sum(own["cosine"] >= threshold for own in each if answer), each)
                for each in compared
            ),
            key=lambda own: own[0] / len(own[1]),
        )
        return Score(
            value=covered / len(best),
            explanation=(
                f"{covered} of {len(best)} reference sentences are covered." if answer else None
            ),
            metadata={
                "signature": {
                    "libraries": ("sentence-transformers",),
                    "model": model,
                    "threshold": threshold,
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
    rows = np.stack([vectors[text] for text in reference])
    cosines = rows @ np.stack([vectors[text] for text in answer]).T
    best = cosines.argmax(axis=1).tolist()
    return [
        {"reference": sentence, "cosine": float(row[index]), "match": answer[index]}
        for sentence, row, index in zip(reference, cosines, best, strict=True)
    ]


class _Embedder:
    """Embeds the sentences of several samples, each once; not thread-safe.

    References recur with every system, epoch and variant, so the most recently
    used sentences are cached.
    """

    def __init__(self, model: str) -> None:
        self._model = embedding_model(model, "float32")
        self._kept: dict[str, Vector] = {}

    def __call__(self, items: Sequence[Texts]) -> list[Vectors]:
        texts = dict.fromkeys(text for item in items for text in item)
        used = {text: self._kept.pop(text) for text in texts if text in self._kept}
        new = [text for text in texts if text not in used]
        vectors = map(np.copy, self._model.encode(new))  # a row would keep its whole batch
        used |= zip(new, vectors, strict=True)
        self._kept |= used
        while len(self._kept) > _SENTENCES_KEPT:
            del self._kept[next(iter(self._kept))]
        return [np.stack([used[text] for text in item]) for item in items]
