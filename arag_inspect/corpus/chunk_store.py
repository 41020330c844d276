"""The file of a prepared folder that holds its chunks, read a document at a time."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

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
"""Row groups, of some 4,000 sentences or one document, that are kept in memory."""


class ChunkFile(Mapping[str, Sequence[Chunk]]):
    """The chunks of each document, in order and without their sentences.

    They are read when they are asked for, and only the last few are kept.
    Going through the documents in their order is fast.
    """

    def __init__(self, path: Path) -> None:
        """Read which documents a file holds; a document's chunks follow each other in it."""
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
        """Whether the file holds a document; nothing is read."""
        return doc_id in self._groups

    def __iter__(self) -> Iterator[str]:
        """Documents, in order."""
        return iter(self._groups)

    def __len__(self) -> int:
        """Number of documents."""
        return len(self._groups)

    def _read_group(self, group: int) -> dict[str, list[Chunk]]:
        found: dict[str, list[Chunk]] = {}
        with pq.ParquetFile(self._path) as file:
            for row in file.read_row_group(group, CHUNK_SCHEMA.names).to_pylist():
                found.setdefault(row["doc_id"], []).append(Chunk(**row, sentences=()))
        return found
