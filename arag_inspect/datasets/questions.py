"""Question sets: documents, questions about them, and where the evidence for an answer stands."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..corpus import Alignment, Chunk, Document, Extras, Source, align, split_sentences
from .calls import ALIGNMENT, GOLD, SAMPLES

_SHORTEST = 25
"""Characters; a shorter line or sentence of an evidence text does not tell where it stands."""

_ENOUGH = 0.5
"""Share of an evidence text that has to be found in parts."""

_NEARBY = 48
"""Most chunks that are searched for an evidence text: those that share most words with it."""

_WORD = re.compile(r"\w{3,}")


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its gold answer and what that rests on."""

    question_id: str
    text: str
    """What is asked of the system, the name of the document included where the question needs it."""

    answers: tuple[str, ...]
    """Gold answers, any of which is right; empty where there is none."""

    doc_ids: tuple[str, ...] = ()
    """Documents that the question is about; empty for the whole corpus."""

    evidence: tuple[str, ...] = ()
    """Passages of the documents that the answer rests on."""

    gold: tuple[int, ...] | None = None
    """Chunks that hold the evidence, where the source names them."""

    question_type: str | None = None
    company: str = ""
    period: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Further metadata of the sample."""


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """What a data set's source files hold."""

    documents: Iterable[Document]
    """Read once, in order."""

    questions: Sequence[Question]
    source: Source
    counts: Mapping[str, int] = field(default_factory=dict)
    """What else to count in the manifest."""

    total: int | None = None
    """Number of documents, where it is known."""


def annotate(found: QuestionSet, chunks: Sequence[Chunk], source: str, corpus: str) -> Extras:
    """Make the samples of a question set, with the chunks that hold their evidence.

    Args:
        found: The set; one sample a question.
        chunks: The whole corpus.
        source: Name of the data set.
        corpus: Name of the prepared folder.

    Returns:
        `samples.jsonl`, `gold_chunk_map.json` and `alignment.json`, and what to count.
    """
    locator = _Locator(chunks)
    places = {
        one.question_id: [locator.locate(text, one.doc_ids) for text in one.evidence]
        for one in found.questions
    }
    gold = {one.question_id: _gold(one, places[one.question_id]) for one in found.questions}
    lines = [_sample(one, gold[one.question_id], source, corpus) for one in found.questions]
    alignment = {
        name: [one.model_dump() for text in texts for one in text] for name, texts in places.items()
    }
    return Extras(
        files={
            SAMPLES: "".join(f"{line}\n" for line in lines),
            GOLD: json.dumps(gold, indent=1) + "\n",
            ALIGNMENT: json.dumps(alignment, indent=1, ensure_ascii=False) + "\n",
        },
        counts={**found.counts, "samples": len(lines), **_count(found.questions, places)},
    )


class _Locator:
    """Finds texts in the chunks of a corpus."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        self._of_document: dict[str, list[Chunk]] = {}
        for chunk in chunks:
            self._of_document.setdefault(chunk.doc_id, []).append(chunk)
        self._words: dict[int, frozenset[str]] = {}

    def locate(self, evidence: str, doc_ids: Sequence[str]) -> list[Alignment]:
        """Find an evidence text: as a whole, else its sentences in as few chunks as hold them.

        Returns:
            One alignment of the whole, found or not; or one for each part that was found.
        """
        chunks = [chunk for name in doc_ids for chunk in self._of_document.get(name, ())]
        nearby = self._nearby(evidence, chunks if doc_ids else self._chunks)
        whole = align(evidence, nearby)
        if whole.match != "none":
            return [whole]
        parts = _parts(evidence)
        found = _cover(parts, nearby)
        enough = sum(map(len, found)) >= _ENOUGH * sum(map(len, parts))
        if not found or not enough:
            return [whole]
        return [
            Alignment(sentence=part, chunk_id=chunk_id, match="exact", distance=0)
            for part, chunk_id in found.items()
        ]

    def _nearby(self, text: str, chunks: Sequence[Chunk]) -> Sequence[Chunk]:
        """The chunks that share most words with a text, in reading order."""
        if len(chunks) <= _NEARBY:
            return chunks
        words = _words(text)
        ranked = sorted(chunks, key=lambda chunk: -len(words & self._words_of(chunk)))
        return sorted(ranked[:_NEARBY], key=lambda chunk: chunk.chunk_id)

    def _words_of(self, chunk: Chunk) -> frozenset[str]:
        if chunk.chunk_id not in self._words:
            self._words[chunk.chunk_id] = _words(chunk.text)
        return self._words[chunk.chunk_id]


def _cover(parts: Sequence[str], chunks: Sequence[Chunk]) -> dict[str, int]:
    """Choose chunk after chunk, the one that holds most of what is left, until none holds any."""
    texts = {chunk.chunk_id: _plain(chunk.text) for chunk in chunks}
    found: dict[str, int] = {}
    left = list(dict.fromkeys(parts))
    while left and texts:
        held = {place: [part for part in left if part in text] for place, text in texts.items()}
        best = max(held, key=lambda place: sum(map(len, held[place])))
        if not held[best]:
            break
        found |= dict.fromkeys(held[best], best)
        left = [part for part in left if part not in found]
    return found


def _parts(text: str) -> list[str]:
    pieces = [_plain(text[start:end]) for start, end in split_sentences(text)]
    return [piece for piece in pieces if len(piece) >= _SHORTEST]


def _plain(text: str) -> str:
    return " ".join(text.split())


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _gold(question: Question, places: Sequence[Sequence[Alignment]]) -> list[int]:
    if question.gold is not None:
        return sorted(set(question.gold))
    every = [one.chunk_id for found in places for one in found]
    return sorted({chunk_id for chunk_id in every if chunk_id is not None})


def _count(
    questions: Sequence[Question], places: Mapping[str, Sequence[Sequence[Alignment]]]
) -> dict[str, int]:
    kinds = Counter(
        found[0].match if found[0].sentence == text else "parts"
        for one in questions
        for text, found in zip(one.evidence, places[one.question_id], strict=True)
    )
    return {
        "evidence": kinds.total(),
        "aligned_exact": kinds["exact"],
        "aligned_fuzzy": kinds["fuzzy"],
        "aligned_in_parts": kinds["parts"],
        "unaligned": kinds["none"],
        "samples_without_evidence": sum(not one.evidence for one in questions),
    }


def _sample(question: Question, gold: list[int], source: str, corpus: str) -> str:
    answers = question.answers
    return json.dumps(
        {
            "id": question.question_id,
            "input": question.text,
            "target": answers[0] if len(answers) == 1 else list(answers) or "",
            "metadata": {
                "source": source,
                "corpus": corpus,
                "doc_ids": list(question.doc_ids),
                "company": question.company,
                "period": question.period,
                "style": "qa",
                "question_type": question.question_type,
                "gold_chunk_ids": gold,
                "evidence": list(question.evidence),
                **question.more,
            },
        },
        ensure_ascii=False,
    )
