"""Samples over filings: questions, query-focused summaries, section summaries, comparisons of
years.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ...corpus import Chunk, Extras
from ...corpus.evidence import EvidenceAlignment, align_evidence
from ...quantities.financial_tables import Row, items_of, read_rows
from ..prepared_files import (
    ALIGNMENT,
    GOLD,
    SAMPLES,
    alignment_text,
    count_alignments,
    json_lines,
    json_text,
    sample_record,
)
from . import Material, Question
from .filings import Filing, ReadFiling
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
        wanted = set(titles)
        return [chunk for chunk in self.chunks[doc_id] if chunk.section in wanted]


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
    filings = [one.filing for one in read if one.filing.doc_id in chunks]
    library = Library(filings, chunks)
    names = {filing.doc_id.lower(): filing.doc_id for filing in filings}
    questions = [one for one in material.questions if one.doc_id.lower() in names]
    alignments = {
        one.question_id: [
            align_evidence(piece, chunks.get(names.get(piece.doc_id.lower(), ""), ()))
            for piece in one.evidence
        ]
        for one in questions
    }
    gold = {name: _gold(found) for name, found in alignments.items()}
    samples = {
        SAMPLES: [_question(one, names, library, gold[one.question_id]) for one in questions],
        QFS: list(_query_focused(library, questions, names, gold)),
        SECTIONS: list(_sections(library)),
        YOY: list(_compared(library)),
    }
    for sample in (sample for group in samples.values() for sample in group):
        sample["metadata"] |= {"source": dataset, "corpus": corpus}
    report = {one.filing.doc_id: _report(one, chunks) for one in read}
    report |= {name: {"problem": "not available"} for name in material.missing}
    return Extras(
        files={
            **{name: json_lines(group) for name, group in samples.items()},
            GOLD: json_text(
                {
                    sample["id"]: sample["metadata"]["gold_chunk_ids"]
                    for group in samples.values()
                    for sample in group
                }
            ),
            ALIGNMENT: alignment_text(alignments),
            DOCUMENTS: json_text(report),
        },
        counts={
            "questions": len(questions),
            "questions_left_out": material.left_out + len(material.questions) - len(questions),
            **_aligned(alignments),
            "query_focused": len(samples[QFS]),
            "section_summaries": len(samples[SECTIONS]),
            "years_compared": len(samples[YOY]),
            "documents_without_sections": sum(
                not one.sections and one.problem is None for one in read
            ),
            "documents_skipped": sum(one.problem is not None for one in read),
            "documents_missing": len(material.missing),
        },
    )


def _question(
    one: Question, names: Mapping[str, str], library: Library, gold: list[int]
) -> dict[str, Any]:
    doc_id = names[one.doc_id.lower()]
    filing = next(filing for filing in library.filings if filing.doc_id == doc_id)
    return _sample(
        one.question_id,
        one.question,
        one.answer,
        [filing],
        style="qa",
        question_type=one.question_type,
        question_reasoning=one.reasoning,
        gold_chunk_ids=gold,
        evidence=[piece.text for piece in one.evidence],
    )


def _query_focused(
    library: Library,
    questions: Sequence[Question],
    names: Mapping[str, str],
    gold: Mapping[str, list[int]],
) -> Iterator[dict[str, Any]]:
    """Yield two questions per company and year: on risks and on operations, if a filing covers
    them.
    """
    years: dict[tuple[str, int], list[Filing]] = {}
    for filing in library.filings:
        years.setdefault((filing.company, filing.year), []).append(filing)
    evidence: dict[str, set[int]] = {}
    for one in questions:
        evidence.setdefault(names[one.doc_id.lower()], set()).update(gold[one.question_id])
    for (company, year), filings in sorted(years.items()):
        kinds = (("risk_factors", RISKS, (RISK_FACTORS,)), ("highlights", HIGHLIGHTS, _NARRATIVES))
        for kind, text, titles in kinds:
            relevant = [c for one in filings for c in library.section(one.doc_id, titles)]
            if relevant:
                known = {i for one in filings for i in evidence.get(one.doc_id, ())}
                yield _sample(
                    f"{_slug(company)}_{year}_{kind}",
                    text.format(company=company, year=year),
                    "",
                    filings,
                    style="query_focused",
                    question_type=kind,
                    gold_chunk_ids=sorted(known),
                    reference_chunk_ids=[chunk.chunk_id for chunk in relevant],
                )


def _sections(library: Library) -> Iterator[dict[str, Any]]:
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


def _compared(library: Library) -> Iterator[dict[str, Any]]:
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
            chunks = [c for one in pair for c in library.section(one.doc_id, (MDA,))]
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


def _report(one: ReadFiling, chunks: Mapping[str, Sequence[Chunk]]) -> dict[str, Any]:
    if one.problem is not None:
        return {"problem": one.problem.cause}
    return {
        "pages": one.pages,
        "chunks": len(chunks.get(one.filing.doc_id, ())),
        "sections": list(one.sections),
        "lacks": [
            title
            for title in (RISK_FACTORS, MDA)
            if one.filing.kind in ("10K", "10Q") and one.sections and title not in one.sections
        ],
    }


def _gold(found: Sequence[EvidenceAlignment]) -> list[int]:
    return sorted({chunk_id for one in found for chunk_id in one.chunk_ids})


def _aligned(alignments: Mapping[str, Sequence[EvidenceAlignment]]) -> dict[str, int]:
    places = [alignment.place for found in alignments.values() for alignment in found]
    return {
        "evidence": len(places),
        **count_alignments(alignments),
        "aligned_elsewhere": sum(place in ("neighbour", "document") for place in places),
    }


def _slug(text: str) -> str:
    return "_".join("".join(c if c.isalnum() else " " for c in text).split()).lower()
