"""The store of small corpora: Parquet and FAISS files, in memory."""

import threading
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from ..._util.errors import InputError
from ...text.sentences import Span
from ..chunk_store import CHUNK_SCHEMA
from ..chunking import Chunk
from ..dense_index import DenseIndex, DenseSearch, Hit, TextSearch, VectorIndex
from ..embeddings import EmbeddingModel, Vectors
from ..keyword_index import KeywordIndex
from ..manifest import CHUNKS, INDEX, SENTENCES, Manifest, check_files, missing_document, unfit
from .filter import Filter

_PAGES = ("first_page", "last_page")


class LocalStore:
    """Chunks, a keyword index and an exact dense index, all in memory."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        """Read the files of a prepared folder.

        Raises:
            InputError: A file is missing or has changed, or they do not fit together.
        """
        self._path, self._manifest = path, manifest
        check_files(path, manifest)
        if missing := {CHUNKS, SENTENCES, INDEX} - manifest.files.keys():
            raise self._unfit(f"the manifest does not name {min(missing)}")
        try:
            self._load(path)
        except (KeyError, TypeError, pa.ArrowException, RuntimeError) as error:
            raise self._unfit(str(error).splitlines()[0] if str(error) else "") from error

    def _load(self, path: Path) -> None:
        chunks = pq.read_table(path / CHUNKS)
        for name in _PAGES:
            if name not in chunks.column_names:  # a folder made before documents had pages
                chunks = chunks.append_column(name, pa.nulls(len(chunks), pa.int64()))
        chunks = chunks.select(CHUNK_SCHEMA.names).cast(CHUNK_SCHEMA)
        self._columns: dict[str, list[Any]] = {
            name: chunks[name].to_pylist() for name in CHUNK_SCHEMA.names
        }
        sentences = pq.read_table(path / SENTENCES)
        if any(column.null_count for column in sentences.columns):
            raise self._unfit("a sentence has no place")
        self._sentence_chunk: npt.NDArray[np.int64] = sentences["chunk_id"].to_numpy()
        self._spans = np.stack([sentences[name].to_numpy() for name in ("start", "end")], axis=1)
        self._first = np.searchsorted(self._sentence_chunk, np.arange(len(self) + 1))
        self._rows: dict[str, list[int]] = {}
        for row, doc_id in enumerate(self._columns["doc_id"]):
            self._rows.setdefault(doc_id, []).append(row)
        self._chunk = lru_cache(maxsize=4096)(self._assemble)
        self._mask = lru_cache(maxsize=64)(self._make_mask)
        self._building = threading.Lock()
        self._check()

    def __len__(self) -> int:
        """Return the number of chunks."""
        return len(self._columns["chunk_id"])

    @property
    def doc_ids(self) -> list[str]:
        """Documents, in the order of their first chunk."""
        return list(self._rows)

    def chunk(self, chunk_id: int) -> Chunk:
        """Return a chunk."""
        return self._chunk(chunk_id)

    def _assemble(self, chunk_id: int) -> Chunk:
        row = {name: values[chunk_id] for name, values in self._columns.items()}
        spans = self._spans[self._first[chunk_id] : self._first[chunk_id + 1]].tolist()
        return Chunk(**row, sentences=tuple(Span(*span) for span in spans))

    def document_chunks(self, doc_ids: Sequence[str]) -> list[Chunk]:
        """Read the chunks of documents, document by document."""
        for doc_id in doc_ids:
            if doc_id not in self._rows:
                raise missing_document(self._path, doc_id)
        return [self.chunk(row) for doc_id in doc_ids for row in self._rows[doc_id]]

    def chunk_ids(self, allowed: Filter) -> npt.NDArray[np.int64]:
        """Return the ids of the chunks that a filter allows, ascending."""
        return np.flatnonzero(self._mask(allowed))

    def keyword_search(
        self, keywords: Sequence[str], top_k: int, allowed: Filter | None
    ) -> list[Hit]:
        """Find chunks by exact substrings; see `KeywordIndex` for the score."""
        scores = self._keywords.scores(keywords)
        if allowed is not None:
            scores = np.where(self._mask(allowed), scores, 0)
        best = _largest(scores, top_k)
        return [Hit(int(chunk), float(scores[chunk])) for chunk in best]

    def semantic(self, model: Callable[[], EmbeddingModel], *, exact: bool) -> TextSearch:
        """Return the search by meaning, which is always exact."""
        return DenseSearch(self.vector_index(), model())

    def vector_index(self) -> VectorIndex:
        """Return the index over sentence vectors."""
        return _Filtered(self._index, self)

    def load(self) -> None:
        """Build the keyword index."""
        _ = self._keywords

    def mask(self, allowed: Filter | None) -> npt.NDArray[np.bool_] | None:
        """Return a mask over chunks, shape (chunks,); None for all."""
        return None if allowed is None else self._mask(allowed)

    def _make_mask(self, allowed: Filter) -> npt.NDArray[np.bool_]:
        masks = [
            np.fromiter((value in values for value in self._columns[name]), bool, len(self))
            for name, values in allowed.values().items()
        ]
        return np.logical_and.reduce(masks) if masks else np.ones(len(self), bool)

    @cached_property
    def _keywords(self) -> KeywordIndex:
        with self._building:
            if "_keywords" in self.__dict__:
                return self.__dict__["_keywords"]  # type: ignore[no-any-return]
            pairs = zip(self._columns["prefix"], self._columns["text"], strict=True)
            index = KeywordIndex([f"{prefix} {text}" for prefix, text in pairs])
            self.__dict__["_keywords"] = index
            return index

    def _check(self) -> None:
        """Check that the parts of the folder fit together."""
        self._index = DenseIndex(self._path / INDEX, self._sentence_chunk)
        ids = self._columns["chunk_id"]
        ordered = bool(np.all(np.diff(self._sentence_chunk) >= 0))
        if (
            ids != list(range(len(self)))
            or not ordered
            or len(self._index) != len(self._sentence_chunk)
            or self._index.dimension != self._manifest.embedding.dimension
            or self._sentence_chunk.min(initial=0) < 0
            or self._sentence_chunk.max(initial=0) >= len(self)
        ):
            raise self._unfit("their sizes differ")
        if not self._index.finite:
            raise self._unfit(f"{INDEX} holds vectors that are not numbers")
        lengths = np.array([len(text) for text in self._columns["text"]], dtype=np.int64)
        start, end = self._spans.T
        within = (start >= 0) & (start <= end) & (end <= lengths[self._sentence_chunk])
        if not within.all():
            raise self._unfit("a sentence does not lie in its chunk")

    def _unfit(self, why: str) -> InputError:
        return unfit(self._path, self._manifest, why)


class _Filtered:
    """The dense index with filters instead of masks."""

    def __init__(self, index: DenseIndex, store: LocalStore) -> None:
        self._index, self._store = index, store

    def search(
        self, queries: Vectors, top_k: int, allowed: Filter | None = None
    ) -> list[list[Hit]]:
        return self._index.search(queries, top_k, self._store.mask(allowed))


def _largest(scores: npt.NDArray[np.int64], top_k: int) -> npt.NDArray[np.int64]:
    """Return the positions of the largest scores above 0, descending, then ascending."""
    positions = np.flatnonzero(scores)
    if len(positions) > top_k:  # sorted, not partitioned: that is slow where most scores are equal
        least = np.sort(scores[positions])[-top_k]
        positions = positions[scores[positions] >= least]
    return positions[np.argsort(-scores[positions], kind="stable")][:top_k]
