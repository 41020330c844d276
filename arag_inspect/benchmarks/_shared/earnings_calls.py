"""Earnings calls of any source: documents, samples, facts and gold chunks."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...benchmark.prepared_files import (
    aligned_chunks,
    count_alignments,
    sample_files,
    sample_record,
)
from ...corpus import FACTS, Alignment, Chunk, Document, Extras, Source, align
from ...corpus.documents.text import Skipped
from ...types.sample import Fact
from .fact_bank import FactRecord, bank_generated, bank_sentences, bank_text, count_facts, key_facts


@dataclass(frozen=True, slots=True)
class EarningsCall:
    """An earnings call with its reference summary."""

    document: Document
    """The call; its period is like `Q3_2021`."""

    summary: str
    """Reference, one statement per line."""

    key_sentences: tuple[str, ...]
    """Sentences of the call that support the reference, verbatim."""

    facts: tuple[Fact, ...] = ()
    """Quantities that the call states, if its generator lists them."""

    key_facts: tuple[str, ...] = ()
    """Ids of the facts that the reference states."""


@dataclass(frozen=True, slots=True)
class CallSet:
    """Calls of one split, one sample each."""

    calls: Sequence[EarningsCall]
    split: str
    source: Source = field(default_factory=Source)
    skipped: Sequence[Skipped] = ()

    @property
    def documents(self) -> Sequence[Document]:
        """The calls as documents."""
        return [call.document for call in self.calls]

    def annotate(self, chunks: Mapping[str, Sequence[Chunk]], dataset: str, corpus: str) -> Extras:
        """Make the samples, with the chunks of their key sentences, and the fact bank."""
        alignments: dict[str, list[Alignment]] = {}
        samples = []
        all_facts: list[FactRecord] = []
        for call in self.calls:
            doc_id = call.document.doc_id
            alignments[doc_id] = [align(text, chunks[doc_id]) for text in call.key_sentences]
            facts = _facts(call, chunks[doc_id])
            all_facts += facts
            gold = aligned_chunks(alignments[doc_id])
            samples.append(_sample(call, gold, facts, source=dataset, corpus=corpus))
        return Extras(
            files={**sample_files(samples, alignments), FACTS: bank_text(all_facts)},
            counts={
                "samples": len(samples),
                "key_sentences": sum(map(len, alignments.values())),
                **count_alignments(alignments),
                "samples_without_key_sentences": sum(not items for items in alignments.values()),
                **count_facts(all_facts),
            },
        )


def _facts(call: EarningsCall, chunks: Sequence[Chunk]) -> list[FactRecord]:
    doc_id = call.document.doc_id
    if call.facts:
        return bank_generated(call.facts, call.key_facts, doc_id, chunks)
    return bank_sentences(doc_id, call.key_sentences, "key_sentence", chunks)


def _sample(
    call: EarningsCall, gold: Collection[int], facts: Sequence[FactRecord], **metadata: str
) -> dict[str, Any]:
    document = call.document
    period = document.period.replace("_", " ")
    return sample_record(
        document.doc_id,
        f"Summarize the key highlights from {document.company}'s {period} earnings call.",
        call.summary,
        **metadata,
        doc_ids=[document.doc_id],
        company=document.company,
        period=document.period,
        style="earnings_call",
        question_type="summary",
        gold_chunk_ids=sorted(gold),
        evidence=list(call.key_sentences),
        facts=key_facts(facts),
    )
