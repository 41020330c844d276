"""Score whether the gold evidence was retrieved."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from arag_inspect._util.wording import format_count
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.measure import MeasureSpec
from arag_inspect.measures.keyed_score import NoValue, keyed_score
from arag_inspect.measures.scorer import PlainScorer, scorer
from arag_inspect.models.usage import recorded_or_measured
from arag_inspect.types.evidence_read import text_of
from arag_inspect.types.sample import GoldChunks, GoldPage, sample_metadata_or_default
from arag_inspect.types.trace import Passage, TraceRecord

_OF_CHUNKS = ("recall", "precision", "search_recall")
"""Keys of the values that need gold chunks."""

_NOT_RECORDED = (
    "No passages were recorded: fill RetrievalTrace "
    "(docs/in-your-own-suite.md, What your own solver and samples provide)."
)


@scorer(
    MeasureSpec(
        "recall",
        "Recall",
        description="Share of the gold chunks read.",
        verb="finds more of the evidence",
        role="primary",
        decides=("summary",),
        aspect="recall",
        exported="retrieval_recall",
    ),
    MeasureSpec(
        "precision",
        "Precision",
        description="Share of the chunks read that are gold.",
        role="secondary",
        decides=("section",),
        aspect="precision",
        exported="retrieval_precision",
    ),
    MeasureSpec(
        "search_recall",
        "Search recall",
        "Found",
        "Share of gold chunks found or read.",
        aspect="search recall",
    ),
    MeasureSpec(
        "documents", "Documents read", "Documents", "Share of the sample's documents read."
    ),
    MeasureSpec(
        "evidence",
        "Evidence read",
        "Evidence",
        "Share of the evidence whose text is in what was read.",
        aspect="evidence read",
    ),
    family="retrieval",
    any_length=True,
    sets={"summary": "default", "answer": "default"},
)
def retrieval_pr() -> PlainScorer:
    """Did the system read the chunks that contain the evidence, and few others?

    1. `recall`: gold chunks that were read / gold chunks.
    2. `precision`: chunks read that are gold / chunks read. A system that searched and read nothing
       has precision 0, as in trec_eval (`set_P`).
    3. `search_recall`: gold chunks that any search returned or that were read / gold chunks. A
       value well above `recall` means that the agent found evidence without reading it.
    4. `documents`: documents of the sample with a chunk read / documents. A system that compares
       two years but read only one scores 0.5, whatever its answer. NaN if the sample lists no
       documents (`no_documents`), and if a passage is in no chunk and the system does not give its
       document (`unknown_document`).
    5. `evidence`: texts of the sample's `evidence` that are in the passages read / all of them. A
       passage that begins in a gold chunk counts for `recall`, but not here if it ends before the
       evidence does. Four in five letters and digits must agree, and all figures; adjacent passages
       of a document are read as one text. NaN without such texts, and if a passage has no text.
    6. Evidence that other chunks repeat verbatim counts once: reading any copy finds it, and
       `precision` counts every copy.
    7. The first three have no value (`no_gold`) if no gold chunk is known. Unscored without gold
       chunks, pages and evidence, and if passages were not retrieved (stuffing, closed book,
       replayed answers).

    Metadata: `recall_by_loop` (recall after loop 1, 2, ...), the chunk ids `read`, `missed` and
    `found_not_read`, and `chunks`, the number of chunks read of each document. If the sample has
    `gold_pages`, `pages` has the pages with a chunk read and the pages missed; the report has
    recall by document, page and chunk.
    """

    def score(state: TaskState, target: Target) -> Score:
        trace = retrieving_trace(state)
        sample_metadata = sample_metadata_or_default(state)
        gold = sample_metadata.gold
        if not (gold.chunk_ids or sample_metadata.gold_pages or sample_metadata.evidence):
            raise UnscoredError("no_gold", "The sample has no evidence to find.")
        ids_read = [passage.chunk_id for passage in trace.passages]
        found_ids = set(ids_read)
        for search in trace.searches:
            found_ids.update(search.chunk_ids)
        total = len(gold.chunk_ids)
        hits = gold.find_in(ids_read)
        found_gold = gold.find_in(found_ids)
        values: dict[str, float | NoValue] = dict.fromkeys(_OF_CHUNKS, NoValue("no_gold"))
        chunks_read = format_count(len(ids_read), "chunk")
        loops = format_count(trace.loops, "loop")
        outcome = "the gold chunks are unknown, so recall and precision have no value"
        if total:
            gold_read = gold.all.intersection(ids_read)
            values = {
                "recall": len(hits) / total,
                "precision": len(gold_read) / len(ids_read) if ids_read else 0.0,
                "search_recall": len(found_gold) / total,
            }
            outcome = (
                f"among them {len(hits)} of {total} gold chunks; searches found {len(found_gold)}"
            )
        chunks = _chunks_by_document(trace, sample_metadata.doc_ids)
        values["documents"] = _documents_share(chunks, sample_metadata.doc_ids)
        values["evidence"] = _evidence_share(sample_metadata.evidence, trace.passages)
        return keyed_score(
            values,
            explanation=f"Read {chunks_read} in {loops}; {outcome}.",
            metadata={
                "recall_by_loop": _recall_by_loop(trace, gold),
                "read": ids_read,
                "missed": sorted(set(gold.chunk_ids) - hits),
                "found_not_read": sorted(found_gold - hits),
                "chunks": chunks,
                **_pages(sample_metadata.gold_pages, ids_read),
            },
        )

    return score


def _documents_share(chunks: dict[str, int], doc_ids: Sequence[str]) -> float | NoValue:
    """Return the share of the documents with a chunk read."""
    if not chunks:
        return NoValue("unknown_document" if doc_ids else "no_documents")
    return fmean(map(bool, chunks.values()))


def _evidence_share(evidence: Sequence[str], passages: Sequence[Passage]) -> float | NoValue:
    """Return the share of the evidence texts that passages contain."""
    if not evidence:
        return NoValue("no_evidence")
    if not all(passage.text for passage in passages):
        return NoValue("no_text")
    return fmean(map(text_of(passages).holds, evidence))


def _pages(gold: Sequence[GoldPage], ids_read: Sequence[int]) -> dict[str, Any]:
    """Return the gold pages read and missed for the metadata; empty without gold pages."""
    pages: dict[str, list[list[str | int]]] = {"read": [], "missed": []}
    for page in gold:
        outcome = "missed" if set(page.chunk_ids).isdisjoint(ids_read) else "read"
        pages[outcome].append([page.doc_id, page.page])
    return {"pages": pages} if gold else {}


def _chunks_by_document(trace: TraceRecord, doc_ids: Sequence[str]) -> dict[str, int]:
    """Return the number of chunks read of each of a sample's documents; empty if unknown."""
    documents_read = [passage.doc_id for passage in trace.passages]
    if not all(documents_read):  # a text outside of chunks, without a document
        return {}
    return {doc_id: documents_read.count(doc_id) for doc_id in doc_ids}


def retrieving_trace(state: TaskState) -> TraceRecord:
    """Return the record of a sample whose passages were retrieved.

    Raises:
        UnscoredError: The system does not retrieve, or no search or passage was recorded.
    """
    trace = recorded_or_measured(state)
    if trace.context in ("document", "gold", "none") and not trace.withholds_passages:
        raise UnscoredError("no_retrieval", "The system does not retrieve passages.")
    has_searched = trace.system and (trace.loops or trace.context == "retrieved")
    may_search = trace.searches or trace.passages or has_searched
    if trace.withholds_passages or not may_search:
        raise UnscoredError("no_retrieval", _NOT_RECORDED)
    return trace


def _recall_by_loop(trace: TraceRecord, gold: GoldChunks) -> Sequence[float]:
    """Return the recall after each loop; empty without gold, or if a passage's loop is unknown."""
    recalls: list[float] = []
    is_unknown = trace.loops > 1 and any(passage.loop < 1 for passage in trace.passages)
    if not gold.chunk_ids or is_unknown:
        return recalls
    for loop in range(1, trace.loops + 1):
        ids_read = [passage.chunk_id for passage in trace.passages if passage.loop <= loop]
        recalls.append(len(gold.find_in(ids_read)) / len(gold.chunk_ids))
    return recalls
