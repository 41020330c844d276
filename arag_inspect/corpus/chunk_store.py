"""The chunks of a prepared folder, one by one or document by document."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Protocol

from pydantic import TypeAdapter

from .chunking import Chunk
from .manifest import CHUNKS

_LINE = TypeAdapter(Chunk)


def chunk_line(chunk: Chunk) -> bytes:
    """Return the line of the chunk file that holds a chunk."""
    return _LINE.dump_json(chunk) + b"\n"


def chunk_lines(lines: Iterable[bytes]) -> Iterator[Chunk]:
    """Read lines of the chunk file.

    Raises:
        ValueError: A line holds something else.
    """
    return map(_LINE.validate_json, lines)


def read_chunks(folder: Path) -> Iterator[Chunk]:
    """Read the chunks of a prepared folder one by one, in order; see `chunk_lines`."""
    with (folder / CHUNKS).open("rb") as file:
        yield from chunk_lines(file)


class _ByDocument(Protocol):
    @property
    def doc_ids(self) -> list[str]: ...

    def document_chunks(self, doc_ids: Sequence[str]) -> list[Chunk]: ...


class DocumentChunks(Mapping[str, Sequence[Chunk]]):
    """The chunks of each document, in order, read on demand."""

    def __init__(self, doc_ids: Iterable[str], read: Callable[[str], list[Chunk]]) -> None:
        """Read no chunk yet.

        Args:
            doc_ids: The documents, in order.
            read: Reads the chunks of one of them.
        """
        self._doc_ids, self._read = dict.fromkeys(doc_ids), read

    @classmethod
    def of(cls, store: _ByDocument) -> "DocumentChunks":
        """Return the chunks of a store."""
        return cls(store.doc_ids, lambda doc_id: store.document_chunks([doc_id]))

    @classmethod
    def of_file(cls, path: Path) -> "DocumentChunks":
        """Return the chunks of a chunk file, in which those of a document are contiguous."""
        offsets: dict[str, int] = {}
        with path.open("rb") as file:
            offset = 0
            for line in file:
                offsets.setdefault(json.loads(line)["doc_id"], offset)
                offset += len(line)

        def read(doc_id: str) -> list[Chunk]:
            with path.open("rb") as file:
                file.seek(offsets[doc_id])
                _, chunks = next(groupby(chunk_lines(file), lambda chunk: chunk.doc_id))
                return list(chunks)

        return cls(offsets, read)

    def __getitem__(self, doc_id: str) -> list[Chunk]:
        """Read the chunks of a document."""
        if doc_id not in self._doc_ids:
            raise KeyError(doc_id)
        return self._read(doc_id)

    def __contains__(self, doc_id: object) -> bool:
        """Return whether there is a document; nothing is read."""
        return doc_id in self._doc_ids

    def __iter__(self) -> Iterator[str]:
        """Iterate over the documents in order."""
        return iter(self._doc_ids)

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self._doc_ids)
