"""Long-context stuffing: the whole document in one call."""

import anyio.to_thread
from inspect_ai.solver import Generate, Solver, TaskState, solver

from arag_inspect._util.errors import check_positive
from arag_inspect.corpus import Corpus
from arag_inspect.solvers._run import answer_from, check_prompt, require_corpus, skip, traced_run
from arag_inspect.types.sample import sample_metadata


@solver
def stuffing(*, max_tokens: int = 180_000, prompt: str | None = None) -> Solver:
    """Answer from every chunk of the sample's documents in one call, without retrieval.

    A sample without documents uses the whole corpus.

    A document that is too long is not truncated: the sample is completed and marked
    as skipped with the count, and every scorer leaves it unscored.

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
        with traced_run(state, "stuffing", "document") as trace:
            chunks = await anyio.to_thread.run_sync(
                lambda: corpus.document_chunks(metadata.doc_ids or corpus.doc_ids)
            )
            tokens = sum(chunk.tokens for chunk in chunks)
            if tokens > max_tokens:
                return skip(state, trace, f"{tokens:,} tokens are over the limit of {max_tokens:,}")
            state = await answer_from(chunks, state, metadata, trace, prompt)
            if trace.skipped:
                trace.skipped = f"{tokens:,} tokens are over the model's window"
            return state

    return solve
