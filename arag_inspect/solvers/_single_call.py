"""One call over passages that are already chosen."""

from collections.abc import Sequence

from inspect_ai.solver import Generate, TaskState

from ..corpus import Chunk
from ..models.context_window import over_window
from ..tools.chunk_read import passage, show_passage
from ..types.sample import SampleMetadata
from ..types.trace import TraceRecord
from ._run import skip, system_message

OVER_WINDOW = "the prompt is over the model's window"


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
    return await answer_once(state, generate, metadata, trace, "systems/with_passages", prompt)


async def answer_once(
    state: TaskState,
    generate: Generate,
    metadata: SampleMetadata,
    trace: TraceRecord,
    default_prompt: str,
    prompt: str | None = None,
) -> TaskState:
    """Call the model once and count the call; a prompt over the model's window skips the sample."""
    state.messages.insert(0, system_message(metadata, default_prompt, prompt))
    try:
        state = await generate(state, tool_calls="none")
    except Exception as error:
        if over_window(str(state.model), error) is None:
            raise
        return skip(state, trace, OVER_WINDOW)
    if state.output.stop_reason == "model_length":
        return skip(state, trace, OVER_WINDOW)
    trace.loops = 1
    trace.count(state.output)
    trace.stopped_by = "answer"
    return state
