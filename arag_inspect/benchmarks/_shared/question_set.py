"""Question sets: documents and questions about them, as samples of a prepared corpus."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Self

from arag_inspect.benchmark.prepared_files import (
    GAPS,
    PAGES,
    aligned_chunks,
    count_alignments,
    json_text,
    sample_files,
    sample_record,
)
from arag_inspect.benchmark.rows import SourceRow
from arag_inspect.corpus import Alignment, Chunk, Document, Extras, Section, Source
from arag_inspect.corpus.documents.text import Skipped
from arag_inspect.types.sample import UNANSWERABLE, GoldPage

from .evidence_places import (
    QuestionEvidence,
    align_passage,
    copies_by_chunk,
    find_copies,
    nearby_chunks,
)
from .gold_pages import locate_pages, main_pages


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its gold answer and evidence."""

    question_id: str
    text: str
    """The question, with the name of the document if it needs one."""

    answers: tuple[str, ...]
    """Accepted answers; empty if missing."""

    doc_ids: tuple[str, ...] = ()
    """Documents that the question is about; empty means the whole corpus."""

    evidence: tuple[str, ...] = ()
    """Passages of the documents that support the answer."""

    pages: tuple[int, ...] = ()
    """Pages with the evidence, from 1, in the single document of the question."""

    question_type: str | None = None
    company: str = ""
    period: str = ""
    extra_metadata: Mapping[str, Any] = field(default_factory=dict)
    """Further metadata of the sample."""


_NO_EVIDENCE = "Samples without evidence in the file"
"""Heading of answerable questions to which the file gives none."""


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
    reading: Sequence[str] = ()
    """How the columns of a file of questions were read, a line each."""

    @classmethod
    def read(
        cls,
        rows: Iterable[SourceRow],
        read: Callable[[SourceRow, dict[str, Document]], Question],
        limit: int | None,
        source: Source,
        split: str,
    ) -> Self:
        """Read questions row by row; the first row of a repeated id counts.

        Args:
            rows: Rows of the source.
            read: Reads a row, and adds its documents to those by id.
            limit: Read only the first `limit` questions.
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
        """Make the samples, with the chunks of their evidence."""
        passages: list[QuestionEvidence] = []
        for item in self.questions:
            passages += [QuestionEvidence(text, item.doc_ids, item.pages) for text in item.evidence]
        located = _align_passages(passages, chunks)
        alignments: dict[str, list[Alignment]] = {}
        samples = []
        main = self._main_pages(chunks)
        pages = 0
        unknown_pages = 0
        with_evidence = 0
        without_evidence = 0
        gaps: defaultdict[str, list[str]] = defaultdict(list)
        for item in self.questions:
            pairs = list(islice(located, len(item.evidence)))
            alignments[item.question_id] = [alignment for alignment, _ in pairs]
            gold = aligned_chunks(alignments[item.question_id])
            shared_metadata = {"source": dataset, "corpus": corpus, "gold_chunk_ids": sorted(gold)}
            if item.evidence:
                chunk_ids = [list(alignment.chunk_ids) for alignment, _ in pairs]
                shared_metadata["evidence_chunk_ids"] = chunk_ids
            located_pages = locate_pages(item.pages, item.doc_ids, chunks, gold, main)
            if located_pages:
                shared_metadata["gold_pages"] = [page.model_dump() for page in located_pages]
            pages += len(located_pages)
            if len(located_pages) < len(item.pages):
                unknown_pages += len(item.pages) - len(located_pages)
                gaps["Pages not located"].append(_describe_pages(item, located_pages))
            is_answerable = item.question_type != UNANSWERABLE
            with_evidence += bool(gold)
            without_evidence += is_answerable and not gold
            if is_answerable and not item.evidence:
                gaps[_NO_EVIDENCE].append(item.question_id)
            samples.append(_sample(item, copies_by_chunk(pairs), shared_metadata))
        if not any(alignments.values()):  # then evidence is not missing from single samples
            gaps.pop(_NO_EVIDENCE)
        gap_files = {GAPS: json_text(gaps)} if any(gaps.values()) else {}
        page_counts = {PAGES: pages, "pages_not_located": unknown_pages}
        return Extras(
            files=sample_files(samples, alignments) | gap_files,
            counts={
                **self.counts,
                "samples": len(samples),
                "evidence": sum(map(len, alignments.values())),
                **count_alignments(alignments),
                "samples_with_evidence": with_evidence,
                "samples_without_evidence": without_evidence,
                **{name: count for name, count in page_counts.items() if count},
            },
        )

    def _main_pages(self, chunks: Mapping[str, Sequence[Chunk]]) -> dict[int, int]:
        """Return the main page of each chunk of a document with pages, if a question has pages."""
        pages: dict[int, int] = {}
        for document in self.documents if any(item.pages for item in self.questions) else ():
            pages |= main_pages(document, chunks.get(document.doc_id, ()))
        return pages


def add_text(documents: dict[str, Document], doc_id: str, text: str) -> str:
    """Add a text as a document of one part, if its id is new; return the id."""
    section = Section(title="", text=text, prefix="")
    documents.setdefault(doc_id, Document(doc_id, "", "", (section,)))
    return doc_id


def _describe_pages(question: Question, located: Sequence[GoldPage]) -> str:
    """Describe the pages of a question that were not located, and why."""
    numbers = {page.page for page in located}
    missing_pages = [str(number) for number in question.pages if number not in numbers]
    document = "its one document is unknown"
    if len(question.doc_ids) == 1:
        document = f"not in {question.doc_ids[0]}"
    return f"{question.question_id}: {', '.join(missing_pages)} ({document})"


def _align_passages(
    passages: Sequence[QuestionEvidence], chunks: Mapping[str, Sequence[Chunk]]
) -> Iterator[tuple[Alignment, list[tuple[int, ...]]]]:
    """Yield the chunks of each passage, and of its copies."""
    for passage, nearby in zip(passages, nearby_chunks(passages, chunks), strict=True):
        alignment = align_passage(passage, nearby)
        yield alignment, list(find_copies(passage, alignment, nearby))


def _sample(
    question: Question, copies: Mapping[int, Sequence[int]], shared_metadata: Mapping[str, Any]
) -> dict[str, Any]:
    answers = question.answers
    metadata = {
        **shared_metadata,
        "doc_ids": list(question.doc_ids),
        "company": question.company,
        "period": question.period,
        "style": "qa",
        "question_type": question.question_type,
        "evidence": list(question.evidence),
        **question.extra_metadata,
    }
    if copies:
        metadata["gold_copies"] = {str(key): list(ids) for key, ids in copies.items()}
    target = answers[0] if len(answers) == 1 else list(answers) or ""
    return sample_record(question.question_id, question.text, target, **metadata)
