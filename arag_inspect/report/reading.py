"""Facts behind an answer that a system found and read."""

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any

from ..corpus.evidence import EvidenceText
from ..figures import match_claim, match_fact, read_statement, read_statements
from ..text.content_words import content_words
from ..text.sentences import sentences
from ..types.evidence_read import are_parts, evidence_read, text_of
from ..types.sample import SampleFact
from ..types.score_metadata import ScoreMetadata
from ..types.trace import Passage
from .rows import AnswerRow
from .study import Study

ANSWER = "answer"
"""Id of a reference answer that counts as one fact."""

MOST_WORDS = 0.6
"""Share of a sentence's content words that a text must have to contain the sentence."""

_STATED_SHARE = 0.5
"""Share of a fact's figures or words that a sentence must have to state it."""


class Reading:
    """Facts found and read for one answer.

    Args:
        answer: A row of the frame of answers.
    """

    def __init__(self, answer: AnswerRow) -> None:
        self._answer = answer
        self._passages: Sequence[Passage] = answer.passages
        self._are_parts = are_parts(answer.passages)
        self._ids_read = {passage.chunk_id for passage in answer.passages}
        self._ids_searched = set(
            chain.from_iterable(search.chunk_ids for search in answer.searches)
        )

    @property
    def is_empty(self) -> bool:
        """Whether nothing was found or read."""
        return not (self._ids_read or self._ids_searched)

    def chunks_of(self, fact: SampleFact) -> tuple[int, ...]:
        """Return the chunks that hold a fact; of a reference answer, all gold chunks."""
        gold: tuple[int, ...] = self._answer.gold.chunk_ids
        return gold if fact.id == ANSWER else fact.holders

    def has_found(self, fact: SampleFact) -> bool:
        """Return whether the chunks that hold a fact were found.

        A chunk of which only a part was read does not count: the text of the part shows whether it
        has the fact.
        """
        if self._are_parts:
            return self._has_chunks(fact, self._ids_searched - self._ids_read)
        return self._has_chunks(fact, self._ids_searched | self._ids_read)

    def has_read(self, fact: SampleFact) -> bool:
        """Return whether the passages read contain a fact, in its chunks or elsewhere."""
        if fact.id == ANSWER:
            return bool(self.has_read_evidence())
        if self._are_parts:
            has_sentence = self._text.holds(fact.sentence or fact.text)
        else:
            has_sentence = self._has_chunks(fact, self._ids_read) and self._has_words(fact)
        texts = [passage.text_below_table_head for passage in self._passages_of_documents]
        return has_sentence or states(texts, fact)

    def has_read_evidence(self) -> bool | None:
        """Return whether all of the sample's evidence was read; None if some of it was."""
        answer = self._answer
        reading = evidence_read(answer.gold, answer.evidence, answer.passages)
        if 0 < reading.number_read < reading.total:
            return None
        return reading.total > 0 and not reading.missed

    def _has_chunks(self, fact: SampleFact, chunk_ids: set[int]) -> bool:
        """Return whether all chunks that hold a fact, or copies of them, are among some."""
        holders = self._holders(fact)
        return bool(holders) and all(holder & chunk_ids for holder in holders)

    def _holders(self, fact: SampleFact) -> list[frozenset[int]]:
        """Return the chunks that hold a fact, each with its copies: one copy of each is needed."""
        copies = self._answer.gold.copies
        return [frozenset((chunk, *copies.get(chunk, ()))) for chunk in self.chunks_of(fact)]

    def _has_words(self, fact: SampleFact) -> bool:
        """Return whether the chunks that hold a fact have most of its words, or no known text."""
        chunk_ids = frozenset[int]().union(*self._holders(fact))
        texts = [passage.text for passage in self._passages if passage.chunk_id in chunk_ids]
        if not any(texts):
            return True
        words = content_words((fact.sentence or fact.text).lower())
        common_words = words & content_words(" ".join(texts).lower())
        return len(common_words) >= MOST_WORDS * len(words)

    @cached_property
    def _text(self) -> EvidenceText:
        """The text of the passages from the sample's documents."""
        return text_of(self._passages_of_documents)

    @cached_property
    def _passages_of_documents(self) -> list[Passage]:
        """The passages not known to be from other documents than the sample's."""
        doc_ids = self._answer.doc_ids
        return [
            passage
            for passage in self._passages
            if not (passage.doc_id and doc_ids) or passage.doc_id in doc_ids
        ]


def states(texts: Sequence[str], fact: SampleFact) -> bool:
    """Return whether any of some texts states a fact in other words."""
    statement = statement_of(fact.text)
    if not statement.figures:
        min_shared_words = max(_STATED_SHARE * len(statement.words), 1)
        sentences_read = chain.from_iterable(map(sentences_with_words, texts))
        return any(len(statement.words & words) >= min_shared_words for _, words in sentences_read)
    # either of the two may be the more precise one
    others = list(chain.from_iterable(map(statements_in, texts)))
    return any(
        match(statement, others).share >= _STATED_SHARE for match in (match_fact, match_claim)
    )


def locate_fact(
    fact: SampleFact, answer: AnswerRow, texts: Mapping[int, str], *, is_in_gold: bool
) -> SampleFact:
    """Return a fact with the chunks that contain it, the first of them as `chunk_id` if known.

    Args:
        fact: Fact whose chunk is not known.
        answer: A row of the frame of answers.
        texts: Texts of the chunks that any system read, by chunk.
        is_in_gold: Whether the gold chunks count if the fact is in none of them that is known.
    """
    if fact.id == ANSWER:
        return fact.model_copy(update={"chunk_ids": answer.gold.chunk_ids if is_in_gold else ()})
    chunk_ids = _gold_chunks_of(fact, answer, texts)
    is_exact = len(chunk_ids) == 1 or bool(chunk_ids and answer.gold.of_evidence)
    if is_in_gold:
        chunk_ids = chunk_ids or answer.gold.chunk_ids
    first = chunk_ids[0] if is_exact else None
    return fact.model_copy(update={"chunk_ids": chunk_ids, "chunk_id": first})


def _gold_chunks_of(
    fact: SampleFact, answer: AnswerRow, texts: Mapping[int, str]
) -> tuple[int, ...]:
    """Return the gold chunks that contain a fact; empty if unknown.

    They are the chunks of the piece of evidence with the fact, if these are known. Otherwise, if no
    gold chunk whose text is known holds a fact of the evidence, those that no system read do.

    Args:
        fact: Fact whose chunk is not known.
        answer: A row of the frame of answers.
        texts: Texts of the chunks that any system read, by chunk.
    """
    sentence = letters_of(fact.sentence or fact.text)
    gold = answer.gold.chunk_ids
    if answer.gold.of_evidence:
        return _chunks_of_evidence(fact, answer)
    if not (sentence and sentence in letters_of("\n".join(answer.evidence))):
        return tuple(chunk for chunk in gold if states([texts.get(chunk, "")], fact))[:1]
    for chunk_id in gold:
        if sentence in letters_of(texts.get(chunk_id, "")):
            return (chunk_id,)
    return tuple(chunk_id for chunk_id in gold if not texts.get(chunk_id))


def _chunks_of_evidence(fact: SampleFact, answer: AnswerRow) -> tuple[int, ...]:
    """Return the chunks of the piece of evidence that states a fact, in its words or in others."""
    words = statement_of(fact.text).words
    sentence = letters_of(fact.sentence or fact.text)
    nearest: tuple[int, ...] = ()
    most_words = 0
    for piece, chunk_ids in zip(answer.evidence, answer.gold.of_evidence, strict=True):
        if sentence and sentence in letters_of(piece):
            return chunk_ids
        common_words = len(words & content_words(piece.lower()))
        if common_words > most_words and states([piece], fact):
            nearest, most_words = chunk_ids, common_words
    return nearest


@lru_cache(maxsize=4096)
def letters_of(text: str) -> str:
    """Return the letters and digits of a text in lower case."""
    return "".join(filter(str.isalnum, text.lower()))


def reads_parts(study: Study, system: str) -> bool:
    """Return whether any passages that a system read may be parts of chunks, with known texts."""
    answers = study.finished[study.finished["system"] == system]
    return any(map(are_parts, answers["passages"]))


@lru_cache(maxsize=4096)
def sentences_with_words(text: str) -> list[tuple[str, frozenset[str]]]:
    """Return the sentences of a passage with their content words."""
    return [(sentence, content_words(sentence.lower())) for sentence in sentences(text)]


statement_of = lru_cache(maxsize=16_384)(read_statement)
statements_in = lru_cache(maxsize=4096)(read_statements)


def parts_of(details: ScoreMetadata) -> list[dict[str, Any]]:
    """Return the distinct sections and topics of an answer: kind, name, drawn (used), read."""
    parts: dict[tuple[str, str], dict[str, Any]] = {}
    for kind, records in {"section": details.sections, "topic": details.topics}.items():
        for record in records:
            new_part = {"kind": kind, "name": record.name, "drawn": False, "read": False}
            part = parts.setdefault((kind, record.name), new_part)
            part["drawn"] |= record.is_used
            part["read"] |= record.is_read
    return list(parts.values())
