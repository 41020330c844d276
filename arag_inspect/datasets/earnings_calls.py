"""Earnings calls, from whatever source: documents, samples and where their evidence stands."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..corpus import FACTS, Alignment, Chunk, Document, Extras, align
from ..types.fact import Fact
from .fact_bank.bank import FactRecord, bank_sentences, bank_text, count_facts, shown
from .fact_bank.verbalize import bank_generated

SAMPLES, GOLD, ALIGNMENT = "samples.jsonl", "gold_chunk_map.json", "alignment.json"


@dataclass(frozen=True, slots=True)
class EarningsCall:
    """An earnings call with its reference summary."""

    document: Document
    quarter: str
    """`Q1` to `Q4`."""

    year: int
    summary: str
    """Reference, one statement a line."""

    key_sentences: tuple[str, ...]
    """Sentences of the call that the reference rests on, verbatim."""

    facts: tuple[Fact, ...] = ()
    """Every figure that the call states, where its generator tells."""

    key_facts: tuple[str, ...] = ()
    """Ids of those that the reference states."""


def question(call: EarningsCall) -> str:
    """What is asked about a call."""
    return (
        f"Summarize the key highlights from {call.document.company}'s {call.quarter} {call.year} "
        "earnings call."
    )


def annotate(
    calls: Sequence[EarningsCall], chunks: Mapping[str, Sequence[Chunk]], source: str, corpus: str
) -> Extras:
    """Make the samples of some calls, with the chunks that hold their key sentences, and their fact bank.

    Args:
        calls: One sample each.
        chunks: Those of each document.
        source: Name of the data set.
        corpus: Name of the prepared folder.

    Returns:
        `samples.jsonl`, `facts.jsonl`, `gold_chunk_map.json` and `alignment.json`, and what to count.
    """
    alignments = {
        call.document.doc_id: [
            align(sentence, chunks[call.document.doc_id]) for sentence in call.key_sentences
        ]
        for call in calls
    }
    gold = {doc_id: _gold(found) for doc_id, found in alignments.items()}
    bank = {call.document.doc_id: _facts(call, chunks[call.document.doc_id]) for call in calls}
    lines = [
        _sample(call, gold[call.document.doc_id], bank[call.document.doc_id], source, corpus)
        for call in calls
    ]
    every = [fact for found in bank.values() for fact in found]
    return Extras(
        files={
            SAMPLES: "".join(f"{line}\n" for line in lines),
            FACTS: bank_text(every),
            GOLD: json.dumps(gold, indent=1) + "\n",
            ALIGNMENT: json.dumps(
                {
                    doc_id: [one.model_dump() for one in found]
                    for doc_id, found in alignments.items()
                },
                indent=1,
                ensure_ascii=False,
            )
            + "\n",
        },
        counts={"samples": len(calls), **_count(alignments), **count_facts(every)},
    )


def _facts(call: EarningsCall, chunks: Sequence[Chunk]) -> list[FactRecord]:
    doc_id = call.document.doc_id
    if call.facts:
        return bank_generated(call.facts, call.key_facts, doc_id, chunks)
    return bank_sentences(doc_id, call.key_sentences, "key_sentence", chunks)


def _gold(found: Sequence[Alignment]) -> list[int]:
    return sorted({one.chunk_id for one in found if one.chunk_id is not None})


def _count(alignments: Mapping[str, Sequence[Alignment]]) -> dict[str, int]:
    every = [one for found in alignments.values() for one in found]
    return {
        "key_sentences": len(every),
        "aligned_exact": sum(one.match == "exact" for one in every),
        "aligned_fuzzy": sum(one.match == "fuzzy" for one in every),
        "unaligned": sum(one.match == "none" for one in every),
        "samples_without_key_sentences": sum(not found for found in alignments.values()),
    }


def _sample(
    call: EarningsCall, gold: list[int], facts: Sequence[FactRecord], source: str, corpus: str
) -> str:
    document = call.document
    return json.dumps(
        {
            "id": document.doc_id,
            "input": question(call),
            "target": call.summary,
            "metadata": {
                "source": source,
                "corpus": corpus,
                "doc_ids": [document.doc_id],
                "company": document.company,
                "period": document.period,
                "style": "earnings_call",
                "question_type": "summary",
                "gold_chunk_ids": gold,
                "evidence": list(call.key_sentences),
                "facts": shown(facts),
            },
        },
        ensure_ascii=False,
    )
