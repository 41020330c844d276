"""One call over passages that are already chosen."""

from collections.abc import Sequence

from inspect_ai.solver import Generate, TaskState

from ..corpus import Chunk
from ..sample import SampleMetadata
from ..tools.chunk_read import passage, show_passage
from ..trace import TraceRecord
from ._measure import system_message


async def answer_from(
    chunks: Sequence[Chunk],
    state: TaskState,
    generate: Generate,
    metadata: SampleMetadata,
    trace: TraceRecord,
    prompt: str | None = None,
) -> TaskState:
    """Put passages before the request, call the model once, and count the call."""
    trace.passages.extend(passage(chunk, loop=1) for chunk in chunks)
    request = state.user_prompt
    passages = "\n\n".join(show_passage(chunk) for chunk in chunks)
    request.text = f"{passages}\n\nRequest: {request.text}"
    return await answer_once(state, generate, metadata, trace, "with_passages", prompt)


async def answer_once(
    state: TaskState,
    generate: Generate,
    metadata: SampleMetadata,
    trace: TraceRecord,
    default_prompt: str,
    prompt: str | None = None,
) -> TaskState:
    """Call the model once and count the call."""
    state.messages.insert(0, system_message(metadata, default_prompt, prompt))
    state = await generate(state, tool_calls="none")
    trace.loops = 1
    trace.count(state.output)
    trace.stopped_by = "answer"
    return state
