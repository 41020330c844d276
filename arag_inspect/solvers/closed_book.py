"""Closed book: the question alone."""

from inspect_ai.solver import Generate, Solver, TaskState, solver

from arag_inspect.solvers._run import answer_once, check_prompt, traced_run
from arag_inspect.types.sample import sample_metadata


@solver
def closed_book(*, prompt: str | None = None) -> Solver:
    """Answer from what the model already knows, without any document.

    The baseline of every comparison, and a check for contamination: good scores
    here are not due to retrieval.

    Args:
        prompt: System prompt to use instead of ours, as text or the path of a file.
    """

    check_prompt(prompt)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        metadata = sample_metadata(state)
        with traced_run(state, "closed_book", "none") as trace:
            return await answer_once(state, metadata, trace, "systems/closed_book", prompt)

    return solve
