"""Client conversations as a data set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from pydantic import NonNegativeInt, PositiveInt

from arag_inspect._util.errors import echo
from arag_inspect.benchmark.prepared_files import SAMPLES, json_lines, sample_record
from arag_inspect.benchmarks._shared.fact_bank import (
    FactRecord,
    bank_fact,
    bank_text,
    count_facts,
    key_facts,
)
from arag_inspect.corpus import FACTS, Chunk, Document, Extras, Section, Source
from arag_inspect.corpus.documents.text import Skipped

from .conversation import Conversation
from .generator import generate_talks
from .personas import choose_personas


@dataclass(frozen=True, slots=True)
class ConversationSet:
    """Conversations, one sample each."""

    conversations: Sequence[Conversation]
    split: str
    """Author of the conversations, and the seed."""

    source: Source = field(default_factory=Source)
    skipped: Sequence[Skipped] = ()

    @property
    def documents(self) -> Sequence[Document]:
        """The conversations as documents."""
        return [_document(conversation) for conversation in self.conversations]

    def annotate(self, chunks: Mapping[str, Sequence[Chunk]], dataset: str, corpus: str) -> Extras:
        """Make the samples, the fact bank, and the transcripts as text files."""
        talks = self.conversations
        facts = {talk.persona.id: _facts(talk, chunks[talk.persona.id]) for talk in talks}
        all_facts = list(chain.from_iterable(facts.values()))
        samples = [
            _sample(talk, facts[talk.persona.id], source=dataset, corpus=corpus) for talk in talks
        ]
        transcripts = {f"{talk.persona.id}.txt": f"{talk.transcript}\n" for talk in talks}
        return Extras(
            files={SAMPLES: json_lines(samples), FACTS: bank_text(all_facts), **transcripts},
            counts={
                "samples": len(talks),
                **count_facts(all_facts),
            },
        )


def _document(talk: Conversation) -> Document:
    prefix = f"[CLIENT: {talk.persona.names} | TYPE: ADVISER_TALK | DATE: {talk.date}]"
    section = Section(title="Conversation", text=talk.transcript, prefix=prefix)
    return Document(talk.persona.id, talk.persona.names, talk.date.isoformat(), (section,))


def _facts(talk: Conversation, chunks: Sequence[Chunk]) -> list[FactRecord]:
    """Return the disclosures as facts; empty for conversations that a model wrote."""
    client = talk.persona.id
    stated_disclosures = zip(talk.disclosures, talk.statements, strict=True)
    facts = []
    for number, (disclosure, statement) in enumerate(stated_disclosures, start=1):
        fact = bank_fact(
            f"{client}#f{number:02}",
            client,
            statement,
            "generator",
            chunks,
            sentence=disclosure.citation,
            kind=disclosure.section,
        )
        facts.append(fact)
    return facts


def _sample(talk: Conversation, facts: Sequence[FactRecord], **metadata: str) -> dict[str, Any]:
    return sample_record(
        talk.persona.id,
        talk.transcript,
        talk.target,
        **metadata,
        doc_ids=[talk.persona.id],
        company=talk.persona.names,
        period=talk.date.isoformat(),
        style="client_file",
        question_type=talk.persona.type,
        facts=key_facts(facts),
    )


def read_advisor(
    limit: PositiveInt | None = None,
    seed: int = 54321,
    digressions: NonNegativeInt | None = None,
    model: str | None = None,
) -> ConversationSet:
    """Generate conversations of invented clients with a financial adviser.

    Args:
        limit: Number of households, of 34.
        seed: Seed of the generator; the same seed gives the same conversations.
        digressions: Generator: maximum digressions per conversation; fewer keep it short.
        model: Model that writes the conversations. Default: a generator.

    Raises:
        InputError: The model wrote no conversation that can be used.
    """
    personas = choose_personas(limit)
    if model is None:
        talks = generate_talks(personas, seed, digressions=digressions)
        return ConversationSet(list(talks), f"generator-seed{seed}")
    from .write_conversations import write_talks

    result = write_talks(personas, model, seed, log_dir="logs/talks")
    echo(f"Log of the model: {result.location}")
    for persona, reason in result.failed.items():
        echo(f"No conversation of {persona}: {reason}")
    return ConversationSet(result.talks, f"{model}-seed{seed}")
