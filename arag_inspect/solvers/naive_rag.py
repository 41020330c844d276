"""Naive RAG: one search, one call."""

from typing import get_args

from inspect_ai.solver import Generate, Solver, TaskState, solver

from arag_inspect._util.errors import check_choice, check_positive
from arag_inspect.corpus import Corpus, Filter, Hit
from arag_inspect.solvers._run import Scope, answer_from, check_prompt, require_corpus, traced_run
from arag_inspect.tools.retrieval import Retriever, check_retriever, load_retriever, retrieve
from arag_inspect.types.sample import sample_metadata
from arag_inspect.types.trace import Search


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
        rerank: Cross-encoder of sentence-transformers, by name or folder, that orders the first 50 chunks again.
        scope: What to search: the whole corpus, or only the documents that the sample is about; where they are several, each gets its share of the chunks.
        prompt: System prompt to use instead of ours, as text or the path of a file.

    Raises:
        InputError: `top_k` is not positive.
    """
    check_positive(top_k=top_k)
    check_prompt(prompt)
    check_choice("scope", scope, get_args(Scope))
    check_retriever(retriever, rerank)
    tool = "semantic_search" if retriever == "dense" else f"{retriever}_search"

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        metadata = sample_metadata(state)
        corpus = await Corpus.open_async(require_corpus(metadata, state))
        await load_retriever(corpus, retriever, rerank)  # before the clock runs
        with traced_run(state, "naive_rag", "retrieved") as trace:
            hits: list[Hit] = []
            doc_ids = metadata.doc_ids if scope == "sample_documents" else ()
            for share, allowed in _parts(corpus, doc_ids, top_k):
                query = state.input_text
                hits += await retrieve(corpus, query, share, allowed, retriever, rerank)
            trace.searches.append(
                Search(
                    tool=tool,
                    query=state.input_text,
                    chunk_ids=[hit.chunk_id for hit in hits],
                    scores=[round(hit.score, 4) for hit in hits],
                    loop=1,
                )
            )
            chunks = [corpus.chunk(hit.chunk_id) for hit in hits]
            return await answer_from(chunks, state, metadata, trace, prompt)

    return solve


def _parts(corpus: Corpus, doc_ids: tuple[str, ...], top_k: int) -> list[tuple[int, Filter | None]]:
    """Return chunks to find in each document, or in the whole corpus if none is named."""
    if not doc_ids:
        return [(top_k, None)]
    least, remainder = divmod(top_k, len(doc_ids))
    return [
        (max(1, least + (index < remainder)), corpus.filter(doc_ids=[doc_id]))
        for index, doc_id in enumerate(doc_ids)
    ]
