"""Documents with reference summaries: samples, facts and gold chunks."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from arag_inspect.benchmark.prepared_files import (
    aligned_chunks,
    count_alignments,
    sample_files,
    sample_record,
)
from arag_inspect.corpus import FACTS, Alignment, Chunk, Document, Extras, Source, align
from arag_inspect.corpus.documents.text import Skipped
from arag_inspect.types.sample import Fact

from .fact_bank import (
    FactRecord,
    Origin,
    bank_generated,
    bank_sentences,
    bank_text,
    count_facts,
    key_facts,
)

GoldChoice = Literal["aligned", "all", "none"]
"""Gold chunks of a summary: the chunks of its evidence, all of the document, or none."""


@dataclass(frozen=True, slots=True)
class SummarizedDocument:
    """A document with its reference summary."""

    document: Document
    question: str
    summary: str
    """Reference, one statement per line."""

    evidence: tuple[str, ...]
    """Sentences that support the reference, or its lines."""

    facts: tuple[Fact, ...] = ()
    """Quantities that the document states, if its generator lists them."""

    key_facts: tuple[str, ...] = ()
    """Ids of the facts that the reference states."""


def earnings_call(
    document: Document, summary: str, key_sentences: tuple[str, ...], **facts: Any
) -> SummarizedDocument:
    """Return an earnings call, whose document has a period like `Q3_2021`."""
    period = document.period.replace("_", " ")
    question = f"Summarize the key highlights from {document.company}'s {period} earnings call."
    return SummarizedDocument(document, question, summary, key_sentences, **facts)


@dataclass(frozen=True, slots=True)
class SummarySet:
    """Documents with reference summaries, one sample each."""

    items: Sequence[SummarizedDocument]
    split: str
    source: Source = field(default_factory=Source)
    skipped: Sequence[Skipped] = ()
    style: str = "earnings_call"
    gold: GoldChoice = "aligned"
    origin: Origin = "key_sentence"
    """Origin of the evidence, whose pieces are facts unless a generator lists the facts."""

    @property
    def documents(self) -> Sequence[Document]:
        """The documents."""
        return [item.document for item in self.items]

    def annotate(self, chunks: Mapping[str, Sequence[Chunk]], dataset: str, corpus: str) -> Extras:
        """Make the samples, with the chunks of their evidence, and the fact bank."""
        alignments: dict[str, list[Alignment]] = {}
        samples = []
        all_facts: list[FactRecord] = []
        for item in self.items:
            doc_id = item.document.doc_id
            its_chunks = chunks[doc_id]
            alignments[doc_id] = [align(text, its_chunks) for text in item.evidence]
            facts = self._facts(item, its_chunks)
            all_facts += facts
            gold = self._gold(alignments[doc_id], its_chunks)
            samples.append(self._sample(item, gold, facts, source=dataset, corpus=corpus))
        return Extras(
            files={**sample_files(samples, alignments), FACTS: bank_text(all_facts)},
            counts={
                "samples": len(samples),
                f"{self.origin}s": sum(map(len, alignments.values())),
                **count_alignments(alignments),
                f"samples_without_{self.origin}s": sum(not texts for texts in alignments.values()),
                **({"documents_skipped": len(self.skipped)} if self.skipped else {}),
                **count_facts(all_facts),
            },
        )

    def _facts(self, item: SummarizedDocument, chunks: Sequence[Chunk]) -> list[FactRecord]:
        doc_id = item.document.doc_id
        if item.facts:
            return bank_generated(item.facts, item.key_facts, doc_id, chunks)
        return bank_sentences(doc_id, item.evidence, self.origin, chunks)

    def _gold(self, alignments: Sequence[Alignment], chunks: Sequence[Chunk]) -> Collection[int]:
        if self.gold == "all":
            return {chunk.chunk_id for chunk in chunks}
        return aligned_chunks(alignments) if self.gold == "aligned" else ()

    def _sample(
        self,
        item: SummarizedDocument,
        gold: Collection[int],
        facts: Sequence[FactRecord],
        **metadata: str,
    ) -> dict[str, Any]:
        document = item.document
        return sample_record(
            document.doc_id,
            item.question,
            item.summary,
            **metadata,
            doc_ids=[document.doc_id],
            company=document.company,
            period=document.period,
            style=self.style,
            question_type="summary",
            gold_chunk_ids=sorted(gold),
            evidence=list(item.evidence),
            facts=key_facts(facts),
        )
