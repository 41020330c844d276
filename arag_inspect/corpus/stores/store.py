"""The interface of a store, and the choice of a prepared folder's store."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..address import data_root
from ..chunking import Chunk
from ..dense_index import Hit, TextSearch
from ..embeddings import EmbeddingModel
from ..manifest import Manifest
from ..service import is_service
from .filter import Filter


class Store(Protocol):
    """Chunks to read by id or document, and to search by keyword or vector.

    All methods are thread-safe, and may read from disk or network.
    """

    def __len__(self) -> int:
        """Return the number of chunks."""
        ...

    @property
    def doc_ids(self) -> list[str]:
        """Documents, in the order of their first chunk."""
        ...

    def chunk(self, chunk_id: int) -> Chunk:
        """Read a chunk whose id is in the range."""
        ...

    def document_chunks(self, doc_ids: Sequence[str]) -> list[Chunk]:
        """Read the chunks of documents in order; see `Corpus.document_chunks`."""
        ...

    def chunk_ids(self, allowed: Filter) -> npt.NDArray[np.int64]:
        """Return the ids of the chunks that a filter allows, ascending."""
        ...

    def keyword_search(
        self, keywords: Sequence[str], top_k: int, allowed: Filter | None
    ) -> list[Hit]:
        """Find chunks by exact substrings; see `Corpus.keyword_search`."""
        ...

    def semantic(self, model: Callable[[], EmbeddingModel], *, exact: bool) -> TextSearch:
        """Return the search by meaning.

        Args:
            model: Loads the model that embeds queries, for stores that embed here.
            exact: Compare with every vector, without an index.
        """
        ...

    def load(self) -> None:
        """Build or read the index that the first keyword search needs."""
        ...


def open_store(path: Path, manifest: Manifest) -> Store:
    """Open the store of a prepared folder, or of the mirror of one.

    Raises:
        InputError: Its parts do not fit together, or its engine is not installed.
    """
    if is_service(data_root(path)):
        from .remote import RemoteStore

        return RemoteStore(path, manifest)
    if manifest.lance is not None:
        from .lance.store import LanceStore

        return LanceStore(path, manifest)
    from .local import LocalStore

    return LocalStore(path, manifest)
