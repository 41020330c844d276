"""Exact keyword search: `str.count` of every chunk without reading the chunks."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import csc_array, csr_array

from ..text.folding import fold, fold_keyword

Ints = npt.NDArray[np.int64]
_GRAM = 3
"""Length of the character n-grams that index the vocabulary."""


class _Hits(NamedTuple):
    """Chunks that hold a keyword, ascending, and its count in each."""

    chunks: Ints
    counts: Ints


class KeywordIndex:
    """Count any substring in every chunk, case-insensitively and exactly.

    The score of a chunk is that of A-RAG: the sum over keywords of
    `count(keyword in chunk) * len(keyword)`, with the substring semantics of
    `str.count` on folded text, see `fold`, which for plain text is lower-cased text.

    Texts are split at single spaces, which is exact: a keyword without a
    space can only occur inside one word, and one with spaces must end a word,
    equal the inner ones and begin the last. So a keyword is looked up in the
    vocabulary, and only the positions of its words are visited.
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
        self._stream: npt.NDArray[np.int32] = encoded.indices.to_numpy()
        self._chunk_of = np.repeat(
            np.arange(len(texts), dtype=np.int32), pc.list_value_length(split).to_numpy()
        )
        self._positions = _positions(self._stream, len(vocabulary))
        self._counts = _counts(self._stream, self._chunk_of, (len(vocabulary), len(texts)))

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
            if substring := fold_keyword(keyword):
                hits = self._find(substring)
                total[hits.chunks] += hits.counts * len(substring)
        return total

    def _count(self, keyword: str) -> _Hits:
        if not self._texts:
            return _Hits(np.empty(0, np.int64), np.empty(0, np.int64))
        return self._count_phrase(keyword) if " " in keyword else self._count_within(keyword)

    def _count_within(self, keyword: str) -> _Hits:
        """Count a keyword without spaces, which is inside one word."""
        words = self._vocabulary.find(keyword)  # a word that holds it twice occurs twice
        entries = _row_entries(self._counts, words)
        chunks, counts = self._counts.indices[entries], self._counts.data[entries]
        return _nonzero(np.bincount(chunks, counts, minlength=len(self._texts)).astype(np.int64))

    def _count_phrase(self, phrase: str) -> _Hits:
        """Count a keyword that spans words."""
        first, *inner, last = phrase.split(" ")
        if any(word not in self._number for word in inner):
            return _Hits(np.empty(0, np.int64), np.empty(0, np.int64))
        parts: list[Ints | None] = [self._vocabulary.find(first + " ") if first else None]
        parts += [np.array([self._number[word]]) for word in inner]
        parts.append(self._vocabulary.find(" " + last) if last else None)
        sizes = [self._frequency(part) for part in parts]
        rarest = int(np.argmin(sizes))
        if parts[rarest] is None or sizes[rarest] > 8 * len(self._texts):
            return self._count_directly(phrase)  # words everywhere: reading is cheaper
        positions = self._phrase_starts(parts, rarest)
        counts = np.bincount(self._chunk_of[positions], minlength=len(self._texts))
        overlapping = np.diff(positions) < len(parts)
        for chunk in np.unique(self._chunk_of[positions[1:][overlapping]]):
            counts[chunk] = self._texts[chunk].count(phrase)
        return _nonzero(counts)

    def _count_directly(self, phrase: str) -> _Hits:
        return _nonzero(np.array([text.count(phrase) for text in self._texts]))

    def _phrase_starts(self, parts: Sequence[Ints | None], rarest: int) -> Ints:
        """Return the ascending positions from which the words match the parts in order.

        The rarest part is looked up and the others are checked; None matches any word.
        """
        rarest_words = parts[rarest]
        assert rarest_words is not None
        entries = _row_entries(self._positions, rarest_words)
        positions: Ints = self._positions.indices[entries] - rarest
        positions = positions[(positions >= 0) & (positions + len(parts) <= len(self._stream))]
        for offset, part in enumerate(parts):
            if offset != rarest and part is not None:
                mask = np.zeros(len(self._number), dtype=bool)
                mask[part] = True
                positions = positions[mask[self._stream[positions + offset]]]
        last_chunks = self._chunk_of[positions + len(parts) - 1]
        return np.sort(positions[self._chunk_of[positions] == last_chunks])

    def _frequency(self, words: Ints | None) -> int:
        if words is None:
            return len(self._stream)
        indptr = self._positions.indptr
        return int((indptr[words + 1] - indptr[words]).sum())


class _Vocabulary:
    """Distinct words, searchable by substring."""

    def __init__(self, words: Sequence[str]) -> None:
        joined = f" {' '.join(words)} \0\0"  # so that a run of three letters begins at each
        self._letters = np.frombuffer(joined.encode("utf-32-le"), np.uint32)
        self._word_at = np.zeros(len(joined), np.int32)
        self._word_at[np.cumsum([1, *(len(word) + 1 for word in words)])[:-1]] = 1
        self._word_at = np.cumsum(self._word_at, dtype=np.int32) - 1
        grams = _code(self._letters.astype(np.uint64))
        order = np.argsort(grams, kind="stable")
        self._grams, self._at = grams[order], order

    def find(self, pattern: str) -> Ints:
        """Return the words in which the pattern occurs, once per occurrence, ascending.

        A leading or trailing space in the pattern matches the edge of a word.
        """
        letters = np.array([ord(letter) for letter in pattern], np.uint32)
        starts = self._candidates(letters)
        starts = starts[(starts >= 0) & (starts + len(letters) <= len(self._letters) - 2)]
        windows = self._letters[starts[:, None] + np.arange(len(letters))]
        starts = starts[(windows == letters).all(axis=1)]
        # occurrences do not overlap, except that two words share the space between them
        length = len(pattern) - (" " in pattern)
        if (starts[1:] - starts[:-1] < length).any():
            starts = np.array(_without_overlaps(starts.tolist(), length))
        return self._word_at[starts + (pattern[0] == " ")].astype(np.int64)

    def _candidates(self, letters: npt.NDArray[np.uint32]) -> Ints:
        """Return where the pattern may begin, ascending."""
        if len(letters) < _GRAM:
            first = _code(np.pad(letters, (0, _GRAM - len(letters))).astype(np.uint64))
            low = np.searchsorted(self._grams, first, side="left")[0]
            after = first + (np.uint64(1) << np.uint64(21 * (_GRAM - len(letters))))
            return np.sort(self._at[low : np.searchsorted(self._grams, after, side="left")[0]])
        codes = _code(letters.astype(np.uint64))
        low = np.searchsorted(self._grams, codes, side="left")
        high = np.searchsorted(self._grams, codes, side="right")
        rarest = int(np.argmin(high - low))
        return self._at[low[rarest] : high[rarest]] - rarest


def _without_overlaps(positions: Sequence[int], distance: int) -> list[int]:
    """Return the positions that are at least `distance` after the last returned."""
    result: list[int] = []
    for position in positions:
        if not result or position >= result[-1] + distance:
            result.append(position)
    return result


def _nonzero(counts: Ints) -> _Hits:
    chunks = np.flatnonzero(counts)
    return _Hits(chunks, counts[chunks])


def _code(letters: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return a number for each run of three letters (21 bits hold any code point)."""
    high, middle = np.uint64(42), np.uint64(21)
    return (letters[:-2] << high) | (letters[1:-1] << middle) | letters[2:]


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
    columns = csc_array((values, stream, np.arange(len(stream) + 1)), shape=(words, len(stream)))
    return columns.tocsr()


def _counts(
    stream: npt.NDArray[np.int32], chunk_of: npt.NDArray[np.int32], shape: tuple[int, int]
) -> csr_array:
    """Return how often each word occurs in each chunk, shape (words, chunks)."""
    values = np.ones(len(stream), dtype=np.int32)
    counts = csr_array((values, (stream, chunk_of)), shape=shape)
    counts.sum_duplicates()
    return counts
