"""An opened prepared folder: its chunks and two ways to search them."""

import logging
import os
import shlex
import threading
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache, partial
from pathlib import Path

import anyio.to_thread
import numpy as np
import numpy.typing as npt

from .._util.errors import InputError
from .address import is_address
from .chunks import Chunk
from .embedding.check import doubt_about_vectors
from .embedding.model_files import is_local
from .embedding.models import EmbeddingModel, UnitVector, embedding_model
from .embedding.probes import PROBES
from .mirror import mirror
from .prepared.manifest import MANIFEST, Manifest, is_prepared, read_manifest
from .prepared.swap import recover
from .search.filter import EVERYTHING, Filter
from .search.ranking import Hit, KeywordPage
from .stores import open_store

_LOGGER = logging.getLogger(__name__)
_OPENING = threading.RLock()
_OPENED: dict[Path, tuple[int, "Corpus"]] = {}


def datasets_folder(name: str = "") -> Path:
    """Return the folder of prepared folders: `$ARAG_DATASETS`, else `datasets`.

    Args:
        name: A prepared folder. If it is not in `./datasets`, the parent folders are searched,
            because Inspect changes into the folder of a task file.
    """
    setting = os.environ.get("ARAG_DATASETS")
    if setting and is_address(setting):
        raise InputError("ARAG_DATASETS must be a folder of this machine, not an address")
    if setting:
        return Path(setting).expanduser().absolute()
    cwd = Path.cwd()
    for folder in (cwd, *cwd.parents):
        if name and is_prepared(folder / "datasets" / name):
            return folder / "datasets"
    return cwd / "datasets"


class Corpus:
    """Chunks of a set of documents, with a keyword index and a dense index over them.

    Open it with `Corpus.open`. All methods are safe to call concurrently. None of the async ones
    blocks the event loop; the others may read from disk or network.
    """

    @classmethod
    def open(cls, corpus: str | Path) -> "Corpus":
        """Open a prepared folder, once per process and state of the folder.

        A folder at an address is opened once per process; later changes are not seen.

        Args:
            corpus: Path of the folder, its name in the datasets folder, its address in an object
                store, e.g. `s3://bucket/corpus`, or the address of a search service (`arag-inspect
                corpus serve`), e.g. `http://host:8000`.

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
        """Return the path of a prepared folder, which need not exist.

        An interrupted change of the folder is completed. For an address, return a local folder with
        the manifest and the small files.

        Raises:
            InputError: The address has no prepared folder, or an unreadable one.
        """
        if is_address(corpus):
            return mirror(str(corpus))
        path = Path(corpus).expanduser()
        if not path.is_absolute() and len(path.parts) == 1 and not is_prepared(path):
            path = datasets_folder(path.name) / path.name
        recover(path)
        return path.absolute()

    def __init__(self, path: Path) -> None:
        """Read a prepared folder; use `open`, which caches it."""
        self.path = path
        self.manifest: Manifest = read_manifest(path)
        self._store = open_store(path, self.manifest)
        self._model: EmbeddingModel | None = None
        self._source_ids = lru_cache(maxsize=4096)(self._read_source_ids)

    async def load(self) -> None:
        """Load the embedding model and build the keyword index where the store needs them."""
        await anyio.to_thread.run_sync(self._store.load, self._load_model)

    def __len__(self) -> int:
        """Return the number of chunks."""
        return len(self._store)

    @property
    def doc_ids(self) -> list[str]:
        """Documents, in the order of their first chunk."""
        return self._store.doc_ids

    def chunk(self, chunk_id: int) -> Chunk:
        """Read a chunk; one that a search has just found is cached.

        Raises:
            KeyError: There is no such chunk.
        """
        if not 0 <= chunk_id < len(self):
            raise KeyError(chunk_id)
        return self._store.chunk(chunk_id)

    async def chunks(self, chunk_ids: Sequence[int]) -> list[Chunk]:
        """Read chunks in a worker thread; see `chunk`."""
        return await anyio.to_thread.run_sync(lambda: list(map(self.chunk, chunk_ids)))

    def document_chunks(self, doc_ids: Sequence[str]) -> list[Chunk]:
        """Read every chunk of some documents, document by document in the order given.

        Raises:
            InputError: A document is not in the corpus.
        """
        return self._store.document_chunks(doc_ids)

    @staticmethod
    def filter(
        *,
        doc_ids: Sequence[str] | None = None,
        company: str | None = None,
        period: str | None = None,
    ) -> Filter:
        """Return a filter with the given conditions."""
        return Filter(None if doc_ids is None else tuple(doc_ids), company or None, period or None)

    def chunk_ids(self, allowed: Filter) -> npt.NDArray[np.int64]:
        """Return the ids of the chunks that a filter allows, ascending."""
        return self._store.chunk_ids(allowed)

    async def keyword_search(
        self, keywords: Sequence[str], top_k: int, allowed: Filter = EVERYTHING
    ) -> list[Hit]:
        """Find the chunks that contain the keywords, best first.

        A chunk scores the sum over keywords of `count(keyword in chunk) * len(keyword)`, as in
        A-RAG, with the substring semantics of `str.count` on text whose case, quotation marks,
        dashes, spaces and cells of a row are folded (`arag_inspect.text.folding`). Prefixes are
        searched along with the text, so that a ticker or period finds its chunks. Among equal
        scores, chunks that contain every keyword come first. A Lance store bounds what a very
        common keyword costs; see `LanceStore`.

        Args:
            keywords: Exact strings, case-insensitive.
            top_k: Maximum chunks to return.
            allowed: Made by `filter`.
        """
        return (await self.keyword_page(keywords, top_k, allowed=allowed)).hits

    async def keyword_page(
        self,
        keywords: Sequence[str],
        top_k: int,
        offset: int = 0,
        allowed: Filter = EVERYTHING,
    ) -> KeywordPage:
        """Find chunks as `keyword_search` does, and count all chunks that contain a keyword.

        Args:
            keywords: Exact strings, case-insensitive.
            top_k: Maximum chunks to return.
            offset: Chunks to skip, from the best.
            allowed: Made by `filter`.
        """
        return await anyio.to_thread.run_sync(
            self._store.keyword_page, keywords, top_k, offset, allowed
        )

    async def parts(self, chunks: Iterable[Chunk]) -> dict[int, str]:
        """Return the position of each chunk by chunk id: `2/4` is the second of four.

        Only chunks of the same document and period are counted, because a document may contain
        several calls.
        """
        return await anyio.to_thread.run_sync(lambda: {c.chunk_id: self._part(c) for c in chunks})

    def _read_source_ids(self, doc_id: str, period: str) -> npt.NDArray[np.int64]:
        """Return the ids of the chunks of a document and period."""
        return self._store.chunk_ids(Filter((doc_id,), period=period))

    def _part(self, chunk: Chunk) -> str:
        chunk_ids = self._source_ids(chunk.doc_id, chunk.period)
        number = int(np.searchsorted(chunk_ids, chunk.chunk_id)) + 1
        return f"{number}/{len(chunk_ids)}"

    async def semantic_search(
        self, query: str, top_k: int, allowed: Filter = EVERYTHING, *, exact: bool = False
    ) -> list[Hit]:
        """Find the chunks nearest to the query by embedding, best first.

        See `DenseIndex.search`.

        Args:
            query: Text to embed.
            top_k: Number of chunks.
            allowed: Made by `filter`.
            exact: Compare with every sentence; the local store always does.
        """
        search = partial(self._store.semantic_search, exact=exact)
        return await anyio.to_thread.run_sync(search, query, top_k, allowed, self._embed)

    def _embed(self, query: str) -> UnitVector:
        vector: UnitVector = self._load_model().encode_queries([query])[0]
        return vector

    def _load_model(self) -> EmbeddingModel:
        """Load the embedding model, once."""
        if self._model is None:
            with _OPENING:
                self._model = self._model or self.embedding_model()
        return self._model

    def embedding_model(self) -> EmbeddingModel:
        """Load the model that embedded the corpus.

        Raises:
            InputError: It is not on this machine (the folder could name any model on the hub), or
                has other weights or prompts.
        """
        embedding = self.manifest.embedding
        if not is_local(embedding.model):
            raise InputError(
                f"corpus {self.path} was embedded with {embedding.model}, which is not on this "
                f"machine; if you trust it, run: hf download {shlex.quote(embedding.model)}"
            )
        model = embedding_model(embedding.model, embedding.dtype)
        if model.digest != embedding.digest:
            raise InputError(
                f"corpus {self.path} was embedded with other weights of {embedding.model} "
                f"(SHA-256 {embedding.digest[:12]}..., here {model.digest[:12]}...); "
                f"prepare it again with: {self.manifest.command}"
            )
        if model.prompts != embedding.prompts:
            raise InputError(
                f"corpus {self.path} was embedded with other prompts than {embedding.model} has "
                f"({embedding.prompts or 'none'}, the model's: {model.prompts or 'none'}); "
                f"prepare it again with: {self.manifest.command}"
            )
        doubt = doubt_about_vectors(embedding, model)
        if doubt:
            _warn(f"corpus {self.path} {doubt}; to embed it here: {self.manifest.command}")
        # its first pass is slow and would count as the time of a query
        model.encode_queries(PROBES[:1])
        return model


@cache
def _warn(line: str) -> None:
    """Log a warning, once per process."""
    _LOGGER.warning(line)
