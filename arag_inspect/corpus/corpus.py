"""An opened prepared folder: its chunks and two ways to search them."""

import os
import threading
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import anyio.to_thread
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from .._util.errors import InputError
from ..text.sentences import Span
from .builder import CHUNKS, INDEX, SENTENCES
from .chunk_store import CHUNK_SCHEMA
from .chunking import Chunk
from .dense_index import DenseIndex, DenseSearch, Hit
from .embeddings import EmbeddingModel, embedding_model
from .keyword_index import KeywordIndex
from .manifest import MANIFEST, Manifest, check_files, is_prepared, read_manifest

_PAGES = ("first_page", "last_page")
_OPENING = threading.RLock()
_OPENED: dict[Path, tuple[int, "Corpus"]] = {}


def datasets_folder(name: str = "") -> Path:
    """Return the folder of prepared folders: `$ARAG_DATASETS`, else `datasets`.

    Args:
        name: A prepared folder. If it is not in `./datasets`, the parent folders are searched,
            because Inspect changes into the folder of a task file.
    """
    given = os.environ.get("ARAG_DATASETS")
    if given:
        return Path(given).expanduser().absolute()
    here = Path.cwd()
    for folder in (here, *here.parents):
        if name and is_prepared(folder / "datasets" / name):
            return folder / "datasets"
    return here / "datasets"


class Corpus:
    """Chunks of a set of documents, with a keyword index and a dense index over them.

    Open one with `Corpus.open`. All methods are safe to call concurrently,
    and none of the async ones blocks the event loop.
    """

    @classmethod
    def open(cls, corpus: str | Path) -> "Corpus":
        """Open a prepared folder, once per process and state of the folder.

        Args:
            corpus: Path of the folder, or its name in the datasets folder.

        Raises:
            InputError: The folder is missing, half-written, changed, of another version, or its
                parts do not fit together.
        """
        path = cls.locate(corpus)
        with _OPENING:
            try:
                stamp = (path / MANIFEST).stat().st_mtime_ns
            except OSError:
                stamp = -1
            cached = _OPENED.get(path)
            if cached is None or cached[0] != stamp:
                cached = stamp, cls(path)
                _OPENED[path] = cached
            return cached[1]

    @classmethod
    async def open_async(cls, corpus: str | Path) -> "Corpus":
        """Open a prepared folder in a worker thread; see `open`."""
        return await anyio.to_thread.run_sync(cls.open, corpus)

    @staticmethod
    def locate(corpus: str | Path) -> Path:
        """Return the path of a prepared folder given by name or path; it need not exist."""
        given = Path(corpus).expanduser()
        if given.is_absolute() or len(given.parts) != 1 or is_prepared(given):
            return given.absolute()
        return datasets_folder(given.name) / given.name

    def __init__(self, path: Path) -> None:
        """Read a prepared folder; use `open`, which caches it."""
        self.path = path
        self.manifest: Manifest = read_manifest(path)
        check_files(path, self.manifest)
        if missing := {CHUNKS, SENTENCES, INDEX} - self.manifest.files.keys():
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
        self._read = lru_cache(maxsize=4096)(self._assemble)
        self._first = np.searchsorted(self._sentence_chunk, np.arange(len(self) + 1))
        self._rows: dict[str, list[int]] = {}
        for row, doc_id in enumerate(self._columns["doc_id"]):
            self._rows.setdefault(doc_id, []).append(row)
        self._check()

    async def load(self) -> None:
        """Load the embedding model and build the keyword index, in a worker thread, once."""
        if "_dense" not in self.__dict__ or "_keywords" not in self.__dict__:
            await anyio.to_thread.run_sync(lambda: (self._dense, self._keywords))

    def __len__(self) -> int:
        """Return the number of chunks."""
        return len(self._columns["chunk_id"])

    @property
    def doc_ids(self) -> list[str]:
        """Documents, in the order of their first chunk."""
        return list(self._rows)

    def chunk(self, chunk_id: int) -> Chunk:
        """Read a chunk.

        Raises:
            KeyError: There is no such chunk.
        """
        if not 0 <= chunk_id < len(self):
            raise KeyError(chunk_id)
        return self._read(chunk_id)

    def _assemble(self, chunk_id: int) -> Chunk:
        row = {name: values[chunk_id] for name, values in self._columns.items()}
        spans = self._spans[self._first[chunk_id] : self._first[chunk_id + 1]].tolist()
        return Chunk(**row, sentences=tuple(Span(*span) for span in spans))

    def document_chunks(self, doc_ids: Sequence[str]) -> list[Chunk]:
        """Read every chunk of some documents, document by document in the order given.

        Raises:
            InputError: A document is not in the corpus.
        """
        missing = [doc_id for doc_id in doc_ids if doc_id not in self._rows]
        if missing:
            raise InputError(f"corpus {self.path} has no document {missing[0]!r}")
        return [self.chunk(row) for doc_id in doc_ids for row in self._rows[doc_id]]

    def filter(
        self,
        *,
        doc_ids: Sequence[str] | None = None,
        company: str | None = None,
        period: str | None = None,
    ) -> npt.NDArray[np.bool_] | None:
        """Return a mask over chunks, shape (chunks,), for the searches; None without a condition."""
        wanted = {
            "doc_id": doc_ids,
            "company": company and [company],
            "period": period and [period],
        }
        masks = [
            np.fromiter((value in values for value in self._columns[name]), bool, len(self))
            for name, values in wanted.items()
            if values is not None
        ]
        return np.logical_and.reduce(masks) if masks else None

    async def keyword_search(
        self, keywords: Sequence[str], top_k: int, allowed: npt.NDArray[np.bool_] | None = None
    ) -> list[Hit]:
        """Find the chunks that hold the keywords, best first; see `KeywordIndex` for the score.

        Prefixes are searched along with the text, so that a ticker or period finds its chunks.

        Args:
            keywords: Exact strings, case-insensitive.
            top_k: Most chunks to return; fewer if fewer hold a keyword.
            allowed: A mask made by `filter`.
        """
        return await anyio.to_thread.run_sync(self._keyword_search, keywords, top_k, allowed)

    async def semantic_search(
        self, query: str, top_k: int, allowed: npt.NDArray[np.bool_] | None = None
    ) -> list[Hit]:
        """Find the chunks nearest to the query by embedding, best first; see `DenseIndex.search`.

        Args:
            query: Text to embed.
            top_k: Number of chunks.
            allowed: A mask made by `filter`.
        """
        if "_dense" not in self.__dict__:  # the first search loads the model
            await anyio.to_thread.run_sync(lambda: self._dense)
        return await self._dense.search(query, top_k, allowed)

    def snippets(self, hit: Hit, keywords: Sequence[str] = (), limit: int = 5) -> list[str]:
        """Return the sentences that show why a chunk was found.

        Args:
            hit: Result of a search.
            keywords: Keywords of the search; sentences that hold one of them are returned.
            limit: Most sentences.

        Returns:
            Sentences in reading order; the chunk's first one if only the prefix matched.
        """
        chunk = self.chunk(hit.chunk_id)
        first = int(self._first[hit.chunk_id])
        if hit.sentences:
            spans = [chunk.sentences[row - first] for row in sorted(hit.sentences)]
            return [chunk.text[start:end] for start, end in spans[:limit]]
        wanted = [keyword.lower() for keyword in keywords if keyword]
        sentences = [chunk.text[start:end] for start, end in chunk.sentences]
        found = [text for text in sentences if any(word in text.lower() for word in wanted)]
        return (found or sentences[:1])[:limit]

    def _keyword_search(
        self, keywords: Sequence[str], top_k: int, allowed: npt.NDArray[np.bool_] | None
    ) -> list[Hit]:
        scores = self._keywords.scores(keywords)
        if allowed is not None:
            scores = np.where(allowed, scores, 0)
        best = _largest(scores, top_k)
        return [Hit(int(chunk), float(scores[chunk])) for chunk in best if scores[chunk] > 0]

    @cached_property
    def _keywords(self) -> KeywordIndex:
        with _OPENING:
            if "_keywords" in self.__dict__:
                return self.__dict__["_keywords"]  # type: ignore[no-any-return]
            pairs = zip(self._columns["prefix"], self._columns["text"], strict=True)
            return KeywordIndex([f"{prefix} {text}" for prefix, text in pairs])

    @cached_property
    def _dense(self) -> DenseSearch:
        with _OPENING:
            if "_dense" in self.__dict__:
                return self.__dict__["_dense"]  # type: ignore[no-any-return]
            return DenseSearch(self._index, self._embedding_model())

    def _embedding_model(self) -> EmbeddingModel:
        wanted = self.manifest.embedding
        model = embedding_model(wanted.model, wanted.dtype)
        if model.digest != wanted.digest:
            raise InputError(
                f"corpus {self.path} was embedded with other weights of {wanted.model} "
                f"(SHA-256 {wanted.digest[:12]}..., here {model.digest[:12]}...); "
                f"prepare it again with: {self.manifest.command}"
            )
        return model

    def _check(self) -> None:
        """Check that the parts of the folder fit together."""
        self._index = DenseIndex(self.path / INDEX, self._sentence_chunk)
        ids = self._columns["chunk_id"]
        ordered = bool(np.all(np.diff(self._sentence_chunk) >= 0))
        if (
            ids != list(range(len(self)))
            or not ordered
            or len(self._index) != len(self._sentence_chunk)
            or self._index.dimension != self.manifest.embedding.dimension
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
        return InputError(
            f"the parts of corpus {self.path} do not fit together ({why}); "
            f"prepare it again with: {self.manifest.command}"
        )


def _largest(scores: npt.NDArray[np.int64], top_k: int) -> npt.NDArray[np.int64]:
    """Return the positions of the largest scores, descending; ties in ascending order of position."""
    if top_k >= len(scores):
        return np.argsort(-scores, kind="stable")
    least = np.partition(scores, -top_k)[-top_k]
    places = np.flatnonzero(scores >= max(least, 1))
    return places[np.argsort(-scores[places], kind="stable")][:top_k]
