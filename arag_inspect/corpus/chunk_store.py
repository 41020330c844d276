"""The chunk file of a prepared folder, read document by document."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from .chunking import Chunk

CHUNK_SCHEMA = pa.schema(
    [
        ("chunk_id", pa.int64()),
        ("doc_id", pa.string()),
        ("company", pa.string()),
        ("period", pa.string()),
        ("section", pa.string()),
        ("prefix", pa.string()),
        ("text", pa.large_string()),
        ("tokens", pa.int64()),
        ("first_page", pa.int64()),
        ("last_page", pa.int64()),
    ]
)
_GROUPS_KEPT = 4
"""Row groups (about 4,000 sentences or one document each) kept in memory."""


class ChunkFile(Mapping[str, Sequence[Chunk]]):
    """The chunks of each document, in order and without their sentences.

    They are read on demand, and only the last few are kept in memory.
    Iterating over the documents in order is fast.
    """

    def __init__(self, path: Path) -> None:
        """Read which documents a file holds; the chunks of a document are contiguous."""
        self._path = path
        self._groups: dict[str, list[int]] = {}
        with pq.ParquetFile(path) as file:
            for group in range(file.num_row_groups):
                for doc_id in file.read_row_group(group, ["doc_id"])["doc_id"].unique().to_pylist():
                    self._groups.setdefault(doc_id, []).append(group)
        self._read = lru_cache(_GROUPS_KEPT)(self._read_group)

    def __getitem__(self, doc_id: str) -> list[Chunk]:
        """Read the chunks of a document."""
        return [chunk for group in self._groups[doc_id] for chunk in self._read(group)[doc_id]]

    def __contains__(self, doc_id: object) -> bool:
        """Return whether the file holds a document, without reading it."""
        return doc_id in self._groups

    def __iter__(self) -> Iterator[str]:
        """Iterate over the documents in order."""
        return iter(self._groups)

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self._groups)

    def _read_group(self, group: int) -> dict[str, list[Chunk]]:
        chunks_by_doc: dict[str, list[Chunk]] = {}
        with pq.ParquetFile(self._path) as file:
            for row in file.read_row_group(group, CHUNK_SCHEMA.names).to_pylist():
                chunks_by_doc.setdefault(row["doc_id"], []).append(Chunk(**row, sentences=()))
        return chunks_by_doc


class _ByDocument(Protocol):
    @property
    def doc_ids(self) -> list[str]: ...

    def document_chunks(self, doc_ids: Sequence[str]) -> list[Chunk]: ...


class DocumentChunks(Mapping[str, Sequence[Chunk]]):
    """The chunks of each document of a store, in order, read on demand."""

    def __init__(self, store: _ByDocument) -> None:
        """Read which documents a store holds."""
        self._store = store
        self._doc_ids = dict.fromkeys(store.doc_ids)

    def __getitem__(self, doc_id: str) -> list[Chunk]:
        """Read the chunks of a document."""
        if doc_id not in self._doc_ids:
            raise KeyError(doc_id)
        return self._store.document_chunks([doc_id])

    def __contains__(self, doc_id: object) -> bool:
        """Return whether the store holds a document; nothing is read."""
        return doc_id in self._doc_ids

    def __iter__(self) -> Iterator[str]:
        """Iterate over the documents in order."""
        return iter(self._doc_ids)

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self._doc_ids)
