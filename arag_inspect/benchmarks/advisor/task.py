"""Client conversations: the data set and its task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from inspect_ai import Task, task
from pydantic import NonNegativeInt, PositiveInt

from arag_inspect import scorers as measures
from arag_inspect._util.errors import echo
from arag_inspect.benchmarks._shared.fact_bank import (
    FactRecord,
    bank_fact,
    bank_text,
    count_facts,
    shown,
)
from arag_inspect.benchmarks._shared.prepared_files import SAMPLES, json_lines, sample_record
from arag_inspect.benchmarks._shared.scorer_sets import Makers, named_scorers
from arag_inspect.benchmarks._shared.spec import DatasetSpec
from arag_inspect.benchmarks._shared.task import build_task, known_parameters, prepared_dataset
from arag_inspect.corpus import FACTS, Chunk, Document, Extras, Section, Source
from arag_inspect.corpus.documents.text import Skipped
from arag_inspect.judge.judge import SEED

from .client_file import client_file
from .conversation import Conversation, choose_personas
from .extract_facts import extract_facts
from .generator import generate_talks
from .schema import load_schema


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
        all_facts = [fact for records in facts.values() for fact in records]
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
    facts = zip(talk.disclosures, talk.statements, strict=True)
    return [
        bank_fact(
            f"{client}#f{number:02}",
            client,
            statement,
            "generator",
            chunks,
            sentence=disclosure.citation,
            kind=disclosure.section,
        )
        for number, (disclosure, statement) in enumerate(facts, start=1)
    ]


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
        facts=shown(facts),
    )


def read_advisor(
    limit: PositiveInt | None = None,
    seed: int = 54321,
    digressions: NonNegativeInt | None = None,
    model: str | None = None,
    log_dir: str = "logs/talks",
) -> ConversationSet:
    """Generate conversations of invented clients with a financial adviser.

    Args:
        limit: Only so many of the 34 households.
        seed: Seed of the generator; the same seed gives the same conversations.
        digressions: Generator: most digressions of a conversation; few keep it short.
        model: Model that writes the conversations. Default: a generator.
        log_dir: Logs of that model.

    Raises:
        InputError: The model wrote no conversation that can be used.
    """
    personas = choose_personas(limit)
    if model is None:
        talks = generate_talks(personas, seed, digressions=digressions)
        return ConversationSet(list(talks), f"generator-seed{seed}")
    from .write_conversations import write_talks

    result = write_talks(personas, model, seed, log_dir=log_dir)
    echo(f"Log of the model: {result.location}")
    for persona, reason in result.failed.items():
        echo(f"No conversation of {persona}: {reason}")
    return ConversationSet(result.talks, f"{model}-seed{seed}")


DATASET = DatasetSpec(
    name="advisor",
    title="Conversations with an adviser",
    summary="Conversations of invented clients with a financial adviser, with every value known.",
    read=read_advisor,
    evaluate="advisor_facts",
    corpus="advisor",
    licence="MIT",
    citation="generated by this package",
)


@task
@known_parameters
def advisor_facts(
    *,
    corpus: str | None = None,
    schema: str | None = None,
    review: bool = False,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Extract a client's finances from the transcript of a conversation with an adviser.

    Prepare the conversations first: `arag-inspect prepare advisor`.

    Common parameters and model roles: see `arag_inspect.tasks`.

    Args:
        schema: Path of a JSON Schema that the answer must fit. Default: a client's finances.
        review: Let the model check its own extraction in a second pass.
    """
    makers: Makers = {
        "fact_match": measures.fact_match,
        "client_file": partial(client_file, schema=schema),
        "efficiency": measures.efficiency,
    }
    sets = {
        "no_grader": ("client_file", "efficiency"),
        "default": tuple(makers),
    }
    return build_task(
        prepared_dataset("advisor", corpus),
        extract_facts(schema=schema, review=review),
        named_scorers(scorers, makers, sets),
        metadata={"schema": load_schema(schema).digest},
        seed=SEED,
    )
