"""Vectors of a generated corpus, shipped with the package to avoid embedding it."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict

from ..._util.errors import echo
from ..._util.files import file_digest
from .probes import Machine

MANIFEST = "manifest.json"
"""File that describes the vectors."""

TEXTS = "texts.npy"
"""File with a digest of each distinct text."""

VECTORS = "vectors.npy"
"""File with the vector of each text, in the order of the digests."""


class Shipment(BaseModel):
    """Contents of `manifest.json`."""

    model_config = ConfigDict(extra="forbid")

    fingerprint: str
    """Fingerprint of the embedding model, see `EmbeddingModel.fingerprint`."""

    files: dict[str, str]
    """SHA-256 of each file, by name."""

    machine: Machine
    """Hardware and software that computed the vectors."""

    probes: str
    """Vectors of the texts in `PROBES` on that machine, as in the manifest of a corpus."""


class ShippedVectors:
    """Vectors for the texts of one corpus and one embedding model."""

    def __init__(self, folder: Path, fingerprint: str) -> None:
        """Read a folder of shipped vectors.

        Args:
            folder: The folder.
            fingerprint: Fingerprint of the embedding model in use.
        """
        text = (folder / MANIFEST).read_text(encoding="utf-8")
        self.shipment = Shipment.model_validate_json(text)
        self.misfit = ""
        """Why the vectors cannot be used; empty if they can."""

        self._rows: dict[int, int] = {}
        if self.shipment.fingerprint != fingerprint:
            self._reject("they belong to another embedding model")
        elif any(file_digest(folder / name) != sha for name, sha in self.shipment.files.items()):
            self._reject("their files have changed")
        else:
            digests = np.load(folder / TEXTS, allow_pickle=False).tolist()
            self._rows = {digest: row for row, digest in enumerate(digests)}
            self._vectors = np.load(folder / VECTORS, allow_pickle=False)

    def find(self, texts: Sequence[str]) -> npt.NDArray[np.float32] | None:
        """Return the vectors of texts, shape (texts, dimension); None if any is missing."""
        rows = [self._rows.get(digest, -1) for digest in text_digests(texts).tolist()]
        if -1 in rows:
            self._reject("they belong to other texts")
            return None
        vectors: npt.NDArray[np.float32] = self._vectors[rows]
        return vectors

    def _reject(self, reason: str) -> None:
        if not self.misfit:
            echo(f"The shipped vectors are not used, as {reason}; computing them.", err=True)
            self.misfit = reason
            self._rows = {}


def text_digests(texts: Sequence[str]) -> npt.NDArray[np.uint64]:
    """Return the first eight bytes of each text's SHA-256, as little-endian numbers."""
    digests = [hashlib.sha256(text.encode()).digest()[:8] for text in texts]
    return np.frombuffer(b"".join(digests), "<u8")
