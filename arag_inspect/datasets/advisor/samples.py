"""Talks as documents and samples of a prepared folder."""

import json
from collections.abc import Mapping, Sequence

from ...corpus import FACTS, Chunk, Document, Extras, Section
from ..fact_bank.bank import FactRecord, bank_fact, bank_text, count_facts, shown
from .conversation import Conversation

SAMPLES = "samples.jsonl"


def document(talk: Conversation) -> Document:
    """A talk as the corpus takes it in."""
    prefix = f"[CLIENT: {talk.persona.names} | TYPE: ADVISER_TALK | DATE: {talk.held}]"
    section = Section(title="Conversation", text=talk.transcript, prefix=prefix)
    return Document(talk.persona.id, talk.persona.names, talk.held.isoformat(), (section,))


def annotate(
    talks: Sequence[Conversation], chunks: Mapping[str, Sequence[Chunk]], corpus: str
) -> Extras:
    """Make the samples of some talks, their fact bank, and the transcripts for people to read.

    Args:
        talks: One sample each.
        chunks: Those of each document.
        corpus: Name of the prepared folder.
    """
    banked = {talk.persona.id: _facts(talk, chunks[talk.persona.id]) for talk in talks}
    every = [fact for facts in banked.values() for fact in facts]
    lines = [_sample(talk, banked[talk.persona.id], corpus) for talk in talks]
    transcripts = {f"{talk.persona.id}.txt": f"{talk.transcript}\n" for talk in talks}
    return Extras(
        files={
            SAMPLES: "".join(f"{line}\n" for line in lines),
            FACTS: bank_text(every),
            **transcripts,
        },
        counts={
            "samples": len(talks),
            "turns": sum(len(talk.turns) for talk in talks),
            "estimates": sum(told.is_estimate for talk in talks for told in talk.told),
            **count_facts(every),
        },
    )


def _facts(talk: Conversation, chunks: Sequence[Chunk]) -> list[FactRecord]:
    """What was said, as lines of the fact bank; none where nobody knows."""
    return [
        bank_fact(
            f"{talk.persona.id}#f{number:02}",
            talk.persona.id,
            told.statement,
            "generator",
            chunks,
            sentence=told.citation,
            kind=told.section,
        )
        for number, told in enumerate(talk.told, 1)
    ]


def _sample(talk: Conversation, facts: Sequence[FactRecord], corpus: str) -> str:
    return json.dumps(
        {
            "id": talk.persona.id,
            "input": talk.transcript,
            "target": talk.target,
            "metadata": {
                "source": "advisor",
                "corpus": corpus,
                "doc_ids": [talk.persona.id],
                "company": talk.persona.names,
                "period": talk.held.isoformat(),
                "style": "client_file",
                "question_type": talk.persona.type,
                "facts": shown(facts),
            },
        },
        ensure_ascii=False,
    )
