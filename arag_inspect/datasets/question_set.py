"""Question sets: documents, questions about them, and where the evidence for an answer stands."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappush, heappushpop
from itertools import islice
from typing import Any, NamedTuple

from ..corpus import Chunk, Document, Extras, Source, align
from ..corpus.evidence import Evidence, EvidenceAlignment, align_evidence, figures_agree
from .earnings_calls import ALIGNMENT, GOLD, SAMPLES

_SHORT = 40
"""Characters; a shorter evidence text is looked for with its signs, because "4.2" is not "42"."""

_NEARBY = 12
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


def annotate(
    found: QuestionSet, chunks: Mapping[str, Sequence[Chunk]], source: str, corpus: str
) -> Extras:
    """Make the samples of a question set, with the chunks that hold their evidence.

    Args:
        found: The set; one sample a question.
        chunks: Those of each document.
        source: Name of the data set.
        corpus: Name of the prepared folder.

    Returns:
        `samples.jsonl`, `gold_chunk_map.json` and `alignment.json`, and what to count.
    """
    texts = [_Wanted(text, one.doc_ids) for one in found.questions for text in one.evidence]
    located = iter(_locate(texts, chunks))
    places = {one.question_id: list(islice(located, len(one.evidence))) for one in found.questions}
    gold = {one.question_id: _gold(one, places[one.question_id]) for one in found.questions}
    lines = [_sample(one, gold[one.question_id], source, corpus) for one in found.questions]
    alignment = {name: [one.model_dump() for one in texts] for name, texts in places.items()}
    return Extras(
        files={
            SAMPLES: "".join(f"{line}\n" for line in lines),
            GOLD: json.dumps(gold, indent=1) + "\n",
            ALIGNMENT: json.dumps(alignment, indent=1, ensure_ascii=False) + "\n",
        },
        counts={**found.counts, "samples": len(lines), **_count(places.values())},
    )


class _Wanted(NamedTuple):
    """An evidence text and where it should stand."""

    text: str
    doc_ids: Sequence[str]
    """Documents; empty for any."""


def _locate(
    texts: Sequence[_Wanted], chunks: Mapping[str, Sequence[Chunk]]
) -> Iterator[EvidenceAlignment]:
    """Find evidence texts in the chunks that share most words with each."""
    for wanted, nearby in zip(texts, _nearby(texts, chunks), strict=True):
        doc_id = wanted.doc_ids[0] if len(wanted.doc_ids) == 1 else ""
        if len(wanted.text) >= _SHORT:
            yield align_evidence(Evidence(wanted.text, doc_id, None), nearby)
            continue
        found = align(wanted.text, nearby)
        held = [chunk for chunk in nearby if chunk.chunk_id == found.chunk_id]
        right = all(figures_agree(wanted.text, chunk.text) for chunk in held)
        yield EvidenceAlignment(
            sentence=wanted.text,
            doc_id=doc_id,
            page=None,
            chunk_ids=tuple(chunk.chunk_id for chunk in held) if right else (),
            match=found.match if right else "none",
        )


def _nearby(
    texts: Sequence[_Wanted], chunks: Mapping[str, Sequence[Chunk]]
) -> Iterator[list[Chunk]]:
    """The chunks that share most words with each text, in reading order; every document is read once."""
    words = [_words(wanted.text) for wanted in texts]
    anywhere = [place for place, wanted in enumerate(texts) if not wanted.doc_ids]
    within: dict[str, list[int]] = {}
    for place, wanted in enumerate(texts):
        for doc_id in dict.fromkeys(wanted.doc_ids):
            within.setdefault(doc_id, []).append(place)
    best: list[list[tuple[int, int, Chunk]]] = [[] for _ in texts]
    for doc_id in (name for name in chunks if anywhere or name in within):
        for chunk in chunks[doc_id]:
            held = _words(chunk.text)
            for place in (*anywhere, *within.get(doc_id, ())):
                ranked = len(words[place] & held), -chunk.chunk_id, chunk
                if len(best[place]) < _NEARBY:
                    heappush(best[place], ranked)
                else:
                    heappushpop(best[place], ranked)
    for found in best:
        yield sorted((chunk for _, _, chunk in found), key=lambda chunk: chunk.chunk_id)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _gold(question: Question, places: Sequence[EvidenceAlignment]) -> list[int]:
    if question.gold is not None:
        return sorted(set(question.gold))
    return sorted({chunk_id for found in places for chunk_id in found.chunk_ids})


def _count(places: Iterable[Sequence[EvidenceAlignment]]) -> dict[str, int]:
    questions = list(places)
    kinds = Counter(found.match for texts in questions for found in texts)
    return {
        "evidence": kinds.total(),
        "aligned_exact": kinds["exact"],
        "aligned_fuzzy": kinds["fuzzy"],
        "unaligned": kinds["none"],
        "samples_without_evidence": sum(not texts for texts in questions),
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
        default=str,  # dates and decimals of Parquet
    )
