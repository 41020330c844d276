"""Samples over filings: questions, three kinds of summaries."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ....corpus import Chunk, Extras
from ....corpus.evidence import EvidenceAlignment, align_evidence
from ....quantities.financial_tables import Row, items_of, read_rows
from ...prepared_files import (
    GOLD,
    SAMPLES,
    count_alignments,
    gold_chunks,
    json_lines,
    json_text,
    sample_files,
    sample_record,
)
from .filings import Filing, ReadFiling
from .material import FilingQuestion, Material
from .sec_sections import MDA, RISK_FACTORS

QFS, SECTIONS, YOY = "samples_qfs.jsonl", "samples_sections.jsonl", "samples_yoy.jsonl"
DOCUMENTS = "documents.json"
"""Report on each document: pages, sections, chunks, or the problem."""

RISKS = "Summarize the key risk factors for {company} FY{year}."
HIGHLIGHTS = "What were the major operational highlights for {company} in FY{year}?"
_NARRATIVES = (MDA, "Results", "Outlook", "Segments")
"""Sections that describe how the year went."""

_SUMMARIZED = ("Business", RISK_FACTORS, MDA, "Market Risk", "Results", "Outlook")
_LEAST_WORDS = 400
"""Shortest section, in words, for a summary of 200 to 400."""

_STATEMENTS = (MDA, "Financial Statements")


@dataclass(frozen=True, slots=True)
class Library:
    """The filings of a corpus with their chunks."""

    filings: Sequence[Filing]
    chunks: Mapping[str, Sequence[Chunk]]
    """Chunks by document, in order."""

    def section(self, doc_id: str, titles: Iterable[str]) -> list[Chunk]:
        """Return the chunks of some sections of a document, in order."""
        title_set = set(titles)
        return [chunk for chunk in self.chunks[doc_id] if chunk.section in title_set]


def annotate(
    material: Material,
    read: Sequence[ReadFiling],
    chunks: Mapping[str, Sequence[Chunk]],
    dataset: str,
    corpus: str,
) -> Extras:
    """Make the samples of every task over filings, and the report on documents.

    Args:
        material: Questions and filings.
        read: Each filing as read.
        chunks: Chunks of each document.
        dataset: Name of the data set.
        corpus: Name of the prepared folder.
    """
    filings = [item.filing for item in read if item.filing.doc_id in chunks]
    library = Library(filings, chunks)
    names = {filing.doc_id.lower(): filing.doc_id for filing in filings}
    questions = [question for question in material.questions if question.doc_id.lower() in names]
    alignments = {
        question.question_id: [
            align_evidence(piece, chunks.get(names.get(piece.doc_id.lower(), ""), ()))
            for piece in question.evidence
        ]
        for question in questions
    }
    gold = {name: _gold(items) for name, items in alignments.items()}
    samples = {
        SAMPLES: [
            _question(question, names, library, gold[question.question_id])
            for question in questions
        ],
        QFS: list(_query_focused(library, questions, names, gold)),
        SECTIONS: list(_section_summaries(library)),
        YOY: list(_comparisons(library)),
    }
    for sample in (sample for group in samples.values() for sample in group):
        sample["metadata"] |= {"source": dataset, "corpus": corpus}
    report = {item.filing.doc_id: _report(item, chunks) for item in read}
    report |= {name: {"problem": "not available"} for name in material.missing}
    every = [sample for group in samples.values() for sample in group]
    return Extras(
        files={
            **sample_files(samples[SAMPLES], alignments),
            **{name: json_lines(group) for name, group in samples.items()},
            GOLD: json_text(gold_chunks(every)),
            DOCUMENTS: json_text(report),
        },
        counts={
            "questions": len(questions),
            "questions_left_out": material.left_out + len(material.questions) - len(questions),
            **_alignment_counts(alignments),
            "query_focused": len(samples[QFS]),
            "section_summaries": len(samples[SECTIONS]),
            "years_compared": len(samples[YOY]),
            "documents_without_sections": sum(
                not item.sections and item.problem is None for item in read
            ),
            "documents_skipped": sum(item.problem is not None for item in read),
            "documents_missing": len(material.missing),
        },
    )


def _question(
    question: FilingQuestion, names: Mapping[str, str], library: Library, gold: list[int]
) -> dict[str, Any]:
    doc_id = names[question.doc_id.lower()]
    filing = next(filing for filing in library.filings if filing.doc_id == doc_id)
    return _sample(
        question.question_id,
        question.question,
        question.answer,
        [filing],
        style="qa",
        question_type=question.question_type,
        question_reasoning=question.reasoning,
        gold_chunk_ids=gold,
        evidence=[piece.text for piece in question.evidence],
    )


def _query_focused(
    library: Library,
    questions: Sequence[FilingQuestion],
    names: Mapping[str, str],
    gold: Mapping[str, list[int]],
) -> Iterator[dict[str, Any]]:
    """Yield questions on risks and operations per company and year, if covered."""
    years: dict[tuple[str, int], list[Filing]] = {}
    for filing in library.filings:
        years.setdefault((filing.company, filing.year), []).append(filing)
    evidence: dict[str, set[int]] = {}
    for question in questions:
        doc_id = names[question.doc_id.lower()]
        evidence.setdefault(doc_id, set()).update(gold[question.question_id])
    for (company, year), filings in sorted(years.items()):
        doc_ids = [filing.doc_id for filing in filings]
        kinds = (("risk_factors", RISKS, (RISK_FACTORS,)), ("highlights", HIGHLIGHTS, _NARRATIVES))
        for kind, text, titles in kinds:
            relevant = [chunk for name in doc_ids for chunk in library.section(name, titles)]
            if relevant:
                gold_ids = {chunk_id for name in doc_ids for chunk_id in evidence.get(name, ())}
                yield _sample(
                    f"{_slug(company)}_{year}_{kind}",
                    text.format(company=company, year=year),
                    "",
                    filings,
                    style="query_focused",
                    question_type=kind,
                    gold_chunk_ids=sorted(gold_ids),
                    reference_chunk_ids=[chunk.chunk_id for chunk in relevant],
                )


def _section_summaries(library: Library) -> Iterator[dict[str, Any]]:
    for filing in library.filings:
        for title in _SUMMARIZED:
            chunks = library.section(filing.doc_id, (title,))
            if sum(len(chunk.text.split()) for chunk in chunks) < _LEAST_WORDS:
                continue
            yield _sample(
                f"{filing.doc_id}_{_slug(title)}",
                f"Summarize the section {title} of {filing.company}'s filing {filing.label}.",
                "",
                [filing],
                style="section",
                question_type=_slug(title),
                section=title,
                gold_chunk_ids=[chunk.chunk_id for chunk in chunks],
            )


def _comparisons(library: Library) -> Iterator[dict[str, Any]]:
    annual: dict[str, dict[int, Filing]] = {}
    for filing in library.filings:
        if filing.kind == "10K":
            annual.setdefault(filing.company, {}).setdefault(filing.year, filing)
    for company, by_year in sorted(annual.items()):
        for earlier, later in pairwise(sorted(by_year)):
            if later != earlier + 1:
                continue
            pair = [by_year[earlier], by_year[later]]
            before, after = (list(_rows(library, filing.doc_id)) for filing in pair)
            items = items_of(after, before, later, earlier)
            chunks = [chunk for filing in pair for chunk in library.section(filing.doc_id, (MDA,))]
            yield _sample(
                f"{_slug(company)}_{earlier}_{later}",
                f"Compare {company}'s annual filings {pair[0].label} and {pair[1].label}: what "
                f"changed materially from FY{earlier} to FY{later} in revenue, margins, segments "
                "and risks?",
                "",
                pair,
                style="comparison",
                question_type="year_over_year",
                years=[earlier, later],
                gold_chunk_ids=[chunk.chunk_id for chunk in chunks],
                line_items=[item.as_dict() for item in items],
            )


def _rows(library: Library, doc_id: str) -> Iterator[Row]:
    for chunk in library.section(doc_id, _STATEMENTS):
        yield from read_rows(chunk.text)


def _sample(
    sample_id: str, question: str, target: str, filings: Sequence[Filing], **metadata: Any
) -> dict[str, Any]:
    return sample_record(
        sample_id,
        question,
        target,
        doc_ids=[filing.doc_id for filing in filings],
        company=filings[0].company,
        period=filings[-1].period,
        **metadata,
    )


def _report(item: ReadFiling, chunks: Mapping[str, Sequence[Chunk]]) -> dict[str, Any]:
    if item.problem is not None:
        return {"problem": item.problem.cause}
    return {
        "pages": item.pages,
        "chunks": len(chunks.get(item.filing.doc_id, ())),
        "sections": list(item.sections),
        "lacks": [
            title
            for title in (RISK_FACTORS, MDA)
            if item.filing.kind in ("10K", "10Q") and item.sections and title not in item.sections
        ],
    }


def _gold(alignments: Sequence[EvidenceAlignment]) -> list[int]:
    return sorted({chunk_id for alignment in alignments for chunk_id in alignment.chunk_ids})


def _alignment_counts(alignments: Mapping[str, Sequence[EvidenceAlignment]]) -> dict[str, int]:
    locations = [alignment.place for items in alignments.values() for alignment in items]
    return {
        "evidence": len(locations),
        **count_alignments(alignments),
        "aligned_elsewhere": sum(location in ("neighbour", "document") for location in locations),
    }


def _slug(text: str) -> str:
    return "_".join("".join(c if c.isalnum() else " " for c in text).split()).lower()
