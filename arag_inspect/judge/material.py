"""Show a judge the source of an answer: passage by passage, with headers, in order."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

from ..prompts import fence
from ..types.trace import Passage

MaterialKind = Literal["source", "reference", "none"]


class GradingMaterial(NamedTuple):
    """Texts that an answer is judged against."""

    kind: MaterialKind = "none"
    origin: str = ""
    """Origin of a source: `passages`, `tools`, `prompt`, `input`, `document`, `metadata:KEY` or
    `function`."""

    texts: Sequence[str] = ()
    passages: Sequence[Passage] = ()
    """The passage of each text; empty if the texts are not passages."""

    whole: bool = False
    """Whether a source is the whole document."""

    parts: int = 1
    """Number of parts in which a source was read."""

    left_out: Mapping[str, Sequence[str]] = MappingProxyType({})
    """Parts of a reference that are not judged, by kind."""

    @property
    def texts_below_table_heads(self) -> Sequence[str]:
        """All texts; passages with the head of a table that they continue."""
        return [passage.text_below_table_head for passage in self.passages] or self.texts

    @property
    def joined(self) -> str:
        """All texts as one."""
        return "\n\n".join(self.texts)


def show_source(source: GradingMaterial) -> str:
    """Fence a source, with the headers of passages if known."""
    if not source.passages:
        return fence("source", source.joined, origin=source.origin or None)
    passages = sort_by_document(source.passages)
    return "\n\n".join(_fence_passage(passage, source.origin) for passage in passages)


def _fence_passage(passage: Passage, origin: str) -> str:
    return fence(
        "source",
        passage.text,
        origin=origin or None,
        header=_passage_header(passage) or None,
        part=passage.part or None,
    )


def texts_with_headers(source: GradingMaterial) -> Sequence[str]:
    """Return texts in document order, each below a line with its header, if known."""
    if not source.passages:
        return source.texts
    return [
        f"{_passage_header(passage)} {passage.part}".strip() + f"\n{passage.text}"
        for passage in sort_by_document(source.passages)
    ]


def sort_by_document(passages: Sequence[Passage]) -> list[Passage]:
    """Order passages by document, in the order of their first passage, then by chunk.

    Passages with negative ids, which are not in a corpus, keep their order.
    """
    doc_ids = list(dict.fromkeys(passage.doc_id for passage in passages))
    ranks = {doc_id: rank for rank, doc_id in enumerate(doc_ids)}
    return sorted(passages, key=lambda p: (ranks[p.doc_id], max(p.chunk_id, -1)))


def _passage_header(passage: Passage) -> str:
    return passage.prefix or passage.doc_id
