"""Systems that call the model once: on nothing, passages, the evidence, or a document."""

from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import get_args

import anyio.to_thread
from inspect_ai.model import get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from arag_inspect._util.errors import InputError, check_choice, check_positive
from arag_inspect.corpus import EVERYTHING, Chunk, Corpus, Filter, Hit
from arag_inspect.models.call import call_for_answer, one_off_config
from arag_inspect.prompts import load_prompt
from arag_inspect.systems.prompting import check_prompt, system_message
from arag_inspect.systems.tools.results import search_of_hits
from arag_inspect.systems.tools.retrieval import (
    Retrieval,
    Retriever,
    Scope,
)
from arag_inspect.systems.tools.search import passage, show_passage
from arag_inspect.systems.tracing import skip, traced_run
from arag_inspect.types.sample import SampleMetadata, require_corpus, sample_metadata
from arag_inspect.types.system import CLOSED_BOOK, NAIVE_RAG, ORACLE, REFERENCE, STUFFING
from arag_inspect.types.trace import TraceRecord

_OVER_WINDOW = "the prompt is over the model's window"


@solver
def closed_book(*, prompt: str | None = None) -> Solver:
    """Answer from what the model already knows, without any document.

    The baseline of every comparison, and a check for contamination: good scores here are not due to
    retrieval.

    Args:
        prompt: System prompt to use instead of ours, as text or the path of a file.
    """

    check_prompt(prompt)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        metadata = sample_metadata(state)
        with traced_run(state, CLOSED_BOOK) as trace:
            if not await answer_once(state, metadata, trace, "systems/closed_book", prompt):
                skip(state, trace, _OVER_WINDOW)
        return state

    return solve


@solver
def naive_rag(
    *,
    top_k: int = 5,
    retriever: Retriever = "dense",
    rerank: str | None = None,
    scope: Scope = "corpus",
    prompt: str | None = None,
) -> Solver:
    """Answer from the chunks found by one search with the question, in one call.

    Args:
        top_k: Number of chunks.
        retriever: dense (by meaning), bm25 (by words) or hybrid (both, by reciprocal rank fusion).
        rerank: Cross-encoder of sentence-transformers, by name or folder, that orders the first 50
            chunks again.
        scope: What to search: the whole corpus, or only the documents that the sample is about;
            if there are several, each gets a share of the chunks.
        prompt: System prompt to use instead of ours, as text or the path of a file.

    Raises:
        InputError: `top_k` is not positive.
    """
    check_positive(top_k=top_k)
    check_prompt(prompt)
    check_choice("scope", scope, get_args(Scope))
    retrieval = Retrieval(retriever, rerank)
    tool = "semantic_search" if retriever == "dense" else f"{retriever}_search"
    parameters = {"top_k": top_k, "retriever": retriever, "rerank": rerank, "scope": scope}

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        metadata = sample_metadata(state)
        corpus = await Corpus.open_async(require_corpus(metadata, state))
        await retrieval.load(corpus)  # before the clock runs
        with traced_run(state, NAIVE_RAG, **parameters) as trace:
            hits: list[Hit] = []
            doc_ids = metadata.doc_ids if scope == "sample_documents" else ()
            for chunk_count, documents in _chunk_budgets(corpus, doc_ids, top_k):
                query = state.input_text
                hits += await retrieval.search(corpus, query, chunk_count, documents)
            trace.searches.append(search_of_hits(tool, state.input_text, hits, loop=1))
            chunks = [corpus.chunk(hit.chunk_id) for hit in hits]
            if not await answer_from(chunks, state, metadata, trace, prompt):
                skip(state, trace, _OVER_WINDOW)
        return state

    return solve


def _chunk_budgets(
    corpus: Corpus, doc_ids: tuple[str, ...], top_k: int
) -> list[tuple[int, Filter]]:
    """Return how many chunks to find in which documents; in the whole corpus if none is given."""
    if not doc_ids:
        return [(top_k, EVERYTHING)]
    base_count, remainder = divmod(top_k, len(doc_ids))
    return [
        (max(1, base_count + (index < remainder)), corpus.filter(doc_ids=[doc_id]))
        for index, doc_id in enumerate(doc_ids)
    ]


@solver
def oracle(*, prompt: str | None = None) -> Solver:
    """Answer from the gold evidence alone, in one call, without retrieval.

    The ceiling of a comparison: what this model writes if retrieval is perfect. The evidence is
    the sample's `gold_chunk_ids` or, without these, `evidence`. If it exceeds the model's window,
    the model gets the first chunks of every document, as many as fit; the report counts those left
    out. A sample without evidence is skipped.

    Args:
        prompt: System prompt to use instead of ours, as text or the path of a file.
    """
    check_prompt(prompt)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        metadata = sample_metadata(state)
        chunks = await named_chunks(state, metadata, metadata.gold_chunk_ids)
        with traced_run(state, ORACLE) as trace:
            evidence = chunks or _evidence_as_chunks(metadata)
            if not evidence:
                return skip(state, trace, "it has no gold evidence")
            messages = deepcopy(state.messages)
            for fewer_chunks in _ever_fewer(evidence):
                state.messages = deepcopy(messages)
                if await answer_from(fewer_chunks, state, metadata, trace, prompt):
                    return state
            return skip(state, trace, _OVER_WINDOW)

    return solve


def _ever_fewer(chunks: Sequence[Chunk]) -> Iterator[list[Chunk]]:
    """Yield all chunks, then three quarters of them, and so on down to one."""
    count = len(chunks)
    while count > 0:
        yield _spread_over_documents(chunks, count)
        count = count * 3 // 4


def _spread_over_documents(chunks: Sequence[Chunk], count: int) -> list[Chunk]:
    """Return the first chunks of each document in their order, at most `count` in total."""
    numbers: Counter[str] = Counter()
    ranks = []
    for chunk in chunks:
        ranks.append(numbers[chunk.doc_id])
        numbers[chunk.doc_id] += 1
    ranked_positions = sorted(range(len(chunks)), key=ranks.__getitem__)
    return [chunks[position] for position in sorted(ranked_positions[:count])]


async def named_chunks(
    state: TaskState, metadata: SampleMetadata, chunk_ids: tuple[int, ...]
) -> list[Chunk]:
    """Return the chunks whose ids a sample lists.

    Raises:
        InputError: The corpus does not have one of them.
    """
    if not chunk_ids:
        return []
    corpus = await Corpus.open_async(require_corpus(metadata, state))
    if not all(isinstance(number, int) and 0 <= number < len(corpus) for number in chunk_ids):
        raise InputError(f"sample {state.sample_id} names chunks that its corpus does not have")
    return list(await corpus.chunks(chunk_ids))


def _evidence_as_chunks(metadata: SampleMetadata) -> list[Chunk]:
    """Return the texts of the evidence as chunks with negative ids, which no corpus has."""
    doc_id = metadata.doc_ids[0] if len(metadata.doc_ids) == 1 else ""
    prefix = " ".join(filter(None, (metadata.company, metadata.period)))
    return [
        Chunk(-number, doc_id, metadata.company, metadata.period, "", prefix, text, 0, ())
        for number, text in enumerate(metadata.evidence, 1)
    ]


@solver
def stuffing(*, max_tokens: int = 180_000, prompt: str | None = None) -> Solver:
    """Answer from every chunk of the sample's documents in one call, without retrieval.

    A sample without documents uses the whole corpus.

    A document that is too long is not truncated: the sample is completed and marked as skipped with
    the count, and every scorer leaves it unscored.

    Args:
        max_tokens: Longest text, in tokens of the corpus's tokenizer, so that the same samples are
            skipped for every model. A text that exceeds the model's own window is skipped too.
        prompt: System prompt to use instead of ours, as text or the path of a file.

    Raises:
        InputError: `max_tokens` is not positive.
    """
    check_positive(max_tokens=max_tokens)
    check_prompt(prompt)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        metadata = sample_metadata(state)
        corpus = await Corpus.open_async(require_corpus(metadata, state))

        def read_document() -> Sequence[Chunk]:
            return corpus.document_chunks(metadata.doc_ids or corpus.doc_ids)

        with traced_run(state, STUFFING, max_tokens=max_tokens) as trace:
            chunks = await anyio.to_thread.run_sync(read_document)
            tokens = sum(chunk.tokens for chunk in chunks)
            length = f"{tokens:,} tokens by the corpus's tokenizer ({corpus.manifest.tokenizer})"
            if tokens > max_tokens:
                trace.skipped_tokens = tokens
                return skip(state, trace, f"{length} are over the limit of {max_tokens:,}")
            if not await answer_from(chunks, state, metadata, trace, prompt):
                trace.skipped_tokens = tokens
                skip(state, trace, f"{length} are over the model's window")
        return state

    return solve


@solver
def reference() -> Solver:
    """Write a silver reference from the complete relevant sections, in one call.

    The chunks are `reference_chunk_ids` in the sample's metadata or, without these,
    `gold_chunk_ids`. Sections that exceed the model's window are not truncated: the sample is
    skipped.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        metadata = sample_metadata(state)
        relevant = state.metadata.get("reference_chunk_ids") or metadata.gold_chunk_ids
        chunks = await named_chunks(state, metadata, tuple(relevant))
        with traced_run(state, REFERENCE) as trace:
            if not chunks:
                return skip(state, trace, "its filings have no section to write it from")
            prompt = load_prompt("systems/reference")
            if not await answer_from(chunks, state, metadata, trace, prompt):
                skip(state, trace, _OVER_WINDOW)
        return state

    return solve


async def answer_from(
    chunks: Sequence[Chunk],
    state: TaskState,
    metadata: SampleMetadata,
    trace: TraceRecord,
    prompt: str | None = None,
) -> bool:
    """Put passages before the request and call the model; return whether they fit."""
    parts = await _parts(chunks, metadata)
    trace.passages = [passage(chunk, 1, parts.get(chunk.chunk_id, "")) for chunk in chunks]
    request = state.user_prompt
    passages = "\n\n".join(show_passage(chunk, parts.get(chunk.chunk_id, "")) for chunk in chunks)
    request.text = f"{passages}\n\nRequest: {request.text}"
    return await answer_once(state, metadata, trace, "systems/with_passages", prompt)


async def _parts(chunks: Sequence[Chunk], metadata: SampleMetadata) -> dict[int, str]:
    """Return the places of chunks in their documents; chunks with negative ids have none."""
    corpus_chunks = [chunk for chunk in chunks if chunk.chunk_id >= 0]
    if not corpus_chunks:
        return {}
    corpus = await Corpus.open_async(metadata.corpus)
    return await corpus.parts(corpus_chunks)


async def answer_once(
    state: TaskState,
    metadata: SampleMetadata,
    trace: TraceRecord,
    default_prompt: str,
    prompt: str | None = None,
) -> bool:
    """Call the model once; return whether the prompt fits the model's window.

    Raises:
        HalfReplyError: The provider interrupted the reply.
    """
    instructions = system_message(metadata, default_prompt, prompt, trace.context)
    state.messages.insert(0, instructions)
    model = get_model()
    config = one_off_config(model)
    state.output = await call_for_answer(model, state.messages, config=config)
    state.messages.append(state.output.message)
    if state.output.stop_reason == "model_length":
        return False
    trace.loops = 1
    trace.stopped_by = "answer"
    return True
