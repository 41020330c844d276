"""Tests of `section_coverage`: the sections and topics that a summary draws on."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from arag_inspect.corpus import Chunk, Corpus
from arag_inspect.scorers import section_coverage
from tests.measures.cases import Case, Ran, run_cases

NOWHERE = "Zebras photograph volcanoes."
CALLS = ("Prepared Remarks", "Questions and Answers")


def figures(chunks: Sequence[Chunk], section: str) -> str:
    """Return a section's longest sentence, with everything that distinguishes it from others."""
    sentences = [c.text[a:b] for c in chunks if c.section == section for a, b in c.sentences]
    return max(sentences, key=len)


@pytest.fixture(scope="module")
def ran(synthetic_folder: Path) -> Ran:
    corpus = Corpus.open(synthetic_folder)
    own, other = corpus.doc_ids[:2]
    chunks = corpus.document_chunks([own])
    prepared, answered = (figures(chunks, section) for section in CALLS)
    about = {"corpus": str(synthetic_folder), "doc_ids": [own], "style": "earnings_call"}

    def read(*chosen: Chunk) -> Mapping[str, Any]:
        fields = ("chunk_id", "doc_id", "prefix", "text")
        passages = [{f: getattr(chunk, f) for f in fields} | {"loop": 1} for chunk in chosen]
        return {"system": "naive_rag", "context": "retrieved", "passages": passages}

    foreign = corpus.document_chunks([other])
    last = [chunk for chunk in chunks if chunk.section == CALLS[1]]
    return run_cases(
        {
            "both": Case(f"{answered} {prepared}", metadata=about),
            "one": Case(f"{NOWHERE} {prepared}", metadata=about, trace=read(*chunks)),
            "part": Case(f"{prepared} {answered}", metadata=about, trace=read(*last)),
            "foreign": Case(figures(foreign, CALLS[0]), metadata=about, trace=read(*foreign)),
            "topics": Case("A dividend was paid. A dividend was raised.", metadata=about),
            "empty": Case("", metadata=about),
            "unknown": Case(metadata=about | {"corpus": "nowhere"}),
            "none": Case(),
        },
        [section_coverage()],
    )


def touched(ran: Ran, case: str) -> dict[str, list[int]]:
    metadata = ran.score(case, "section_coverage").metadata or {}
    return {section["section"]: section["sentences"] for section in metadata["sections"]}


@pytest.mark.parametrize(
    ("case", "value", "sections"),
    [("both", 1.0, ([1], [0])), ("one", 0.5, ([1], [])), ("foreign", 0.0, ([], []))],
)
def test_section_coverage_assigns_sentences_to_section_of_nearest_sentence(
    ran: Ran, case: str, value: float, sections: tuple[list[int], list[int]]
) -> None:
    assert ran.score(case, "section_coverage").value == value
    assert touched(ran, case) == dict(zip(CALLS, sections, strict=True))


def test_section_coverage_credits_only_chunks_read(ran: Ran) -> None:
    metadata = ran.score("part", "section_coverage").metadata or {}
    remarks, answers = metadata["sections"]
    assert remarks["sentences"] == [] and remarks["read"] == 0 < remarks["chunks"]
    assert 1 in answers["sentences"] and answers["read"] == answers["chunks"] > 0


def test_dissimilar_sentence_is_assigned_to_no_section(ran: Ran) -> None:
    metadata = ran.score("one", "section_coverage").metadata or {}
    first, second, *_ = metadata["sentences"]
    assert first["chunk_id"] is None and second["sentence"] == second["nearest"]


def test_section_coverage_counts_topics_of_call(ran: Ran, corpus: Corpus) -> None:
    metadata = ran.score("topics", "section_coverage").metadata or {}
    topics = {topic["topic"]: topic for topic in metadata["topics"]}
    chunks = corpus.document_chunks(corpus.doc_ids[:1])
    sentences = [c.text[a:b].lower() for c in chunks for a, b in c.sentences]
    words = ("dividend", "repurchas", "buyback", "bought back", "return of capital")
    counted = sum(any(word in text for word in words) for text in sentences)
    assert counted >= 2, "the generated call speaks of it"
    returned = topics["Dividends and buybacks"]
    assert returned["mentions"] == counted and returned["sentences"] == [0, 1]
    assert topics["Outlook"]["sentences"] == []


@pytest.mark.parametrize(
    ("case", "reason"),
    [("empty", "no_sentences"), ("unknown", "no_corpus"), ("none", "no_sections")],
)
def test_section_coverage_is_unscored_with_reason(ran: Ran, case: str, reason: str) -> None:
    score = ran.score(case, "section_coverage")
    assert score.reason == reason and score.explanation
