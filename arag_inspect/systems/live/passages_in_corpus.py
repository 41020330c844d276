"""Passages of a live system as chunks of a corpus."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence, Set
from itertools import chain
from typing import Literal, NamedTuple

import anyio.to_thread

from arag_inspect.corpus import EVERYTHING, Chunk, Corpus, align
from arag_inspect.corpus.document_names import DocumentNames, plain_name
from arag_inspect.corpus.evidence import Alignment, figures_agree
from arag_inspect.systems.live.reply import MOST_TEXT, Note, ReportedPassage, TargetError
from arag_inspect.text.sentences import sentences as split_sentences
from arag_inspect.text.sentences import split_sentences as find_sentences
from arag_inspect.types.trace import Passage, ReturnedPassage

_CANDIDATES = 20
"""Number of candidate chunks that are searched for the text of a passage."""

_LEAST_SHARE = 0.2
"""Share of the shorter of passage and chunk that must match for the chunk to count as read.

A sentence suffices in a chunk next to one that counts, because there the passage crosses the
boundary.
"""

_LEAST_WORDS = 4
"""Minimum number of words of such a sentence."""

_LONG_WORD = 5

_LONGEST_QUOTATION = 60
"""Maximum characters quoted from a sentence."""

_MOST_RECORDED = 5 * MOST_TEXT
"""Maximum characters of a sample's passages: a longer part of a log is not read."""


class Matched(NamedTuple):
    """Passages of a reply as chunks, in the order given."""

    passages: list[Passage]
    """Chunks; text found in no chunk has a negative id."""

    returned: list[ReturnedPassage]
    """Passages as they were returned, with the chunks of each."""

    ranked: dict[int, float | None]
    """Chunks of the corpus in the order given, with the score of their passage."""

    by_id: int
    by_text: int
    unmatched: int

    foreign_id: Note | None
    """Description of the first id given with the text of another chunk."""

    @property
    def counts(self) -> dict[str, int]:
        """Number of passages by how they were found."""
        return {"by_id": self.by_id, "by_text": self.by_text, "unmatched": self.unmatched}


async def match_passages(passages: Sequence[ReportedPassage], corpus: Corpus | None) -> Matched:
    """Match passages to chunks: by text where they have one, else by id.

    An id given with a text counts if its chunk contains the text; otherwise it is another system's
    id, and the text decides.

    A passage with boundaries other than ours becomes several chunks, each with its matching
    sentences. If several documents contain a text, the passage's stated document counts, else the
    document that contains most of the passage, else one that was read before. Text that is in no
    chunk gets a negative id and the passage's stated document: faithfulness is judged against all
    text read, and precision counts it as not gold.

    Args:
        passages: Passages of a reply.
        corpus: Corpus to search; None if the sample has none.

    Raises:
        TargetError: A chunk id is unknown, or the passages are too long for a log.
    """
    matcher = _PassageMatcher(corpus)
    for passage in passages:
        await matcher.add(passage)
    matched = matcher.match()
    size = sum(len(passage.text) for passage in matched.passages)
    if size > _MOST_RECORDED:
        raise TargetError(
            f"returned {len(matched.passages):,} passages with {size:,} characters; the limit is "
            f"{_MOST_RECORDED:,}"
        )
    return matched


class _PassageMatcher:
    """Matches the passages of one reply in turn."""

    def __init__(self, corpus: Corpus | None) -> None:
        self._corpus = corpus
        self._texts: dict[int, list[str]] = {}
        self._returned: list[ReturnedPassage] = []
        self._ranked: dict[int, float | None] = {}
        self._documents_read: set[str] = set()
        self._named_documents: dict[int, str] = {}
        self._counts = Counter[str]()
        self._foreign_id: Note | None = None

    async def add(self, passage: ReportedPassage) -> None:
        parts = await self._locate(passage)
        self._returned.append(ReturnedPassage([*parts], passage.chunk_id))
        for chunk_id, text in parts.items():
            chunk_texts = self._texts.setdefault(chunk_id, [])
            if not any(text in chunk_text for chunk_text in chunk_texts):
                chunk_texts.append(text)
            if self._corpus is not None and chunk_id >= 0:
                self._ranked.setdefault(chunk_id, passage.score)
                self._documents_read.add(self._corpus.chunk(chunk_id).doc_id)

    async def _locate(self, passage: ReportedPassage) -> dict[int, str]:
        """Return the text of a passage by the chunks that contain it."""
        if passage.chunk_id is not None:
            chunk = await anyio.to_thread.run_sync(_chunk_of, passage, self._corpus)
            if chunk is not None:
                self._counts["id"] += 1
                return {chunk.chunk_id: passage.text or chunk.text}
            self._foreign_id = self._foreign_id or _describe_foreign_id(passage, self._corpus)
        parts = await _find_chunks(passage, self._corpus, self._documents_read)
        if parts:
            self._counts["text"] += 1
            return parts
        self._counts["none"] += 1
        unlocated_id = -self._counts["none"]
        document = await anyio.to_thread.run_sync(_named_document, passage, self._corpus)
        self._named_documents[unlocated_id] = document
        return {unlocated_id: passage.text or ""}

    def match(self) -> Matched:
        passages = [self._passage(id_, "\n".join(texts)) for id_, texts in self._texts.items()]
        return Matched(
            passages,
            self._returned,
            self._ranked,
            by_id=self._counts["id"],
            by_text=self._counts["text"],
            unmatched=self._counts["none"],
            foreign_id=self._foreign_id,
        )

    def _passage(self, chunk_id: int, text: str) -> Passage:
        if self._corpus is None or chunk_id < 0:
            return Passage(chunk_id, doc_id=self._named_documents.get(chunk_id, ""), text=text)
        chunk = self._corpus.chunk(chunk_id)
        is_whole = " ".join(text.split()) == " ".join(chunk.text.split())
        how: Literal["read", "summarized"] = "read" if is_whole else "summarized"
        return Passage(chunk_id, doc_id=chunk.doc_id, prefix=chunk.prefix, text=text, how=how)


def _chunk_of(passage: ReportedPassage, corpus: Corpus | None) -> Chunk | None:
    """Return the chunk of a passage's id; None if it does not contain the passage's text."""
    assert passage.chunk_id is not None
    text = " ".join((passage.text or "").split())
    if not text:
        return _get_chunk(corpus, passage.chunk_id)
    if corpus is None or not 0 <= passage.chunk_id < len(corpus):
        return None
    chunk = corpus.chunk(passage.chunk_id)
    return chunk if text in " ".join(chunk.text.split()) else None


def _describe_foreign_id(passage: ReportedPassage, corpus: Corpus | None) -> Note:
    """Describe how a passage differs from the chunk of its id."""
    found_by_text = "passages are found by their text"
    chunk_id = passage.chunk_id
    if corpus is None or chunk_id is None or not 0 <= chunk_id < len(corpus):
        text = f"names chunks that the corpus does not have (e.g. {chunk_id}); {found_by_text}"
        return Note("unknown_ids", text)
    chunk_text = " ".join(corpus.chunk(chunk_id).text.split())
    sentences = [" ".join(sentence.split()) for sentence in split_sentences(passage.text or "")]
    lacking = next((text for text in sentences if text not in chunk_text), passage.text or "")
    beginning = lacking[:_LONGEST_QUOTATION]
    example = f'chunk {chunk_id}: "{beginning}"'
    text = f"gives chunk ids whose chunks do not contain the given text (e.g. {example})"
    return Note("foreign_ids", f"{text}; {found_by_text}")


def _get_chunk(corpus: Corpus | None, chunk_id: int) -> Chunk:
    if corpus is None:
        raise TargetError(f"names chunk {chunk_id}, but the sample has no corpus")
    try:
        return corpus.chunk(chunk_id)
    except KeyError:
        raise TargetError(
            f"names chunk {chunk_id}; ids of this corpus go from 0 to {len(corpus) - 1}"
        ) from None


def _named_document(passage: ReportedPassage, corpus: Corpus | None) -> str:
    """Return the document of the corpus that a passage states; empty if it is not in the corpus."""
    if corpus is None or passage.doc_id is None:
        return ""
    names = DocumentNames(corpus.doc_ids)
    file_name = plain_name(passage.doc_id).rpartition("/")[2]
    matches = names.matches(passage.doc_id) or names.matches(file_name)
    return matches[0] if len(matches) == 1 else ""


async def _find_chunks(
    passage: ReportedPassage, corpus: Corpus | None, documents: Set[str]
) -> dict[int, str]:
    """Split a passage into the chunks in which its sentences occur.

    Return nothing if hardly any sentence occurs in a chunk.

    Args:
        passage: A passage with a text.
        corpus: Corpus to search.
        documents: Documents that were read before.
    """
    text = passage.text or ""
    if corpus is None:
        return {}
    sentences = split_sentences(text)
    words = {word for word in text.lower().split() if len(word) >= _LONG_WORD}
    named_document = corpus.filter(doc_ids=[passage.doc_id] if passage.doc_id else None)
    for allowed in dict.fromkeys((named_document, EVERYTHING)):
        hits = await corpus.keyword_search([*sentences, *sorted(words)], _CANDIDATES, allowed)
        chunks = [corpus.chunk(hit.chunk_id) for hit in hits]
        parts = await anyio.to_thread.run_sync(_split_by_chunk, text, chunks, documents)
        if parts:
            return parts
    return {}


def _sort_by_likelihood(
    sentences: Sequence[str], chunks: Sequence[Chunk], documents: Set[str]
) -> list[Chunk]:
    """Sort chunks by how much of a passage their document contains verbatim.

    Ties go to documents that were read before, then to chunks that contain the most.
    """
    normalized_sentences = [" ".join(sentence.split()) for sentence in sentences]
    held_by_chunk: dict[int, set[str]] = {}
    held_by_document: dict[str, set[str]] = defaultdict(set)
    for chunk in chunks:
        chunk_text = " ".join(chunk.text.split())
        sentences_held = {sentence for sentence in normalized_sentences if sentence in chunk_text}
        held_by_chunk[chunk.chunk_id] = sentences_held
        held_by_document[chunk.doc_id] |= sentences_held

    def likelihood(chunk: Chunk) -> tuple[int, bool, int]:
        length_in_document = _total_length(held_by_document[chunk.doc_id])
        length_in_chunk = _total_length(held_by_chunk[chunk.chunk_id])
        return length_in_document, chunk.doc_id in documents, length_in_chunk

    return sorted(chunks, key=likelihood, reverse=True)


def _total_length(texts: Set[str]) -> int:
    return sum(map(len, texts))


def _with_rows(text: str, chunks: Sequence[Chunk]) -> str:
    """Return a passage with a line for each row of a table in some chunks.

    A splitter that joins lines by blanks makes one line of a table, which no single chunk has.
    """
    breaks: set[int] = set()
    words_of_text = " ".join(text.split())
    rows = dict.fromkeys(chain.from_iterable(_rows(chunk.text) for chunk in chunks))
    for row in (row for row in rows if row in words_of_text):
        words = r"\s+".join(map(re.escape, row.split()))
        for match in re.finditer(rf"(?<!\S)(?:\|\s+)?{words}(?:\s+\|(?=\s+\||\s*$))?(?!\S)", text):
            breaks.update((match.start() - 1, match.end()))
    characters = ["\n" if index in breaks else sign for index, sign in enumerate(text)]
    return "".join(characters)


def _rows(text: str) -> Iterator[str]:
    """Yield the rows of a text's tables with single spaces, without borders at their ends."""
    for line in text.splitlines():
        row = " ".join(line.strip().strip("|").split())
        if "|" in row and any(map(str.isalnum, row)):
            yield row


def _split_by_chunk(text: str, chunks: Sequence[Chunk], documents: Set[str]) -> dict[int, str]:
    """Split a passage into the chunks in which its sentences and rows occur."""
    text = _with_rows(text, chunks)
    sentences = split_sentences(text)
    chunks = _sort_by_likelihood(sentences, chunks, documents)
    alignments = [align(sentence, chunks) for sentence in sentences]
    chunk_ids = [alignment.chunk_id for alignment in alignments]
    covered_characters = Counter[int]()
    for alignment in alignments:
        if alignment.chunk_id is not None:
            covered_characters[alignment.chunk_id] += len(alignment.sentence)
    lengths = {chunk.chunk_id: min(len(text), len(chunk.text)) for chunk in chunks}
    characters_read = {
        chunk_id: count
        for chunk_id, count in covered_characters.items()
        if count >= _LEAST_SHARE * lengths[chunk_id]
    }
    if not characters_read:
        return {}
    fullest_chunk_id = max(characters_read, key=lambda chunk_id: characters_read[chunk_id])
    chunk_ids_read = characters_read.keys() | _neighbours(characters_read, alignments, chunks)
    parts: dict[int, str] = defaultdict(str)
    starts = [span.start for span in find_sentences(text)]
    for start, end, chunk_id in zip(starts, [*starts[1:], None], chunk_ids, strict=True):
        # sentences found elsewhere go to the fullest part
        part_id = chunk_id if chunk_id in chunk_ids_read else fullest_chunk_id
        parts[part_id] += text[start:end]  # with the line breaks of tables
    return {chunk_id: part.strip() for chunk_id, part in parts.items()}


def _neighbours(
    chunk_ids: Collection[int], alignments: Sequence[Alignment], chunks: Sequence[Chunk]
) -> set[int]:
    """Return neighbours of chunks, in the same document, that state a sentence and its figures."""
    by_id = {chunk.chunk_id: chunk for chunk in chunks}
    neighbours = set()
    for sentence, chunk_id in ((item.sentence, item.chunk_id) for item in alignments):
        if chunk_id is None or len(sentence.split()) < _LEAST_WORDS:
            continue
        chunk = by_id[chunk_id]
        adjacent_ids = {chunk_id - 1, chunk_id + 1}.intersection(chunk_ids)
        is_adjacent = any(by_id[adjacent].doc_id == chunk.doc_id for adjacent in adjacent_ids)
        if is_adjacent and figures_agree(sentence, chunk.text):
            neighbours.add(chunk_id)
    return neighbours
