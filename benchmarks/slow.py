"""Work that sleeps: with it, workers are compared and not the cores that they share."""

import time
from typing import Any

import numpy as np

from arag_inspect.corpus import Document
from arag_inspect.corpus.chunking import Chunk, chunk_document
from arag_inspect.corpus.stores.lance.parts import PartMaker

from .synthetic_chunks import unit_vectors

DOCUMENT, ANSWER = 0.5, 2.5
"""Seconds that a document and an answer take."""


class SlowMaker(PartMaker):
    """Makes parts without an embedding model."""

    def _embed(self, documents: list[Document]) -> tuple[list[Chunk], Any]:
        time.sleep(DOCUMENT * len(documents))
        chunks: list[Chunk] = []
        for document in documents:
            chunks += chunk_document(
                document,
                first_id=len(chunks),
                chunk_tokens=1000,
                count_tokens=lambda texts: [len(text) // 4 for text in texts],
            )
        sentences = sum(len(chunk.sentences) for chunk in chunks)
        return chunks, unit_vectors(np.random.default_rng(0), sentences)


def answer(question: str) -> str:
    """Answer, as the system `external` asks."""
    time.sleep(ANSWER)
    return f"{len(question)} characters were asked."
