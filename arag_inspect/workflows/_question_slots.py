"""Select passages for questions from documents and sections in turn."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple, TypeVar

from .._util.hashing import digest
from ..corpus import Chunk, Corpus
from ..datasets.generated_questions import QuestionType

T = TypeVar("T")

_FEWEST_WORDS = 30
"""Fewest words of a chunk for a question."""

_SUMMARY_CHUNKS = 3
"""Most neighbouring chunks of a section for one summary."""


class Slot(NamedTuple):
    """The passages of a possible question."""

    id: str
    question_type: QuestionType
    chunk_ids: tuple[int, ...]


def question_slots(corpus: Corpus, question_type: QuestionType, seed: int) -> list[Slot]:
    """List the possible questions of a type for a corpus.

    Documents take turns, and within a document its sections; the first chunk of a section
    is chosen by the seed. Two chunks of one document for `multi`, neighbours of one section for
    `summary`, else one (for `comparison` the writer finds the other).

    Args:
        corpus: Corpus with the passages.
        question_type: Kind of question.
        seed: Seed of the order.
    """
    key = f"{seed}:{question_type}"
    documents = [_in_turn(corpus, doc_id, key) for doc_id in _drawn(corpus.doc_ids, key)]
    if question_type == "comparison" and sum(map(bool, documents)) < 2:
        return []
    groups = _interleaved([_groups(corpus, chunks, question_type) for chunks in documents])
    distinct = dict.fromkeys(tuple(sorted(group)) for group in groups)
    return [
        Slot(f"{question_type}-{number:04}", question_type, group)
        for number, group in enumerate(distinct, start=1)
    ]


def _groups(
    corpus: Corpus, chunks: Sequence[Chunk], question_type: QuestionType
) -> list[tuple[int, ...]]:
    """Return the chunks of each question about one document."""
    if question_type == "multi":
        pairs = zip(chunks, [*chunks[1:], *chunks[:1]], strict=True)
        return [(chunk.chunk_id, other.chunk_id) for chunk, other in pairs if chunk is not other]
    if question_type == "summary":
        return [_neighbours(corpus, chunk) for chunk in chunks]
    return [(chunk.chunk_id,) for chunk in chunks]


def _neighbours(corpus: Corpus, chunk: Chunk) -> tuple[int, ...]:
    end = min(chunk.chunk_id + _SUMMARY_CHUNKS, len(corpus))
    following = (corpus.chunk(chunk_id) for chunk_id in range(chunk.chunk_id, end))
    section = (chunk.doc_id, chunk.section)
    return tuple(other.chunk_id for other in following if (other.doc_id, other.section) == section)


def _in_turn(corpus: Corpus, doc_id: str, key: str) -> list[Chunk]:
    """Return the chunks of a document, its sections in turn."""
    sections: dict[str, list[Chunk]] = {}
    for chunk in corpus.document_chunks([doc_id]):
        if len(chunk.text.split()) >= _FEWEST_WORDS:
            sections.setdefault(chunk.section, []).append(chunk)
    names = _drawn(list(sections), f"{key}:{doc_id}")
    return _interleaved(
        [
            sorted(sections[name], key=lambda chunk: digest(key, str(chunk.chunk_id)))
            for name in names
        ]
    )


def _drawn(names: Sequence[str], key: str) -> list[str]:
    return sorted(names, key=lambda name: digest(key, name))


def _interleaved(lists: Sequence[Sequence[T]]) -> list[T]:
    """Return the first of each list, then the second of each, and so on."""
    return [item for row in zip_longest(*lists) for item in row if item is not None]
