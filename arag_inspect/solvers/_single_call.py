"""One model call over chosen passages."""

from collections.abc import Sequence

from inspect_ai.model import get_model
from inspect_ai.solver import TaskState

from ..corpus import Chunk
from ..models import context_window
from ..tools.chunk_read import passage, show_passage
from ..types.sample import SampleMetadata
from ..types.trace import TraceRecord
from ._run import skip, system_message

OVER_WINDOW = "the prompt is over the model's window"


async def answer_from(
    chunks: Sequence[Chunk],
    state: TaskState,
    metadata: SampleMetadata,
    trace: TraceRecord,
    prompt: str | None = None,
) -> TaskState:
    """Put passages before the request and call the model once."""
    trace.passages.extend(passage(chunk, loop=1) for chunk in chunks)
    request = state.user_prompt
    passages = "\n\n".join(show_passage(chunk) for chunk in chunks)
    request.text = f"{passages}\n\nRequest: {request.text}"
    return await answer_once(state, metadata, trace, "systems/with_passages", prompt)


async def answer_once(
    state: TaskState,
    metadata: SampleMetadata,
    trace: TraceRecord,
    default_prompt: str,
    prompt: str | None = None,
) -> TaskState:
    """Call the model once; a prompt over the model's window skips the sample.

    Raises:
        HalfReplyError: The provider interrupted the reply.
    """
    state.messages.insert(0, system_message(metadata, default_prompt, prompt))
    model = get_model()
    config = context_window.sent_once(model)
    state.output = await context_window.answer(model, state.messages, config=config)
    state.messages.append(state.output.message)
    if state.output.stop_reason == "model_length":
        return skip(state, trace, OVER_WINDOW)
    trace.loops = 1
    trace.stopped_by = "answer"
    return state
