"""Make the samples of a prepared folder: questions about filings, three kinds of summaries."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any

from arag_inspect.benchmark.dataset import Chunks
from arag_inspect.benchmark.prepared_files import (
    GOLD,
    SAMPLES,
    aligned_chunks,
    count_alignments,
    gold_chunks,
    json_lines,
    json_text,
    sample_files,
    sample_record,
)
from arag_inspect.corpus import Alignment, Chunk, Extras
from arag_inspect.corpus.evidence import align_evidence
from arag_inspect.types.sample import GoldPage

from .._shared.filing_items import MDA, RISK_FACTORS
from .._shared.gold_pages import gold_pages
from .filings import Filing, ReadFiling
from .selection import FilingQuestion, Selection

QFS = "samples_qfs.jsonl"
SECTIONS = "samples_sections.jsonl"
YOY = "samples_yoy.jsonl"
DOCUMENTS = "documents.json"
"""Report on each document: pages, sections, chunks, or the problem."""

RISKS = "Summarize the key risk factors for {company} FY{year}."
HIGHLIGHTS = "What were the major operational highlights for {company} in FY{year}?"
_NARRATIVES = (MDA, "Results", "Outlook", "Segments")
"""Sections that describe the year's performance."""

_SUMMARIZED = ("Business", RISK_FACTORS, MDA, "Market Risk", "Results", "Outlook")
_LEAST_WORDS = 400
"""Shortest section, in words, to summarise in 200 to 400 words."""


def annotate(
    selection: Selection,
    readings: Sequence[ReadFiling],
    chunks: Chunks,
    dataset: str,
    corpus: str,
) -> Extras:
    """Make the samples of every task over filings, and the report on documents.

    Args:
        selection: Questions and filings.
        readings: Each filing as read.
        chunks: Chunks of each document.
        dataset: Name of the data set.
        corpus: Name of the prepared folder.
    """
    filings = {item.filing.doc_id: item.filing for item in readings if item.filing.doc_id in chunks}
    questions = [question for question in selection.questions if question.doc_name in filings]
    alignments = {question.financebench_id: _align(question, chunks) for question in questions}
    gold = {name: sorted(aligned_chunks(items)) for name, items in alignments.items()}
    samples = {
        SAMPLES: [_question(item, filings[item.doc_name], gold, chunks) for item in questions],
        QFS: list(_query_focused_samples(filings.values(), chunks, questions, gold)),
        SECTIONS: list(_section_summaries(filings.values(), chunks)),
        YOY: list(_yoy_change_samples(filings.values(), chunks)),
    }
    all_samples = list(chain.from_iterable(samples.values()))
    for sample in all_samples:
        sample["metadata"] |= {"source": dataset, "corpus": corpus}
    report = {item.filing.doc_id: _report(item, chunks) for item in readings}
    report |= {name: {"problem": "not available"} for name in selection.missing}
    return Extras(
        files={
            **sample_files(samples[SAMPLES], alignments),
            **{name: json_lines(group) for name, group in samples.items()},
            GOLD: json_text(gold_chunks(all_samples)),
            DOCUMENTS: json_text(report),
        },
        counts=_counts(selection, readings, samples, alignments),
    )


def _align(question: FilingQuestion, chunks: Chunks) -> list[Alignment]:
    """Find the evidence of a question in the chunks of its documents."""
    return [align_evidence(piece, chunks.get(piece.doc_id, ())) for piece in question.passages]


def _counts(
    selection: Selection,
    readings: Sequence[ReadFiling],
    samples: Mapping[str, Sequence[object]],
    alignments: Mapping[str, Sequence[Alignment]],
) -> dict[str, int]:
    """Count questions, located evidence and missing parts, for the manifest."""
    questions = len(samples[SAMPLES])
    locations = [item.place for item in chain.from_iterable(alignments.values())]
    unsectioned = [item for item in readings if not item.sections and item.problem is None]
    return {
        "questions": questions,
        "questions_left_out": selection.left_out + len(selection.questions) - questions,
        "evidence": len(locations),
        **count_alignments(alignments),
        "aligned_elsewhere": locations.count("neighbour") + locations.count("document"),
        "query_focused": len(samples[QFS]),
        "section_summaries": len(samples[SECTIONS]),
        "years_compared": len(samples[YOY]),
        "documents_without_sections": len(unsectioned),
        "documents_skipped": sum(item.problem is not None for item in readings),
        "documents_missing": len(selection.missing),
    }


def _question(
    question: FilingQuestion, filing: Filing, gold: Mapping[str, list[int]], chunks: Chunks
) -> dict[str, Any]:
    evidence_pages = {
        (piece.doc_id, piece.page + 1) for piece in question.passages if piece.page is not None
    }
    pages: list[GoldPage] = []
    for doc_id, number in sorted(evidence_pages):
        pages += gold_pages([number], doc_id, chunks)
    return _sample(
        question.financebench_id,
        question.question,
        question.answer,
        [filing],
        style="qa",
        question_type=question.question_type or "not stated",
        question_reasoning=question.question_reasoning or "not stated",
        gold_chunk_ids=gold[question.financebench_id],
        gold_pages=[page.model_dump() for page in pages],
        evidence=[piece.text for piece in question.passages],
    )


def _query_focused_samples(
    filings: Iterable[Filing],
    chunks: Chunks,
    questions: Sequence[FilingQuestion],
    gold: Mapping[str, list[int]],
) -> Iterator[dict[str, Any]]:
    """Yield questions on risks and operations per company and year, if covered.

    Their gold is the sections used for references. The evidence of the other questions on the same
    filings is kept as `partial_chunk_ids`.
    """
    years: dict[tuple[str, int], list[Filing]] = {}
    for filing in filings:
        years.setdefault((filing.company, filing.year), []).append(filing)
    evidence: dict[str, set[int]] = {}
    for question in questions:
        evidence.setdefault(question.doc_name, set()).update(gold[question.financebench_id])
    for (company, year), group in sorted(years.items()):
        doc_ids = [filing.doc_id for filing in group]
        kinds = (("risk_factors", RISKS, (RISK_FACTORS,)), ("highlights", HIGHLIGHTS, _NARRATIVES))
        for kind, text, titles in kinds:
            section_ids: list[int] = []
            other_evidence_ids: set[int] = set()
            for name in doc_ids:
                section_ids += [chunk.chunk_id for chunk in _section_chunks(chunks[name], *titles)]
                other_evidence_ids |= evidence.get(name, set())
            if section_ids:
                yield _sample(
                    f"{_slug(company)}_{year}_{kind}",
                    text.format(company=company, year=year),
                    "",
                    group,
                    style="query_focused",
                    question_type=kind,
                    gold_chunk_ids=section_ids,
                    reference_chunk_ids=section_ids,
                    partial_chunk_ids=sorted(other_evidence_ids),
                )


def _section_chunks(chunks: Sequence[Chunk], *titles: str) -> list[Chunk]:
    return [chunk for chunk in chunks if chunk.section in titles]


def _section_summaries(filings: Iterable[Filing], chunks: Chunks) -> Iterator[dict[str, Any]]:
    for filing in filings:
        for title in _SUMMARIZED:
            section = _section_chunks(chunks[filing.doc_id], title)
            if sum(len(chunk.text.split()) for chunk in section) < _LEAST_WORDS:
                continue
            yield _sample(
                f"{filing.doc_id}_{_slug(title)}",
                f"Summarize the section {title} of {filing.company}'s filing {filing.label}.",
                "",
                [filing],
                style="section",
                question_type=_slug(title),
                section=title,
                gold_chunk_ids=[chunk.chunk_id for chunk in section],
            )


def _yoy_change_samples(filings: Iterable[Filing], chunks: Chunks) -> Iterator[dict[str, Any]]:
    """Yield comparisons of consecutive years.

    Their gold is the management discussions of both years, unknown if one was not found.
    """
    annual: dict[str, dict[int, Filing]] = {}
    for filing in filings:
        if filing.kind == "10K":
            annual.setdefault(filing.company, {}).setdefault(filing.year, filing)
    for company, filings_by_year in sorted(annual.items()):
        for previous_year, next_year in pairwise(sorted(filings_by_year)):
            if next_year != previous_year + 1:
                continue
            pair = [filings_by_year[previous_year], filings_by_year[next_year]]
            discussions = [_section_chunks(chunks[filing.doc_id], MDA) for filing in pair]
            gold = [*discussions[0], *discussions[1]] if all(discussions) else []
            yield _sample(
                f"{_slug(company)}_{previous_year}_{next_year}",
                f"Compare {company}'s annual filings {pair[0].label} and {pair[1].label}: what "
                f"changed materially from FY{previous_year} to FY{next_year} in revenue, margins, "
                "segments and risks?",
                "",
                pair,
                style="comparison",
                question_type="year_over_year",
                years=[previous_year, next_year],
                gold_chunk_ids=[chunk.chunk_id for chunk in gold],
            )


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


def _report(item: ReadFiling, chunks: Chunks) -> dict[str, Any]:
    if item.problem is not None:
        return {"problem": item.problem.cause}
    return {
        "pages": item.pages,
        "chunks": len(chunks.get(item.filing.doc_id, ())),
        "sections": list(item.sections),
        "left_out": list(item.left_out),
        "lacks": [
            title
            for title in (RISK_FACTORS, MDA)
            if item.filing.kind in ("10K", "10Q") and item.sections and title not in item.sections
        ],
    }


def _slug(text: str) -> str:
    return "_".join(re.findall(r"[^\W_]+", text)).lower()
