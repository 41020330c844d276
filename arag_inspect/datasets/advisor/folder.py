"""Talks as documents and samples of a prepared folder."""

import json
from collections.abc import Sequence

from ...corpus import Document, Extras, Section
from .talk import Talk

SAMPLES = "samples.jsonl"


def document(talk: Talk) -> Document:
    """A talk as the corpus takes it in."""
    prefix = f"[CLIENT: {talk.persona.names} | TYPE: ADVISER_TALK | DATE: {talk.held}]"
    section = Section(title="Talk", text=talk.transcript, prefix=prefix)
    return Document(talk.persona.id, talk.persona.names, talk.held.isoformat(), (section,))


def annotate(talks: Sequence[Talk], corpus: str) -> Extras:
    """Make the samples of some talks, and the transcripts for people to read.

    Args:
        talks: One sample each.
        corpus: Name of the prepared folder.
    """
    transcripts = {f"{talk.persona.id}.txt": f"{talk.transcript}\n" for talk in talks}
    return Extras(
        files={SAMPLES: "".join(f"{_sample(talk, corpus)}\n" for talk in talks), **transcripts},
        counts={
            "samples": len(talks),
            "turns": sum(len(talk.turns) for talk in talks),
            "values": sum(len(talk.told) for talk in talks),
            "estimates": sum(told.is_estimate for talk in talks for told in talk.told),
        },
    )


def _sample(talk: Talk, corpus: str) -> str:
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
            },
        },
        ensure_ascii=False,
    )
