"""Stores of the chunks and vectors of a prepared folder, and their search."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..address import data_root, is_service
from ..chunks import Chunk
from ..dense_index import Hit, TextSearch
from ..embeddings import EmbeddingModel
from ..manifest import Manifest


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions on chunks; all that are set must hold."""

    doc_ids: tuple[str, ...] | None = None
    """Documents; None for all."""

    company: str | None = None
    period: str | None = None

    def allows(self, chunk: Chunk) -> bool:
        """Return whether a chunk meets the conditions."""
        return (
            (self.doc_ids is None or chunk.doc_id in self.doc_ids)
            and self.company in (None, chunk.company)
            and self.period in (None, chunk.period)
        )

    def values(self) -> dict[str, list[str]]:
        """Return the allowed values of each restricted column."""
        columns = {
            "doc_id": self.doc_ids,
            "company": None if self.company is None else (self.company,),
            "period": None if self.period is None else (self.period,),
        }
        return {name: list(values) for name, values in columns.items() if values is not None}


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
