"""Reference: a summary by a model that is given all relevant sections."""

from inspect_ai.solver import Generate, Solver, TaskState, solver

from arag_inspect.prompts import load_prompt
from arag_inspect.solvers._run import answer_from, check_prompt, skip, traced_run
from arag_inspect.solvers.oracle import named_chunks
from arag_inspect.types.sample import sample_metadata


@solver
def reference(*, prompt: str | None = None) -> Solver:
    """Write a silver reference from the complete relevant sections, in one call.

    The sample's metadata name the chunks: `reference_chunk_ids`, or else
    `gold_chunk_ids`. Sections over the model's window are not truncated:
    the sample is skipped.

    Args:
        prompt: System prompt to use instead of ours, as text or the path of a file.
    """
    check_prompt(prompt)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        metadata = sample_metadata(state)
        relevant = state.metadata.get("reference_chunk_ids") or metadata.gold_chunk_ids
        chunks = await named_chunks(state, metadata, tuple(relevant))
        with traced_run(state, "reference", "document") as trace:
            if not chunks:
                return skip(state, trace, "its filings have no section to write it from")
            system_prompt = prompt or load_prompt("systems/reference")
            return await answer_from(chunks, state, metadata, trace, system_prompt)

    return solve
