"""A single call of the model under test."""

from collections.abc import Sequence

from inspect_ai.model import get_model
from inspect_ai.solver import TaskState

from arag_inspect.corpus import Chunk, Corpus
from arag_inspect.models.call import call_for_answer, one_off_config
from arag_inspect.systems.prompting import system_message
from arag_inspect.systems.tools.search import passage, show_passage
from arag_inspect.systems.tracing import skip
from arag_inspect.types.sample import SampleMetadata
from arag_inspect.types.trace import TraceRecord


async def answer_from(
    chunks: Sequence[Chunk],
    state: TaskState,
    metadata: SampleMetadata,
    trace: TraceRecord,
    prompt: str | None = None,
) -> TaskState:
    """Put passages before the request and call the model once."""
    parts = await _parts(chunks, metadata)
    trace.passages.extend(passage(chunk, 1, parts.get(chunk.chunk_id, "")) for chunk in chunks)
    request = state.user_prompt
    passages = "\n\n".join(show_passage(chunk, parts.get(chunk.chunk_id, "")) for chunk in chunks)
    request.text = f"{passages}\n\nRequest: {request.text}"
    return await answer_once(state, metadata, trace, "systems/with_passages", prompt)


async def _parts(chunks: Sequence[Chunk], metadata: SampleMetadata) -> dict[int, str]:
    """Return the places of chunks in their documents; those with negative ids are in none."""
    in_corpus = [chunk for chunk in chunks if chunk.chunk_id >= 0]
    if not in_corpus:
        return {}
    corpus = await Corpus.open_async(metadata.corpus)
    return await corpus.parts(in_corpus)


async def answer_once(
    state: TaskState,
    metadata: SampleMetadata,
    trace: TraceRecord,
    default_prompt: str,
    prompt: str | None = None,
) -> TaskState:
    """Call the model once; skip the sample if the prompt exceeds the model's window.

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
        return skip(state, trace, "the prompt is over the model's window")
    trace.loops = 1
    trace.stopped_by = "answer"
    return state
