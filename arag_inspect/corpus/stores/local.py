"""The store for small corpora: chunks and FAISS index in memory."""

import threading
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..._util.errors import InputError
from ..._util.extras import extra, is_installed
from ...text.folding import distinct_keywords
from ..chunks import Chunk, read_chunks
from ..embedding.models import Embed, UnitVector
from ..prepared.manifest import CHUNKS, INDEX, Manifest, check_files, missing_document, unfit
from ..search.dense_index import DenseIndex
from ..search.filter import EVERYTHING, Filter
from ..search.ranking import Hit, KeywordPage

if TYPE_CHECKING:
    from ..search.keyword_index import KeywordIndex


class LocalStore:
    """Chunks, a keyword index and an exact dense index, all in memory."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        """Read the files of a prepared folder.

        Raises:
            InputError: A file is missing or has changed, or they do not fit together.
        """
        self._path = path
        self._manifest = manifest
        check_files(path, manifest)
        missing = {CHUNKS, INDEX} - manifest.files.keys()
        if missing:
            raise self._unfit(f"the manifest does not name {min(missing)}")
        self._building = threading.Lock()
        try:
            self._load()
            if is_installed("faiss"):  # without it, documents can still be read
                _ = self._index
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise self._unfit(str(error).splitlines()[0] if str(error) else "") from error

    def _load(self) -> None:
        self._chunks = list(read_chunks(self._path))
        self._sentence_chunk = np.repeat(
            np.arange(len(self)), np.array([len(chunk.sentences) for chunk in self._chunks], int)
        )
        self._rows: dict[str, list[int]] = {}
        for row, chunk in enumerate(self._chunks):
            if chunk.chunk_id != row:
                raise self._unfit("their sizes differ")
            if any(not 0 <= start <= end <= len(chunk.text) for start, end in chunk.sentences):
                raise self._unfit("a sentence does not lie in its chunk")
            self._rows.setdefault(chunk.doc_id, []).append(row)
        self._mask = lru_cache(maxsize=64)(self._make_mask)

    def __len__(self) -> int:
        """Return the number of chunks."""
        return len(self._chunks)

    @property
    def doc_ids(self) -> list[str]:
        """Documents, in the order of their first chunk."""
        return list(self._rows)

    def chunk(self, chunk_id: int) -> Chunk:
        """Return a chunk."""
        return self._chunks[chunk_id]

    def document_chunks(self, doc_ids: Sequence[str]) -> list[Chunk]:
        """Read the chunks of documents, document by document."""
        for doc_id in doc_ids:
            if doc_id not in self._rows:
                raise missing_document(self._path, doc_id)
        rows = chain.from_iterable(self._rows[doc_id] for doc_id in doc_ids)
        return [self._chunks[row] for row in rows]

    def chunk_ids(self, allowed: Filter) -> npt.NDArray[np.int64]:
        """Return the ids of the chunks that a filter allows, ascending."""
        return np.flatnonzero(self._mask(allowed))

    def keyword_page(
        self, keywords: Sequence[str], top_k: int, offset: int, allowed: Filter
    ) -> KeywordPage:
        """Find and count chunks by exact substrings; see `Corpus.keyword_page`."""
        self._build_keywords()
        scores = self._keywords.scores(keywords)
        counts = self._keywords.keyword_counts(keywords)
        if allowed:
            scores = np.where(self._mask(allowed), scores, 0)
        hold_all = (counts == len(distinct_keywords(keywords))) & (scores > 0)
        best = _largest(2 * scores + hold_all, offset + top_k)[offset:]
        hits = [Hit(int(chunk), float(scores[chunk])) for chunk in best]
        return KeywordPage(hits, int(np.count_nonzero(hold_all)), int(np.count_nonzero(scores)))

    def semantic_search(
        self, query: str, top_k: int, allowed: Filter, embed: Embed, *, exact: bool
    ) -> list[Hit]:
        """Find chunks by meaning, always exactly."""
        return self.nearest(embed(query), top_k, allowed)

    def nearest(self, query: UnitVector, top_k: int, allowed: Filter = EVERYTHING) -> list[Hit]:
        """Find the best chunks for a query; see `DenseIndex.search`."""
        mask = self._mask(allowed) if allowed else None
        return self._index.search(query, top_k, mask)

    def load(self, load_model: Callable[[], object]) -> None:
        """Load the embedding model, and build the keyword index."""
        load_model()
        self._build_keywords()

    def _build_keywords(self) -> None:
        """Build the keyword index, once."""
        with self._building:
            _ = self._keywords

    def _make_mask(self, allowed: Filter) -> npt.NDArray[np.bool_]:
        mask = np.ones(len(self), bool)
        for name, values in allowed.values().items():
            allowed_values = set(values)
            mask &= np.fromiter(
                (getattr(chunk, name) in allowed_values for chunk in self._chunks), bool
            )
        return mask

    @cached_property
    def _keywords(self) -> "KeywordIndex":
        with extra("retrieval"):
            from ..search.keyword_index import KeywordIndex
        return KeywordIndex([f"{chunk.prefix} {chunk.text}" for chunk in self._chunks])

    @cached_property
    def _index(self) -> DenseIndex:
        """The vectors, which must fit the chunks."""
        index = DenseIndex(self._path / INDEX, self._sentence_chunk)
        if (
            len(index) != len(self._sentence_chunk)
            or index.dimension != self._manifest.embedding.dimension
        ):
            raise self._unfit("their sizes differ")
        if not index.finite:
            raise self._unfit(f"{INDEX} contains vectors that are not numbers")
        return index

    def _unfit(self, reason: str) -> InputError:
        return unfit(self._path, self._manifest, reason)


def _largest(scores: npt.NDArray[np.int64], top_k: int) -> npt.NDArray[np.int64]:
    """Return the positions of the largest scores above 0, descending, then ascending."""
    positions = np.flatnonzero(scores != 0)  # several times as fast as on numbers
    if len(positions) > top_k:  # partitioning is slow where most scores are equal
        least = np.sort(scores[positions])[-top_k]
        positions = positions[scores[positions] >= least]
    return positions[np.argsort(-scores[positions], kind="stable")][:top_k]
