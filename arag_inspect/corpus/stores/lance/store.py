"""Read and search Lance datasets in place."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ....text.folding import distinct_keywords, fold_keyword
from ....text.sentences import Span
from ...chunks import Chunk
from ...embedding.models import Embed, UnitVector
from ...mirror import data_root
from ...prepared.manifest import LanceData, Manifest, missing_document, unfit
from ...search.filter import EVERYTHING, Filter
from ...search.ranking import Candidates, Hit, KeywordPage, first_fetch, next_fetch, rank
from . import CHUNKS, FIELDS, SENTENCES, lance_errors, open_dataset

COMMON = 20_000
"""Maximum chunks read for a keyword."""

_READ = [*FIELDS, "starts", "ends"]


class LanceStore:
    """Chunks and sentences as Lance datasets, on a disk or in an object store.

    Opening reads only the datasets' own manifests, and a search reads only what it needs. A store
    keeps the version it was opened with.

    Keyword search gives the scores and the order of the local store. A keyword that occurs in
    more than 20,000 of the allowed chunks is not read everywhere: it counts in the first 20,000
    chunks that contain it and in every chunk found by a rarer keyword of the same search. A keyword
    without three letters or digits in a row has no index entry, and the text is scanned for it.
    """

    def __init__(self, path: Path, manifest: Manifest) -> None:
        """Open the datasets of a prepared folder.

        Raises:
            InputError: Lance is not installed, or the data are missing or do not fit the manifest.
        """
        assert manifest.lance is not None
        self._path = path
        self._lance = manifest.lance
        self._location = f"{data_root(path)}/{manifest.lance.folder}"
        self._errors = partial(lance_errors, self._location)
        with self._errors():
            self._chunks = open_dataset(f"{self._location}/{CHUNKS}")
            self._sentences = open_dataset(f"{self._location}/{SENTENCES}")
            self._size = self._chunks.count_rows()
            counts = {"chunks": self._size, "sentences": self._sentences.count_rows()}
        for name, count in counts.items():
            if manifest.counts.get(name) != count:
                raise unfit(path, manifest, f"there are {count} {name}")
        self._read = lru_cache(maxsize=4096)(self._take)

    def __len__(self) -> int:
        """Return the number of chunks."""
        return int(self._size)

    @property
    def doc_ids(self) -> list[str]:
        """Documents, in the order of their first chunk."""
        names = self._scan(["doc_id"], EVERYTHING)["doc_id"]
        return [str(name) for name in names.unique().to_pylist()]

    def chunk(self, chunk_id: int) -> Chunk:
        """Read a chunk; row n is chunk n."""
        return self._read(chunk_id)

    def document_chunks(self, doc_ids: Sequence[str]) -> list[Chunk]:
        """Read the chunks of documents, document by document."""
        chunks_by_doc: dict[str, list[Chunk]] = {}
        rows = self._scan(_READ, Filter(tuple(doc_ids))).to_pylist()
        for row in sorted(rows, key=lambda row: row["chunk_id"]):
            chunks_by_doc.setdefault(row["doc_id"], []).append(_chunk(row))
        for doc_id in doc_ids:
            if doc_id not in chunks_by_doc:
                raise missing_document(self._path, doc_id)
        return list(chain.from_iterable(chunks_by_doc[doc_id] for doc_id in doc_ids))

    def chunk_ids(self, allowed: Filter) -> npt.NDArray[np.int64]:
        """Return the ids of the chunks that a filter allows, ascending."""
        return np.sort(self._scan(["chunk_id"], allowed)["chunk_id"].to_numpy())

    def keyword_page(
        self, keywords: Sequence[str], top_k: int, offset: int, allowed: Filter
    ) -> KeywordPage:
        """Find and count chunks by exact substrings; see `Corpus.keyword_page`."""
        scores, counts, complete = self._score_chunks(keywords, allowed)
        number = len(distinct_keywords(keywords))
        hold_all = {chunk for chunk, count in counts.items() if count == number}
        ranked = sorted(scores, key=lambda chunk: (-scores[chunk], chunk not in hold_all, chunk))
        hits = [Hit(chunk, float(scores[chunk])) for chunk in ranked[offset : offset + top_k]]
        return KeywordPage(self._read_ahead(hits), len(hold_all), len(scores), complete)

    def _score_chunks(
        self, keywords: Sequence[str], allowed: Filter
    ) -> tuple[dict[int, int], Counter[int], bool]:
        """Return chunks' scores, counts of their keywords, and whether they have all of them."""
        lowered = list(filter(None, map(fold_keyword, keywords)))
        scores: dict[int, int] = {}
        counts: Counter[int] = Counter()
        common = []
        with self._errors():
            for keyword in dict.fromkeys(lowered):
                keyword_scores = self._count(keyword, _condition(allowed))
                times = lowered.count(keyword)
                for chunk, score in keyword_scores.items():
                    scores[chunk] = scores.get(chunk, 0) + score * times
                counts.update(keyword_scores.keys())
                if len(keyword_scores) == COMMON:
                    common.append((keyword, times, keyword_scores))
            for keyword, times, keyword_scores in common:
                other_ids = [chunk for chunk in scores if chunk not in keyword_scores]
                for chunk, score in self._count_in(keyword, other_ids).items():
                    scores[chunk] += score * times
                    counts[chunk] += score > 0
        return scores, counts, not common

    def semantic_search(
        self, query: str, top_k: int, allowed: Filter, embed: Embed, *, exact: bool
    ) -> list[Hit]:
        """Find chunks by meaning; see `nearest`."""
        return self.nearest(embed(query), top_k, allowed, exact=exact)

    def nearest(
        self, query: UnitVector, top_k: int, allowed: Filter = EVERYTHING, *, exact: bool = False
    ) -> list[Hit]:
        """Find the best chunks for a query; see `DenseIndex.search`.

        Sentences are fetched until they determine the result, see `rank`. With a vector index, the
        full vectors of the best candidates are compared; the manifest's `recall_at_5` is the share
        of chunks of an exact search that are found.

        Args:
            query: Unit vector.
            top_k: Number of chunks.
            allowed: Part of the corpus to search.
            exact: Compare with every vector, without the index.
        """
        # few rows: comparing all of them is fast and exact
        exact = exact or allowed.doc_ids is not None
        condition = _condition(allowed)
        data = None if exact else self._lance
        with self._errors():
            hits, complete = best_chunks(self._sentences, query, top_k, data, condition)
            if len(hits) < top_k and not complete:  # too few matches in the partitions visited
                hits, _ = best_chunks(self._sentences, query, top_k, None, condition)
            return self._read_ahead(hits)

    def load(self, load_model: Callable[[], object]) -> None:
        """Load the embedding model."""
        load_model()

    def _read_ahead(self, hits: list[Hit]) -> list[Hit]:
        """Read the chunks of hits, so that showing them needs no further reading."""
        for hit in hits:
            self._read(hit.chunk_id)
        return hits

    def _scan(self, columns: list[str], allowed: Filter) -> Any:
        with self._errors():
            return self._chunks.scanner(columns=columns, filter=_condition(allowed)).to_table()

    def _take(self, chunk_id: int) -> Chunk:
        with self._errors():
            (row,) = self._chunks.take([chunk_id], columns=_READ).to_pylist()
        return _chunk(row)

    def _count(self, keyword: str, condition: str | None) -> dict[int, int]:
        """Count the characters of a keyword's occurrences in the first chunks with it.

        Like `str.count`, SQL's `replace` ignores overlapping occurrences.
        """
        literal = _literal(keyword)
        shortened_length = f"character_length(replace(lower, {literal}, ''))"
        holds = f"contains(lower, {literal})"
        table = self._chunks.scanner(
            columns={
                "chunk_id": "chunk_id",
                "score": f"character_length(lower) - {shortened_length}",
            },
            filter=f"{holds} AND {condition}" if condition else holds,
            limit=COMMON,
        ).to_table()
        return dict(zip(table["chunk_id"].to_pylist(), table["score"].to_pylist(), strict=True))

    def _count_in(self, keyword: str, chunk_ids: Sequence[int]) -> dict[int, int]:
        """Count the characters of a keyword's occurrences in these chunks."""
        scores: dict[int, int] = {}
        for start in range(0, len(chunk_ids), COMMON):
            rows = sorted(chunk_ids[start : start + COMMON])
            texts = self._chunks.take(rows, columns=["lower"])["lower"].to_pylist()
            for row, text in zip(rows, texts, strict=True):
                scores[row] = text.count(keyword) * len(keyword)
        return scores


def _chunk(row: dict[str, Any]) -> Chunk:
    spans = zip(row.pop("starts"), row.pop("ends"), strict=True)
    return Chunk(**row, sentences=tuple(Span(start, end) for start, end in spans))


def _literal(text: str) -> str:
    """Return a text as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def _condition(allowed: Filter) -> str | None:
    """Return the SQL of a filter; None if it has no condition."""
    parts = [
        f"{name} IN ({', '.join(map(_literal, values))})" if values else "false"
        for name, values in allowed.values().items()
    ]
    return " AND ".join(parts) or None


def best_chunks(
    sentences: Any, query: Any, top_k: int, data: LanceData | None, condition: str | None = None
) -> tuple[list[Hit], bool]:
    """Return the best chunks for a query vector, and whether the search was exact.

    Args:
        sentences: The Lance dataset.
        query: Unit vector.
        top_k: Number of chunks.
        data: Search settings; None compares with every vector.
        condition: Filter on the sentences, in SQL.
    """
    exact = data is None or data.index == "none"
    fetch = first_fetch(top_k)
    while True:
        search: dict[str, Any] = {"column": "vector", "q": query, "k": fetch, "metric": "dot"}
        if data is None or exact:
            search["use_index"] = False
        else:
            search |= {"nprobes": data.nprobes, "refine_factor": data.refine_factor}
        table = sentences.scanner(
            columns=["chunk_id", "place", "vector"],
            nearest=search,
            filter=condition,
            prefilter=True,
        ).to_table()
        vectors = table["vector"].combine_chunks().flatten().to_numpy()
        candidates = Candidates(
            chunks=table["chunk_id"].to_numpy(),
            positions=table["place"].to_numpy(),
            vectors=vectors.reshape(len(table), len(query)),
            complete=len(table) < fetch,
        )
        hits = rank(query, candidates, top_k)
        if hits is not None:
            return hits, exact
        fetch = next_fetch(fetch)
