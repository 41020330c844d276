"""Oracle: the gold evidence in the prompt, in one call."""

from inspect_ai.solver import Generate, Solver, TaskState, solver

from arag_inspect._util.errors import InputError
from arag_inspect.corpus import Chunk, Corpus
from arag_inspect.solvers._run import (
    answer_from,
    check_prompt,
    require_corpus,
    skip,
    traced_run,
)
from arag_inspect.types.sample import SampleMetadata, sample_metadata


@solver
def oracle(*, prompt: str | None = None) -> Solver:
    """Answer from the gold evidence alone, in one call, without retrieval.

    The ceiling of a comparison: what this model writes if retrieval is perfect. The evidence is
    the sample's `gold_chunk_ids`, and `evidence` where it names no chunk. A sample without
    either, or with more than fits into the model's window, is skipped.

    Args:
        prompt: System prompt to use instead of ours, as text or the path of a file.
    """
    check_prompt(prompt)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        metadata = sample_metadata(state)
        chunks = await named_chunks(state, metadata, metadata.gold_chunk_ids)
        with traced_run(state, "oracle", "gold") as trace:
            if not (evidence := chunks or _quoted(metadata)):
                return skip(state, trace, "it names no gold evidence")
            return await answer_from(evidence, state, metadata, trace, prompt)

    return solve


async def named_chunks(
    state: TaskState, metadata: SampleMetadata, chunk_ids: tuple[int, ...]
) -> list[Chunk]:
    """Return the chunks that a sample names.

    Raises:
        InputError: The corpus does not have one of them.
    """
    if not chunk_ids:
        return []
    corpus = await Corpus.open_async(require_corpus(metadata, state))
    if not all(isinstance(number, int) and 0 <= number < len(corpus) for number in chunk_ids):
        raise InputError(f"sample {state.sample_id} names chunks that its corpus does not have")
    return list(await corpus.chunks(chunk_ids))


def _quoted(metadata: SampleMetadata) -> list[Chunk]:
    """Return the texts of the evidence as chunks with numbers below 0, which no corpus has."""
    doc_id = metadata.doc_ids[0] if len(metadata.doc_ids) == 1 else ""
    prefix = " ".join(filter(None, (metadata.company, metadata.period)))
    return [
        Chunk(-number, doc_id, metadata.company, metadata.period, "", prefix, text, 0, ())
        for number, text in enumerate(metadata.evidence, 1)
    ]
