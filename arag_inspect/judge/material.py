"""Show a judge the source of an answer: passage by passage, with headers, in order."""

from collections.abc import Sequence
from typing import NamedTuple

from inspect_ai.solver import TaskState

from ..prompts import fence
from ..types.trace import Passage, recorded
from .context import SourceTexts, document_passages


class Places(NamedTuple):
    """The origins of a source's texts."""

    passages: Sequence[Passage] = ()
    """The passage of each text; empty if the texts are not passages."""

    whole: bool = False
    """Whether they are the whole document."""


async def places_of(state: TaskState, source: SourceTexts) -> Places:
    """Find the origins of the texts of a source, as returned by `resolve_context`.

    Args:
        state: The sample.
        source: Its source.
    """
    trace = recorded(state)
    if source.origin == "passages":
        passages = [passage for passage in trace.passages if passage.text.strip()]
        return Places(passages, whole=trace.context == "document")
    if source.origin != "document":
        return Places()
    if trace.context == "document" and trace.passages:
        return Places(trace.passages, whole=True)
    in_metadata = "document" in state.metadata
    return Places(() if in_metadata else await document_passages(state), whole=True)


def show_source(origin: str, texts: Sequence[str], passages: Sequence[Passage] = ()) -> str:
    """Fence a source, each passage with its header if these are known.

    Args:
        origin: Origin of the source, see `SourceTexts`.
        texts: Its texts.
        passages: The passage of each text; empty if they are not passages.
    """
    if not passages:
        return fence("source", "\n\n".join(texts), origin=origin or None)
    blocks = [_fence_passage(passage, origin) for passage in in_document_order(passages)]
    return "\n\n".join(blocks)


def _fence_passage(passage: Passage, origin: str) -> str:
    return fence(
        "source",
        passage.text,
        origin=origin or None,
        header=_passage_header(passage) or None,
        part=passage.part or None,
    )


def with_headers(texts: Sequence[str], passages: Sequence[Passage]) -> Sequence[str]:
    """Return texts in document order, each below a line with its header, if these are known."""
    if not passages:
        return texts
    return [
        f"{_passage_header(passage)} {passage.part}".strip() + f"\n{passage.text}"
        for passage in in_document_order(passages)
    ]


def in_document_order(passages: Sequence[Passage]) -> list[Passage]:
    """Order passages by document, in the order of their first passage, then by chunk.

    Those with negative numbers belong to no corpus, and keep their order.
    """
    doc_ids = list(dict.fromkeys(passage.doc_id for passage in passages))
    ranks = {doc_id: rank for rank, doc_id in enumerate(doc_ids)}
    return sorted(passages, key=lambda p: (ranks[p.doc_id], max(p.chunk_id, -1)))


def _passage_header(passage: Passage) -> str:
    return passage.prefix or passage.doc_id
