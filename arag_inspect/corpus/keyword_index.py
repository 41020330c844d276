"""Exact keyword search: `str.count` of every chunk without reading the chunks."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import csc_array, csr_array

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
    `str.count` on lower-cased text.

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
        self._texts = texts
        self._find = lru_cache(maxsize=1024)(self._count)
        split = pc.split_pattern(pa.array([text.lower() for text in texts], pa.large_string()), " ")
        encoded = pc.dictionary_encode(pc.list_flatten(split))
        vocabulary: list[str] = encoded.dictionary.to_pylist()
        self._number = {word: number for number, word in enumerate(vocabulary)}
        self._vocabulary = _Vocabulary(vocabulary)
        self._stream: npt.NDArray[np.int32] = encoded.indices.to_numpy()
        self._chunk_of = np.repeat(
            np.arange(len(texts), dtype=np.int32), pc.list_value_length(split).to_numpy()
        )
        self._places = _places(self._stream, len(vocabulary))
        self._counts = _counts(self._stream, self._chunk_of, (len(vocabulary), len(texts)))

    def scores(self, keywords: Sequence[str]) -> Ints:
        """Score every chunk.

        Args:
            keywords: Substrings to count. An empty string scores 0; a repeated one counts each
                time.

        Returns:
            Scores, shape (chunks,).
        """
        total = np.zeros(len(self._texts), dtype=np.int64)
        for keyword in keywords:
            wanted = keyword.lower()
            if wanted:
                hits = self._find(wanted)
                total[hits.chunks] += hits.counts * len(wanted)
        return total

    def _count(self, keyword: str) -> _Hits:
        if not self._texts:
            return _Hits(np.empty(0, np.int64), np.empty(0, np.int64))
        return self._count_phrase(keyword) if " " in keyword else self._count_within(keyword)

    def _count_within(self, keyword: str) -> _Hits:
        """Count a keyword without spaces, which is inside one word."""
        words = self._vocabulary.find(keyword)  # one that holds it twice is there twice
        at, _ = _rows(self._counts, words)
        chunks, counts = self._counts.indices[at], self._counts.data[at]
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
        places = self._spelled(parts, rarest)
        counts = np.bincount(self._chunk_of[places], minlength=len(self._texts))
        overlapping = np.diff(places) < len(parts)
        for chunk in np.unique(self._chunk_of[places[1:][overlapping]]):
            counts[chunk] = self._texts[chunk].lower().count(phrase)
        return _nonzero(counts)

    def _count_directly(self, phrase: str) -> _Hits:
        return _nonzero(np.array([text.lower().count(phrase) for text in self._texts]))

    def _spelled(self, parts: Sequence[Ints | None], rarest: int) -> Ints:
        """Return the positions, ascending, from which the words match the parts one by one.

        The rarest part is looked up and the others are checked; None matches any word.
        """
        found = parts[rarest]
        assert found is not None
        at, _ = _rows(self._places, found)
        places: Ints = self._places.indices[at] - rarest
        places = places[(places >= 0) & (places + len(parts) <= len(self._stream))]
        for offset, part in enumerate(parts):
            if offset != rarest and part is not None:
                wanted = np.zeros(len(self._number), dtype=bool)
                wanted[part] = True
                places = places[wanted[self._stream[places + offset]]]
        places = places[self._chunk_of[places] == self._chunk_of[places + len(parts) - 1]]
        return np.sort(places)

    def _frequency(self, words: Ints | None) -> int:
        if words is None:
            return len(self._stream)
        indptr = self._places.indptr
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
        wanted = np.array([ord(letter) for letter in pattern], np.uint32)
        at = self._candidates(wanted)
        at = at[(at >= 0) & (at + len(wanted) <= len(self._letters) - 2)]
        spelled = self._letters[at[:, None] + np.arange(len(wanted))]
        at = at[(spelled == wanted).all(axis=1)]
        # occurrences do not overlap, except that two words share the space between them
        own = len(pattern) - (" " in pattern)
        if (at[1:] - at[:-1] < own).any():
            at = np.array(_apart(at.tolist(), own))
        return self._word_at[at + (pattern[0] == " ")].astype(np.int64)

    def _candidates(self, wanted: npt.NDArray[np.uint32]) -> Ints:
        """Return where the pattern may begin, ascending."""
        if len(wanted) < _GRAM:
            first = _code(np.pad(wanted, (0, _GRAM - len(wanted))).astype(np.uint64))
            low = np.searchsorted(self._grams, first, side="left")[0]
            after = first + (np.uint64(1) << np.uint64(21 * (_GRAM - len(wanted))))
            return np.sort(self._at[low : np.searchsorted(self._grams, after, side="left")[0]])
        codes = _code(wanted.astype(np.uint64))
        low = np.searchsorted(self._grams, codes, side="left")
        high = np.searchsorted(self._grams, codes, side="right")
        rarest = int(np.argmin(high - low))
        return self._at[low[rarest] : high[rarest]] - rarest


def _apart(places: Sequence[int], distance: int) -> list[int]:
    """Return the places that remain when each one excludes those that follow too closely."""
    kept: list[int] = []
    for place in places:
        if not kept or place >= kept[-1] + distance:
            kept.append(place)
    return kept


def _nonzero(counts: Ints) -> _Hits:
    chunks = np.flatnonzero(counts)
    return _Hits(chunks, counts[chunks])


def _code(letters: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return one number for each run of three letters (21 bits hold any code point)."""
    two, one = np.uint64(42), np.uint64(21)
    return (letters[:-2] << two) | (letters[1:-1] << one) | letters[2:]


def _rows(matrix: csr_array, rows: Ints) -> tuple[Ints, Ints]:
    """Return the positions of the rows' entries in `matrix.data`, and the size of each row."""
    starts = matrix.indptr[rows].astype(np.int64)
    lengths = matrix.indptr[rows + 1] - starts
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(lengths.sum()), lengths


def _places(stream: npt.NDArray[np.int32], words: int) -> csr_array:
    """Return the positions of each word, ascending, as column indices, shape (words, positions)."""
    ones = np.ones(len(stream), dtype=bool)
    columns = csc_array((ones, stream, np.arange(len(stream) + 1)), shape=(words, len(stream)))
    return columns.tocsr()


def _counts(
    stream: npt.NDArray[np.int32], chunk_of: npt.NDArray[np.int32], shape: tuple[int, int]
) -> csr_array:
    """Return how often each word occurs in each chunk, shape (words, chunks)."""
    ones = np.ones(len(stream), dtype=np.int32)
    counts = csr_array((ones, (stream, chunk_of)), shape=shape)
    counts.sum_duplicates()
    return counts
