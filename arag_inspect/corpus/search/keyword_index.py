"""Exact keyword search: `str.count` of every chunk without reading the chunks."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import csc_array, csr_array, get_index_dtype

from ...text.folding import distinct_keywords, fold, fold_keyword

Ints = npt.NDArray[np.int64]
_GRAM = 3
"""Length of the character n-grams that index the vocabulary."""


class _Hits(NamedTuple):
    """Chunks that contain a keyword, ascending, and its count in each."""

    chunks: Ints
    counts: Ints


class KeywordIndex:
    """Count any substring in every chunk, case-insensitively and exactly.

    A chunk has the score of A-RAG: the sum over keywords of `count(keyword in chunk) *
    len(keyword)`, with the substring semantics of `str.count` on folded text (see `fold`; plain
    text is only lower-cased).

    Texts are split at single spaces, which is exact: a keyword without a space can only occur
    inside one word, and one with spaces must end a word, equal the inner ones and begin the last.
    So a keyword is looked up in the vocabulary, and only the positions of its words are visited.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        """Index the texts.

        Args:
            texts: One text per chunk, in the order of chunk ids.
        """
        self._texts = list(map(fold, texts))
        self._find = lru_cache(maxsize=1024)(self._count)
        split = pc.split_pattern(pa.array(self._texts, pa.large_string()), " ")
        encoded = pc.dictionary_encode(pc.list_flatten(split))
        vocabulary: list[str] = encoded.dictionary.to_pylist()
        self._number = {word: number for number, word in enumerate(vocabulary)}
        self._vocabulary = _Vocabulary(vocabulary)
        lengths = pc.list_value_length(split).to_numpy() + 1
        self._chunk_of = np.repeat(np.arange(len(texts), dtype=np.int32), lengths)
        self._stream = np.full(len(self._chunk_of), len(vocabulary), np.int32)
        """Word numbers in order, with a separator after each chunk that is not a word's number."""
        is_word = np.ones(len(self._stream), bool)
        is_word[np.cumsum(lengths) - 1] = False
        self._stream[is_word] = encoded.indices.to_numpy()
        shape = (len(vocabulary) + 1, len(texts))
        self._positions = _positions(self._stream, shape[0])
        self._counts = _counts(self._stream, self._chunk_of, shape)

    def scores(self, keywords: Sequence[str]) -> Ints:
        """Score every chunk.

        Args:
            keywords: Substrings to count, see `fold_keyword`. A blank one scores 0; a repeated one
                counts each time.

        Returns:
            Scores, shape (chunks,).
        """
        total = np.zeros(len(self._texts), dtype=np.int64)
        for keyword in keywords:
            substring = fold_keyword(keyword)
            if substring:
                hits = self._find(substring)
                total[hits.chunks] += hits.counts * len(substring)
        return total

    def keyword_counts(self, keywords: Sequence[str]) -> Ints:
        """Count the different keywords that each chunk contains, shape (chunks,)."""
        total = np.zeros(len(self._texts), dtype=np.int64)
        for substring in distinct_keywords(keywords):
            total[self._find(substring).chunks] += 1
        return total

    def _count(self, keyword: str) -> _Hits:
        if not self._texts:
            return _Hits(np.empty(0, np.int64), np.empty(0, np.int64))
        return self._count_phrase(keyword) if " " in keyword else self._count_within(keyword)

    def _count_within(self, keyword: str) -> _Hits:
        """Count a keyword without spaces, which is inside a single word."""
        words = self._vocabulary.find(keyword)  # a word that contains it twice occurs twice
        entries = _row_entries(self._counts, words)
        chunks = self._counts.indices[entries]
        counts = self._counts.data[entries]
        return _nonzero(np.bincount(chunks, counts, minlength=len(self._texts)).astype(np.int64))

    def _count_phrase(self, phrase: str) -> _Hits:
        """Count a keyword that spans words."""
        first, *inner, last = phrase.split(" ")
        if any(word not in self._number for word in inner):
            return _Hits(np.empty(0, np.int64), np.empty(0, np.int64))
        parts = [self._vocabulary.find(first + " ") if first else np.arange(len(self._number))]
        parts += [np.array([self._number[word]]) for word in inner]
        parts.append(self._vocabulary.find(" " + last) if last else np.arange(len(self._number)))
        sizes = [self._frequency(part) for part in parts]
        rarest = sizes.index(min(sizes))
        if sizes[rarest] > 8 * len(self._texts):
            return self._count_directly(phrase)  # every word is frequent: scanning is cheaper
        positions = self._phrase_starts(parts, rarest)
        chunks = self._chunk_of[positions]
        counts = np.bincount(chunks, minlength=len(self._texts))
        overlapping = positions[1:] - positions[:-1] < len(parts)
        for chunk in set(chunks[1:][overlapping].tolist()):
            counts[chunk] = self._texts[chunk].count(phrase)
        return _nonzero(counts)

    def _count_directly(self, phrase: str) -> _Hits:
        return _nonzero(np.array([text.count(phrase) for text in self._texts]))

    def _phrase_starts(self, parts: Sequence[Ints], rarest: int) -> Ints:
        """Return the ascending positions from which the words match the parts in order.

        The rarest part is looked up and the others are checked; the end of a chunk does not match.
        """
        begins, ends = (self._positions.indptr[parts[rarest] + side].tolist() for side in (0, 1))
        rows = [self._positions.indices[low:high] for low, high in zip(begins, ends, strict=True)]
        positions: Ints = np.concatenate(rows or [np.empty(0, np.int64)]) - rarest
        for offset, part in enumerate(parts):
            if offset != rarest:
                matches = np.zeros(len(self._number) + 1, bool)
                matches[part] = True
                words = self._stream.take(positions + offset, mode="wrap")
                positions = positions[matches[words]]
        return np.sort(positions)

    def _frequency(self, words: Ints) -> int:
        indptr = self._positions.indptr
        return int((indptr[words + 1] - indptr[words]).sum())


class _Vocabulary:
    """Distinct words, searchable by substring."""

    def __init__(self, words: Sequence[str]) -> None:
        self._joined = f" {' '.join(words)} "
        letters = np.frombuffer(f"{self._joined}\0\0".encode("utf-32-le"), np.uint32)
        self._word_at = np.cumsum(letters == ord(" "), dtype=np.int32) - 1
        codes: npt.NDArray[Any] = letters.astype(np.uint64)  # 21 bits are enough for a letter
        codes = (codes[:-2] << 42) | (codes[1:-1] << 21) | codes[2:]
        self._starts: dict[str, npt.NDArray[np.int32]] = {}
        """Where a run of at most three letters begins, ascending."""
        # in descending order, so that runs cut off at the end are overwritten
        for length in range(_GRAM, 0, -1):
            grams = codes >> (21 * (_GRAM - length))
            order = np.argsort(grams, kind="stable").astype(np.int32)
            for starts in np.split(order, np.flatnonzero(np.diff(grams[order])) + 1):
                self._starts[self._joined[starts[0] : starts[0] + length]] = starts

    def find(self, pattern: str) -> Ints:
        """Return the words in which the pattern occurs, once per occurrence, ascending.

        A leading or trailing space in the pattern matches the edge of a word.
        """
        nowhere = np.empty(0, np.int32)
        grams = [pattern[at : at + _GRAM] for at in range(max(1, len(pattern) - _GRAM + 1))]
        runs = [self._starts.get(gram, nowhere) for gram in grams]
        rarest = min(range(len(runs)), key=lambda at: len(runs[at]))
        starts: Ints = (runs[rarest] - rarest).astype(np.int64)
        if len(pattern) > _GRAM:
            begins = self._joined.startswith
            matching = [start for start in starts.tolist() if start >= 0 and begins(pattern, start)]
            starts = np.array(matching, np.int64)
        # occurrences do not overlap, except that two words share the space between them
        length = len(pattern) - (" " in pattern)
        if (starts[1:] - starts[:-1] < length).any():
            starts = np.array(_drop_overlaps(starts.tolist(), length))
        return self._word_at[starts].astype(np.int64)


def _drop_overlaps(positions: Sequence[int], distance: int) -> list[int]:
    """Return the positions that are at least `distance` after the last returned."""
    result: list[int] = []
    for position in positions:
        if not result or position >= result[-1] + distance:
            result.append(position)
    return result


def _nonzero(counts: Ints) -> _Hits:
    chunks = np.flatnonzero(counts != 0)  # several times as fast as numbers
    return _Hits(chunks, counts[chunks])


def _row_entries(matrix: csr_array, rows: Ints) -> Ints:
    """Return the positions of the rows' entries in `matrix.data`."""
    starts = matrix.indptr[rows].astype(np.int64)
    lengths = matrix.indptr[rows + 1] - starts
    before = np.cumsum(lengths) - lengths
    entries: Ints = np.repeat(starts - before, lengths) + np.arange(lengths.sum())
    return entries


def _positions(stream: npt.NDArray[np.int32], words: int) -> csr_array:
    """Return the ascending positions of each word as column indices of a matrix."""
    values = np.ones(len(stream), dtype=bool)
    ends = np.arange(len(stream) + 1, dtype=get_index_dtype(maxval=len(stream)))
    columns = csc_array((values, stream, ends), shape=(words, len(stream)))
    return columns.tocsr()


def _counts(
    stream: npt.NDArray[np.int32], chunk_of: npt.NDArray[np.int32], shape: tuple[int, int]
) -> csr_array:
    """Return how often each word occurs in each chunk, shape (words, chunks)."""
    values = np.ones(len(stream), dtype=np.int32)
    counts = csr_array((values, (stream, chunk_of)), shape=shape)
    counts.sum_duplicates()
    return counts
