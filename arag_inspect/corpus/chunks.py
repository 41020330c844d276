"""The chunks of a corpus, and how they are kept in a file."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from pydantic import TypeAdapter

from ..text.sentences import Span
from .prepared.manifest import CHUNKS


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage that is retrieved, read and cited as a whole."""

    chunk_id: int
    """Position in the corpus, from 0."""

    doc_id: str
    company: str
    period: str
    section: str

    prefix: str
    """Describes the document of the passage: `[COMPANY: AAN | TYPE: EARNINGS_CALL | ...]`."""

    text: str
    """The passage, as in the document."""

    tokens: int
    """Length of `text` in tokens of the embedding model's tokenizer, which may count a word of any
    length as one; at least one per 20 characters that are not spaces."""

    sentences: tuple[Span, ...]
    """Sentences of `text`, and parts of long ones."""

    first_page: int | None = None
    """Page on which the chunk begins, from 0; None if the document has no pages."""

    last_page: int | None = None
    """Page on which it ends."""


_LINE = TypeAdapter(Chunk)


def chunk_line(chunk: Chunk) -> bytes:
    """Return the line of the chunk file that contains a chunk."""
    return _LINE.dump_json(chunk) + b"\n"


def chunk_lines(lines: Iterable[bytes]) -> Iterator[Chunk]:
    """Read lines of the chunk file.

    Raises:
        ValueError: A line contains something else.
    """
    return map(_LINE.validate_json, lines)


def read_chunks(folder: Path) -> Iterator[Chunk]:
    """Read the chunks of a prepared folder one by one, in order; see `chunk_lines`."""
    with (folder / CHUNKS).open("rb") as file:
        yield from chunk_lines(file)


class DocumentChunks(Mapping[str, list[Chunk]]):
    """The chunks of each document, in order, read on demand."""

    def __init__(self, doc_ids: Iterable[str], read: Callable[[list[str]], list[Chunk]]) -> None:
        """Keep the reader; chunks are read on demand.

        Args:
            doc_ids: The documents, in order.
            read: Reads the chunks of documents, as a store does.
        """
        self._doc_ids = dict.fromkeys(doc_ids)
        self._read = read

    @classmethod
    def of_folder(cls, folder: Path) -> "DocumentChunks":
        """Return the chunks of a chunk file, in which the chunks of a document are contiguous."""
        offsets: dict[str, int] = {}
        with (folder / CHUNKS).open("rb") as file:
            offset = 0
            for line in file:
                offsets.setdefault(json.loads(line)["doc_id"], offset)
                offset += len(line)

        def read(doc_ids: list[str]) -> list[Chunk]:
            with (folder / CHUNKS).open("rb") as file:
                file.seek(offsets[doc_ids[0]])
                _, chunks = next(groupby(chunk_lines(file), lambda chunk: chunk.doc_id))
                return list(chunks)

        return cls(offsets, read)

    def __getitem__(self, doc_id: str) -> list[Chunk]:
        """Read the chunks of a document."""
        if doc_id not in self._doc_ids:
            raise KeyError(doc_id)
        return self._read([doc_id])

    def __contains__(self, doc_id: object) -> bool:
        """Return whether there is a document; nothing is read."""
        return doc_id in self._doc_ids

    def __iter__(self) -> Iterator[str]:
        """Iterate over the documents in order."""
        return iter(self._doc_ids)

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self._doc_ids)
