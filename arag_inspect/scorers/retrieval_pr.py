"""Retrieval precision and recall against gold chunks."""

from collections.abc import Sequence
from math import nan
from statistics import fmean

from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.models.usage import recorded_or_measured
from arag_inspect.scorers._scorer import PlainScorer, scorer
from arag_inspect.types.measures import MeasureSpec, measures
from arag_inspect.types.sample import GoldChunks, sample_metadata_or_default
from arag_inspect.types.trace import TraceRecord

MEASURES = measures(
    MeasureSpec("recall", "Recall", "", "Share of the gold chunks read.", role="primary"),
    MeasureSpec("precision", "Precision", "", "Share of reading that is gold.", role="secondary"),
    MeasureSpec("search_recall", "Search recall", "Found", "Share of gold chunks found or read."),
    MeasureSpec("documents", "Documents read", "Documents", "Share of its documents read."),
    scorer="retrieval_pr",
    family="retrieval",
)
DOCUMENTS = measures(
    MeasureSpec("document_recall", "Document recall", "Documents", role="secondary"),
    family="retrieval",
)


@scorer(MEASURES, any_length=True)
def retrieval_pr() -> PlainScorer:
    """Did the system read the chunks that hold the evidence, and few others?

    1. `recall`: gold chunks that were read / gold chunks.
    2. `precision`: chunks read that are gold / chunks read. A system that searched and read nothing
       has precision 0.
    3. `search_recall`: gold chunks that any search returned or that were read / gold chunks. A
       value well above `recall` means that the agent found evidence without reading it.
    4. `documents`: documents of the sample of which a chunk was read / documents. A comparison of
       two years that read one of them has 0.5, whatever its quality. NaN if the sample names none.
    5. Evidence that other chunks hold word for word is gold once: reading either copy finds it, and
       `precision` counts every copy.
    6. Unscored if there is no gold chunk, and if the passages were not retrieved (stuffing, closed
       book, replayed answers).

    Metadata: `recall_by_loop` (recall after loop 1, 2, ...), `read`, `missed` and `found_not_read`
    chunk ids, and `chunks`, the number of chunks read of each document.
    """

    def score(state: TaskState, target: Target) -> Score:
        trace, chunks = _chunks_by_document(state)
        gold = sample_metadata_or_default(state).gold
        if not gold.chunk_ids:
            raise UnscoredError("no_gold", "The sample names no gold chunk to find.")
        read = [passage.chunk_id for passage in trace.passages]
        found_ids = {chunk for search in trace.searches for chunk in search.chunk_ids} | set(read)
        total, hits, found_gold = len(gold.chunk_ids), gold.found(read), gold.found(found_ids)
        value = {
            "recall": len(hits) / total,
            "precision": len(gold.all.intersection(read)) / len(read) if read else 0.0,
            "search_recall": len(found_gold) / total,
            "documents": fmean(map(bool, chunks.values())) if chunks else nan,
        }
        return Score(
            value=value,
            explanation=(
                f"Read {len(read)} chunks in {trace.loops} loops, among them {len(hits)} of "
                f"{total} gold chunks; {len(found_gold)} were found."
            ),
            metadata={
                "recall_by_loop": _recall_by_loop(trace, gold),
                "read": read,
                "missed": sorted(set(gold.chunk_ids) - hits),
                "found_not_read": sorted(found_gold - hits),
                "chunks": chunks,
            },
        )

    return score


@scorer(DOCUMENTS, any_length=True)
def document_recall() -> PlainScorer:
    """Share of the sample's documents of which a chunk was read.

    The key `documents` of `retrieval_pr` alone, for samples without gold chunks. Unscored if the sample names no document, and if the passages were not retrieved (stuffing,
    closed book, replayed answers).

    Metadata: `chunks`, the number of chunks read of each document.
    """

    def score(state: TaskState, target: Target) -> Score:
        _, chunks = _chunks_by_document(state)
        if not chunks:
            raise UnscoredError("no_documents", "The sample names no document to read.")
        return Score(
            value=fmean(map(bool, chunks.values())),
            explanation=", ".join(f"{doc_id}: {count} chunks" for doc_id, count in chunks.items()),
            metadata={"chunks": chunks},
        )

    return score


def _chunks_by_document(state: TaskState) -> tuple[TraceRecord, dict[str, int]]:
    """Return the record of a sample, and the number of chunks read of each of its documents.

    Raises:
        UnscoredError: The system neither searched nor read chunks, and could not have done so.
    """
    trace = recorded_or_measured(state)
    may_search = trace.searches or trace.passages or (trace.system and trace.loops)
    if trace.context not in ("retrieved", "unknown") or not may_search:
        raise UnscoredError("no_retrieval", "The system does not retrieve passages.")
    read = [passage.doc_id for passage in trace.passages]
    if not all(read):  # a replayed trace may not name them
        return trace, {}
    return trace, {doc: read.count(doc) for doc in sample_metadata_or_default(state).doc_ids}


def _recall_by_loop(trace: TraceRecord, gold: GoldChunks) -> Sequence[float]:
    return [
        len(gold.found(p.chunk_id for p in trace.passages if p.loop <= loop)) / len(gold.chunk_ids)
        for loop in range(1, trace.loops + 1)
    ]
