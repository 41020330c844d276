"""Dense search: cosine of a query with every sentence, max-pooled to chunks."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..._util.extras import configure_openmp, extra
from ..embedding.models import UnitVector
from .ranking import Candidates, Hit, first_fetch, next_fetch, rank

_BLOCK = 65_536
"""Vectors checked at a time."""

_WRITTEN = 1 << 16
"""Bytes written at a time."""


class DenseIndex:
    """Exact inner-product search over unit sentence vectors (FAISS), pooled to chunks."""

    def __init__(self, path: Path, chunk_of: npt.NDArray[np.int64]) -> None:
        """Open an index.

        Args:
            path: FAISS file; mapped into memory, so that processes share it.
            chunk_of: Chunk id of each sentence, ascending, shape (sentences,).
        """
        self._index = read_index(path)
        self._chunk_of = chunk_of
        self._first = np.searchsorted(chunk_of, np.arange(chunk_of.max(initial=-1) + 1))

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self._index.d)

    def __len__(self) -> int:
        """Return the number of sentences."""
        return int(self._index.ntotal)

    @property
    def finite(self) -> bool:
        """Return whether all vectors are finite; others are never found."""
        blocks = range(0, len(self), _BLOCK)
        return all(
            bool(np.isfinite(self._index.reconstruct_n(low, min(_BLOCK, len(self) - low)).sum()))
            for low in blocks
        )

    def search(
        self, query: UnitVector, top_k: int, allowed: npt.NDArray[np.bool_] | None = None
    ) -> list[Hit]:
        """Find the best chunks for a query.

        A chunk has the score of its best sentence. Sentences are fetched until they determine the
        result (see `rank`), which is therefore exact and has `top_k` chunks if the corpus, or its
        allowed part, has that many.

        Args:
            query: Unit vector.
            top_k: Number of chunks.
            allowed: Mask over chunks, shape (chunks,); None allows all.

        Returns:
            Hits, best first; equal scores in the order of ids.
        """
        mask = None if allowed is None else allowed[self._chunk_of]
        available = len(self) if mask is None else int(mask.sum())
        fetch = min(available, first_fetch(top_k))
        while fetch > 0:
            _, (rows,) = self._index.search(query[np.newaxis], fetch, params=_selection(mask))
            candidates = self._candidates(rows, complete=fetch == available)
            hits = rank(query, candidates, top_k)
            if hits is not None:
                return hits
            fetch = min(available, next_fetch(fetch))
        return []

    def _candidates(self, rows: npt.NDArray[np.int64], *, complete: bool) -> Candidates:
        chunks = self._chunk_of[rows]
        vectors = self._index.reconstruct_batch(rows)
        return Candidates(chunks, rows - self._first[chunks], vectors, complete)


def _faiss() -> Any:
    """Import FAISS.

    Raises:
        InputError: It is not installed; names the extra.
    """
    configure_openmp()
    with extra("retrieval"):
        import faiss
    return faiss


def read_index(path: Path) -> Any:
    """Open a FAISS index file, memory-mapped if this FAISS supports it.

    Raises:
        InputError: FAISS is not installed.
    """
    faiss = _faiss()
    return faiss.read_index(str(path), getattr(faiss, "IO_FLAG_MMAP_IFC", 0))


def new_index(dimension: int) -> Any:
    """Return an empty FAISS index of unit vectors, compared by inner product.

    Raises:
        InputError: FAISS is not installed.
    """
    return _faiss().IndexFlatIP(dimension)


def write_index(index: Any, path: Path) -> None:
    """Write a FAISS index to a file.

    Raises:
        OSError: The file cannot be written, e.g. because the disk is full.
    """
    faiss = _faiss()
    with path.open("wb") as file:
        faiss.write_index(index, faiss.PyCallbackIOWriter(file.write, _WRITTEN))


def _selection(mask: npt.NDArray[np.bool_] | None) -> Any:
    if mask is None:
        return None
    faiss = _faiss()
    return faiss.SearchParameters(sel=faiss.IDSelectorBatch(np.flatnonzero(mask)))
