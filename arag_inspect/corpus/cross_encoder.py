"""Cross-encoders: models that score a question and a passage together."""

import threading
from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from .._util.errors import InputError
from .._util.extras import configure_openmp, extra
from .embeddings import load_model, model_folder, weights_digest

_KIND = "reranking model"
_BATCH = 32
_LOADING = threading.Lock()


class CrossEncoder:
    """A thread-safe sentence-transformers cross-encoder."""

    def __init__(self, name: str) -> None:
        """Load a model; use `cross_encoder`, which caches it.

        Args:
            name: Sentence-transformers name on the hub, or path of a local folder.

        Raises:
            InputError: It cannot be loaded, or does not give one score for a pair.
        """
        with extra("retrieval"):
            from sentence_transformers import CrossEncoder as Encoder
        folder = model_folder(name, _KIND)
        weights_digest(folder, _KIND)
        self.name, self._model = name, load_model(Encoder, folder, _KIND)
        self._lock = threading.Lock()
        labels = getattr(self._model, "num_labels", 1)
        if labels != 1:
            raise InputError(
                f"{_KIND} {name!r} gives {labels} scores for a pair; choose one that gives 1"
            )

    def scores(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Score texts for a question, shape (texts,); higher is better.

        Texts are truncated to the model's window.

        Raises:
            InputError: The model returns NaN or infinity for a pair.
        """
        if not texts:
            return np.empty(0)
        with self._lock:
            raw = self._model.predict(
                [(query, text) for text in texts], batch_size=_BATCH, show_progress_bar=False
            )
        scores = np.asarray(raw, dtype=np.float64).reshape(len(texts))
        if not np.isfinite(scores).all():
            raise InputError(f"{_KIND} {self.name!r} returns NaN for {query[:60]!r}")
        return scores


def cross_encoder(name: str) -> CrossEncoder:
    """Load a cross-encoder, once per process; its weights must be safetensors."""
    configure_openmp()
    with _LOADING:
        return _cached(name)


@cache
def _cached(name: str) -> CrossEncoder:
    return CrossEncoder(name)
