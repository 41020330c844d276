"""Coverage of the reference by the answer, with sentence embeddings."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect._util.errors import check_number
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


class NearestMatch(NamedTuple):
    """The sentence of the answer nearest to a sentence of the reference."""

    reference: str
    cosine: float | None
    match: str | None
    """None if the answer is empty."""


MEASURES = measures(
    MeasureSpec(
        "embedding_coverage",
        "Embedding coverage",
        "Embedded",
        "Share of reference sentences that resemble a sentence of the answer.",
        role="secondary",
    ),
    family="overlap",
    signature=("model", "threshold", "sentence-transformers"),
)


@scorer(MEASURES)
def embedding_coverage(*, threshold: float = 0.5, model: str = DEFAULT_MODEL) -> Scorer:
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
    check_number(-1, 1, threshold=threshold)
    embedder: SharedModel[Texts, Vectors] = shared_model(
        ("embedding_coverage", model), partial(_Embedder, model), at_most=_SAMPLES_AT_MOST
    )

    async def score(state: TaskState, target: Target) -> Score:
        references = [texts for reference in target if (texts := tuple(sentences(reference)))]
        if not references:
            raise no_reference(state)
        answer_sentences = tuple(sentences(state.output.completion))
        texts = answer_sentences + tuple(
            sentence for reference in references for sentence in reference
        )
        vector_of = dict(zip(texts, await embedder.submit(texts), strict=True))
        best = max(
            (_compare(reference, answer_sentences, vector_of) for reference in references),
            key=lambda matches: _covered(matches, threshold) / len(matches),
        )
        covered = _covered(best, threshold)
        return Score(
            value=covered / len(best),
            explanation=(
                f"{covered} of {len(best)} reference sentences are covered."
                if answer_sentences
                else "The answer is empty."
            ),
            metadata={
                "signature": {
                    "libraries": ("sentence-transformers",),
                    "model": model,
                    "threshold": threshold,
                },
                "sentences": [match._asdict() for match in best],
            },
        )

    return score


def _compare(
    reference: Texts, answer_sentences: Texts, vector_of: Mapping[str, Vector]
) -> list[NearestMatch]:
    if not answer_sentences:
        return [NearestMatch(sentence, None, None) for sentence in reference]
    cosines = (
        np.stack([vector_of[sentence] for sentence in reference])
        @ np.stack([vector_of[sentence] for sentence in answer_sentences]).T
    )
    best = cosines.argmax(axis=1).tolist()
    return [
        NearestMatch(sentence, float(row[index]), answer_sentences[index])
        for sentence, row, index in zip(reference, cosines, best, strict=True)
    ]


def _covered(matches: Sequence[NearestMatch], threshold: float) -> int:
    return sum(match.cosine is not None and match.cosine >= threshold for match in matches)


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
        new = [text for text in texts if text not in self._kept]
        vectors = map(np.copy, self._model.encode(new))  # a row would keep its whole batch
        by_text = self._kept | dict(zip(new, vectors, strict=True))
        used = {text: by_text.pop(text) for text in texts}
        recent = by_text | used  # in the order of their last use
        self._kept = dict(islice(recent.items(), max(0, len(recent) - _SENTENCES_KEPT), None))
        return [np.stack([used[text] for text in item]) for item in items]
