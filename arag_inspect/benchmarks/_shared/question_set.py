"""Question sets: documents, questions about them, and the chunks that hold the evidence."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Self

from ...benchmark.prepared_files import count_alignments, sample_files, sample_record
from ...benchmark.rows import SourceRow
from ...corpus import Alignment, Chunk, Document, Extras, Section, Source, align
from ...corpus.documents.text import Skipped
from ...corpus.evidence import Evidence, align_evidence, figures_agree
from ...measures.answer_match import PARTS
from ...types.sample import SampleMetadata
from .document_names import DocumentNames
from .gold_pages import is_on_page, locate_pages
from .other_tools.record import Record
from .other_tools.records import read_records
from .other_tools.values import texts_of

_SHORT = 40
"""Characters; shorter evidence is compared with its punctuation: "4.2" is not "42"."""

_WORDS = 4
"""Fewest words of an evidence text whose copies are looked for: "4.2" occurs in many places."""

_NEARBY = 12
"""Most chunks searched for an evidence text: those that share most words with it."""

_WORD = re.compile(r"\w{3,}")


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its gold answer and evidence."""

    question_id: str
    text: str
    """The question, with the name of the document if it needs one."""

    answers: tuple[str, ...]
    """Accepted answers; empty if the source has none."""

    doc_ids: tuple[str, ...] = ()
    """Documents that the question is about; empty means the whole corpus."""

    evidence: tuple[str, ...] = ()
    """Passages of the documents that support the answer."""

    pages: tuple[int, ...] = ()
    """Pages with the evidence, from 1, of the one document that the question is about."""

    question_type: str | None = None
    company: str = ""
    period: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Further metadata of the sample."""


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Documents of a split and the questions about them, one sample each."""

    documents: Iterable[Document]
    questions: Sequence[Question]
    source: Source
    split: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Further counts for the manifest."""

    skipped: Sequence[Skipped] = ()

    @classmethod
    def read(
        cls,
        rows: Iterable[SourceRow],
        read: Callable[[SourceRow, dict[str, Document]], Question],
        limit: int | None,
        source: Source,
        split: str,
    ) -> Self:
        """Read questions row by row; of those with one id the first counts.

        Args:
            rows: Rows of the source.
            read: Reads a row, and adds its documents to those by id.
            limit: Only so many questions, from the first.
            source: Origin of the rows.
            split: Split of the data set.
        """
        documents: dict[str, Document] = {}
        questions: dict[str, Question] = {}
        repeated = 0
        for row in rows:
            if len(questions) == limit:
                break
            question = read(row, documents)
            repeated += question.question_id in questions
            questions.setdefault(question.question_id, question)
        items = tuple(questions.values())
        counts = {
            "repeated_questions": repeated,
            "samples_without_answer": sum(not item.answers for item in items),
        }
        nonzero = {name: count for name, count in counts.items() if count}
        return cls(documents.values(), items, source, split, nonzero)

    def annotate(self, chunks: Mapping[str, Sequence[Chunk]], dataset: str, corpus: str) -> Extras:
        """Make the samples, with the chunks that hold their evidence."""
        passages = [
            _Passage(text, item.doc_ids, item.pages)
            for item in self.questions
            for text in item.evidence
        ]
        located = (
            (alignment := _align(passage, nearby), list(_copies(passage, alignment, nearby)))
            for passage, nearby in zip(passages, _nearby(passages, chunks), strict=True)
        )
        alignments: dict[str, list[Alignment]] = {}
        samples = []
        unknown_pages = 0
        for item in self.questions:
            pairs = list(islice(located, len(item.evidence)))
            alignments[item.question_id] = [alignment for alignment, _ in pairs]
            gold = {chunk_id for alignment, _ in pairs for chunk_id in alignment.chunk_ids}
            about = {"source": dataset, "corpus": corpus, "gold_chunk_ids": sorted(gold)}
            located_pages = locate_pages(item.pages, item.doc_ids, chunks, gold)
            if located_pages:
                about["gold_pages"] = [page.model_dump() for page in located_pages]
            unknown_pages += len(item.pages) - len(located_pages)
            samples.append(_sample(item, _by_chunk(pairs), about))
        return Extras(
            files=sample_files(samples, alignments),
            counts={
                **self.counts,
                "samples": len(samples),
                "evidence": sum(map(len, alignments.values())),
                **count_alignments(alignments),
                "samples_without_evidence": sum(not items for items in alignments.values()),
                **({"pages_not_located": unknown_pages} if unknown_pages else {}),
            },
        )


def add_text(documents: dict[str, Document], doc_id: str, text: str) -> str:
    """Add a text as a document of one part, if its id is new; return the id."""
    section = Section(title="", text=text, prefix="")
    documents.setdefault(doc_id, Document(doc_id, "", "", (section,)))
    return doc_id


class _Passage(NamedTuple):
    """An evidence text and the documents to search."""

    text: str
    doc_ids: Sequence[str]
    """Documents; empty means all."""

    pages: Sequence[int]
    """Pages of the documents, from 1, on which it is; empty if not known."""

    def on_its_pages(self, chunks: Sequence[Chunk]) -> list[Chunk]:
        """Return the chunks with text of its pages, if its document is known."""
        pages = self.pages if len(self.doc_ids) == 1 else ()
        return [chunk for chunk in chunks if any(is_on_page(chunk, page) for page in pages)]


def _align(passage: _Passage, nearby: Sequence[Chunk]) -> Alignment:
    """Find the chunks that hold a passage: on its pages, else anywhere in its documents."""
    on_its_pages = passage.on_its_pages(nearby)
    if on_its_pages:
        alignment = _align_among(passage, on_its_pages)
        if alignment.chunk_ids:
            return alignment
    return _align_among(passage, nearby)


def _align_among(passage: _Passage, nearby: Sequence[Chunk]) -> Alignment:
    doc_id = passage.doc_ids[0] if len(passage.doc_ids) == 1 else ""
    if len(passage.text) >= _SHORT:
        return align_evidence(Evidence(passage.text, doc_id, None), nearby)
    alignment = align(passage.text, nearby)
    if alignment.match == "none" and len(passage.text.split()) >= _WORDS:  # a row of a table
        return align_evidence(Evidence(passage.text, doc_id, None), nearby)
    matches = [chunk for chunk in nearby if chunk.chunk_id in alignment.chunk_ids]
    if all(figures_agree(passage.text, chunk.text) for chunk in matches):
        return alignment.model_copy(update={"doc_id": doc_id})
    return Alignment(sentence=passage.text, doc_id=doc_id)


def _copies(
    passage: _Passage, alignment: Alignment, nearby: Sequence[Chunk]
) -> Iterator[tuple[int, ...]]:
    """Yield the chunks of each further place where an evidence text occurs verbatim."""
    seen = {*alignment.chunk_ids}
    if not seen or len(passage.text.split()) < _WORDS:
        return
    for doc_id in dict.fromkeys(chunk.doc_id for chunk in nearby):
        while rest := [c for c in nearby if c.doc_id == doc_id and c.chunk_id not in seen]:
            copy = _align(passage, rest)
            if copy.match != "exact":
                break
            seen.update(copy.chunk_ids)
            yield copy.chunk_ids


def _by_chunk(
    located: Iterable[tuple[Alignment, Sequence[tuple[int, ...]]]],
) -> dict[int, tuple[int, ...]]:
    """Return the copies of each gold chunk; where a copy is cut otherwise, all of its chunks."""
    copies: dict[int, list[int]] = {}
    for alignment, copy_groups in located:
        for copy_ids in copy_groups:
            same = len(copy_ids) == len(alignment.chunk_ids)
            for index, chunk_id in enumerate(alignment.chunk_ids):
                copies.setdefault(chunk_id, []).extend(
                    copy_ids[index : index + 1] if same else copy_ids
                )
    return {chunk_id: tuple(dict.fromkeys(ids)) for chunk_id, ids in copies.items()}


def _nearby(
    passages: Sequence[_Passage], chunks: Mapping[str, Sequence[Chunk]]
) -> Iterator[list[Chunk]]:
    """Yield the chunks that share most words with each text; read each document once."""
    words = [_words(passage.text) for passage in passages]
    anywhere = [index for index, passage in enumerate(passages) if not passage.doc_ids]
    within: dict[str, list[int]] = {}
    for index, passage in enumerate(passages):
        for doc_id in set(passage.doc_ids):
            within.setdefault(doc_id, []).append(index)
    best: list[list[tuple[int, int, Chunk]]] = [[] for _ in passages]
    for doc_id in (name for name in chunks if anywhere or name in within):
        worded = [(chunk, _words(chunk.text)) for chunk in chunks[doc_id]]
        for index in (*anywhere, *within.get(doc_id, ())):
            entries = [
                (len(words[index] & terms), -chunk.chunk_id, chunk) for chunk, terms in worded
            ]
            best[index] = nlargest(_NEARBY, best[index] + entries)
    for nearest in best:
        yield sorted((chunk for _, _, chunk in nearest), key=lambda chunk: chunk.chunk_id)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _sample(
    question: Question, copies: Mapping[int, Sequence[int]], about: Mapping[str, Any]
) -> dict[str, Any]:
    answers = question.answers
    metadata = {
        **about,
        "doc_ids": list(question.doc_ids),
        "company": question.company,
        "period": question.period,
        "style": "qa",
        "question_type": question.question_type,
        "evidence": list(question.evidence),
        **question.more,
    }
    if copies:
        metadata["gold_copies"] = {str(key): list(ids) for key, ids in copies.items()}
    target = answers[0] if len(answers) == 1 else list(answers) or ""
    return sample_record(question.question_id, question.text, target, **metadata)


_RESERVED = {*SampleMetadata.model_fields, "document", "gold"} - {"company", "period", "group"}
"""Keys of a sample's metadata that mean something here: a column of this name gets another."""


def read_question_file(
    path: Path, documents: Sequence[str] | None = None, *, columns: str = "", split: str = ""
) -> tuple[list[Question], list[Skipped]]:
    """Read a file of questions in the form of any tool with known names.

    Args:
        path: JSON, JSON Lines, CSV, TSV or Parquet.
        documents: Documents that a question may name; None ignores the documents it names.
        columns: Columns of roles, e.g. `question=Frage,reference=Soll`.
        split: Only questions of this split; empty for all.

    Returns:
        The questions, and what of the file was not used.

    Raises:
        InputError: No column holds the question, an id occurs twice, or a document is unknown.
    """
    names = None if documents is None else DocumentNames(documents)
    records = read_records(path, use="questions", columns=columns, split=split)
    notes = [Skipped(path.name, note, partly=True) for note in records.notes]
    return [_question(record, names) for record in records.items], notes


def sample_metadata_of(record: Record) -> dict[str, Any]:
    """Return the further columns of a record as metadata of its sample."""
    more = {
        f"question_{name}" if name in _RESERVED else name: value
        for name, value in record.metadata.items()
    }
    parts = {PARTS: list(texts_of(more[PARTS]))} if PARTS in more else {}
    return {**more, **parts, **({"group": record.group} if record.group else {})}


def _question(record: Record, names: DocumentNames | None) -> Question:
    named = [part for text in record.documents for part in names.split(text)] if names else []
    more = sample_metadata_of(record)
    return Question(
        question_id=record.record_id,
        text=record.question,
        answers=record.references or tuple(filter(None, ["; ".join(more.get(PARTS, ()))])),
        doc_ids=tuple(
            dict.fromkeys(names.find(name, record.row) for name in named if names and name.strip())
        ),
        evidence=record.evidence,
        pages=record.pages,
        question_type=record.question_type or None,
        more=more,
    )
