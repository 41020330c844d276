"""Whether this machine computes the same vectors as the machine that prepared a corpus."""

import numpy as np

from ..prepared.manifest import Embedding
from .models import EmbeddingModel
from .probes import PROBES, name_arithmetic, unpack_vectors

TOLERANCE = 1e-4
"""Largest difference between two machines in a component of a vector; other weights, tokens or
arithmetic cause larger ones."""


def doubt_about_vectors(embedding: Embedding, model: EmbeddingModel) -> str | None:
    """Return why searches on this machine may rank differently from the machine of the corpus.

    Args:
        embedding: How the corpus was embedded.
        model: The same model on this machine.
    """
    if embedding.machine is None:
        return (
            "has no probe vectors, so it cannot be checked whether this machine computes the same "
            "embeddings"
        )
    arithmetic = name_arithmetic(embedding.dtype, embedding.machine.device)
    if arithmetic != "float32":
        return f"was embedded in {arithmetic}, so the ranking can differ between runs"
    if embedding.machine == model.machine:
        return None
    difference = probe_difference(embedding, model)
    if difference is None or difference <= TOLERANCE:
        return None
    return (
        f"was embedded on a machine whose vectors differ from those of this one by up to "
        f"{difference:.1g} ({embedding.machine}; here {model.machine})"
    )


def probe_difference(embedding: Embedding, model: EmbeddingModel) -> float | None:
    """Return the largest difference between a corpus's probe vectors and vectors computed here.

    Returns:
        None if the corpus has no probe vectors.
    """
    if embedding.probes is None:
        return None
    before = unpack_vectors(embedding.probes, embedding.dimension)
    return float(np.abs(before - model.encode(PROBES)).max())
