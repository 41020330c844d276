"""The share of the evidence that a system read, by the text of its passages, else their chunks."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from ..corpus.evidence import EvidenceText
from .sample import GoldChunks
from .trace import Passage


class EvidenceRead(NamedTuple):
    """The evidence of a sample, and its unread parts."""

    unit: Literal["evidence text", "gold chunk"]
    total: int
    missed: tuple[str, ...] | tuple[int, ...]
    """Texts, or ids of chunks, that were not read."""

    @property
    def number_read(self) -> int:
        """Number of texts or chunks that were read."""
        return self.total - len(self.missed)


def evidence_read(
    gold: GoldChunks, evidence: Sequence[str], passages: Sequence[Passage]
) -> EvidenceRead:
    """Return how much of a sample's evidence was read.

    A passage that is only a part of a gold chunk may lack the evidence, so its text decides;
    without texts of the evidence or the passages, the chunks decide.

    Args:
        gold: Chunks that contain the evidence.
        evidence: Texts of the evidence.
        passages: Passages that were read.
    """
    if evidence and are_parts(passages):
        text = text_of(passages)
        missed_texts = tuple(piece for piece in evidence if not text.holds(piece))
        return EvidenceRead("evidence text", len(evidence), missed_texts)
    chunks_read = gold.find_in(passage.chunk_id for passage in passages)
    missed_ids = tuple(chunk for chunk in gold.chunk_ids if chunk not in chunks_read)
    return EvidenceRead("gold chunk", len(gold.chunk_ids), missed_ids)


def are_parts(passages: Sequence[Passage]) -> bool:
    """Return whether the texts of all passages are known, and any is only a part of a chunk."""
    are_known = all(passage.text for passage in passages)
    return are_known and not all(passage.is_chunk and passage.how == "read" for passage in passages)


def text_of(passages: Sequence[Passage]) -> EvidenceText:
    """Return the text of passages in the order of their documents."""
    ordered_passages = sorted(passages, key=lambda passage: (passage.doc_id, passage.chunk_id))
    return EvidenceText([passage.text for passage in ordered_passages])
