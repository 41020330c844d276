"""The chunk file of a prepared folder, read document by document."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Protocol

from pydantic import TypeAdapter

from .._util.extras import extra
from ..text.sentences import Span
from .chunking import Chunk
from .manifest import CHUNKS, OLD_CHUNKS, Manifest

_LINE = TypeAdapter(Chunk)


def chunk_line(chunk: Chunk) -> bytes:
    """Return the line of the chunk file that holds a chunk."""
    return _LINE.dump_json(chunk) + b"\n"


def read_chunks(folder: Path, manifest: Manifest) -> Iterator[Chunk]:
    """Read the chunks of a prepared folder one by one, in order.

    Raises:
        InputError: The folder is of version 1, and PyArrow is missing.
        ValueError: The file holds something else.
    """
    if CHUNKS not in manifest.files:
        yield from _old_chunks(folder)
        return
    with (folder / CHUNKS).open("rb") as file:
        yield from map(_LINE.validate_json, file)


def _old_chunks(folder: Path) -> Iterator[Chunk]:
    """Read the chunks of a folder of version 1: two Parquet files."""
    with extra("retrieval"):
        import pyarrow as pa
        import pyarrow.parquet as pq
    try:
        rows, sentences = (pq.read_table(folder / name).to_pylist() for name in OLD_CHUNKS)
    except pa.ArrowException as error:
        raise ValueError(str(error)) from error
    spans: dict[int, list[Span]] = {}
    for row in sentences:
        spans.setdefault(row["chunk_id"], []).append(Span(row["start"], row["end"]))
    for row in rows:
        yield _LINE.validate_python({**row, "sentences": spans.pop(row["chunk_id"], ())})
    if spans:
        raise ValueError("a sentence is in no chunk")


class ChunkFile(Mapping[str, Sequence[Chunk]]):
    """The chunks of each document, in order, read on demand."""

    def __init__(self, path: Path) -> None:
        """Read which documents a file holds; the chunks of a document are contiguous."""
        self._path = path
        self._offsets: dict[str, int] = {}
        offset = 0
        with path.open("rb") as file:
            for line in file:
                self._offsets.setdefault(json.loads(line)["doc_id"], offset)
                offset += len(line)

    def __getitem__(self, doc_id: str) -> list[Chunk]:
        """Read the chunks of a document."""
        with self._path.open("rb") as file:
            file.seek(self._offsets[doc_id])
            _, chunks = next(groupby(map(_LINE.validate_json, file), lambda chunk: chunk.doc_id))
            return list(chunks)

    def __contains__(self, doc_id: object) -> bool:
        """Return whether the file holds a document, without reading it."""
        return doc_id in self._offsets

    def __iter__(self) -> Iterator[str]:
        """Iterate over the documents in order."""
        return iter(self._offsets)

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self._offsets)


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
