"""Naive RAG: one search, one call."""

from inspect_ai.solver import Generate, Solver, TaskState, solver

from arag_inspect.corpus import Corpus
from arag_inspect.errors import check_positive
from arag_inspect.sample import sample_metadata
from arag_inspect.solvers._measure import check_prompt, measured, require_corpus
from arag_inspect.solvers._single_call import answer_from
from arag_inspect.trace import Search


@solver
def naive_rag(*, top_k: int = 5, prompt: str | None = None) -> Solver:
    """Answer from the chunks that a semantic search with the question finds, in one call.

    Args:
        top_k: Number of chunks.
        prompt: System prompt to use instead of ours, as text or the path of a file.

    Raises:
        InputError: `top_k` is not positive.
    """
    check_positive(top_k=top_k)
    check_prompt(prompt)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        metadata = sample_metadata(state)
        corpus = await Corpus.open_async(require_corpus(metadata, state))
        await corpus.load()  # before the clock runs
        with measured(state, "naive_rag", "retrieved") as trace:
            hits = await corpus.semantic_search(state.input_text, top_k)
            trace.searches.append(
                Search(
                    tool="semantic_search",
                    query=state.input_text,
                    chunk_ids=[hit.chunk_id for hit in hits],
                    scores=[round(hit.score, 4) for hit in hits],
                    loop=1,
                )
            )
            chunks = [corpus.chunk(hit.chunk_id) for hit in hits]
            return await answer_from(chunks, state, generate, metadata, trace, prompt)

    return solve
