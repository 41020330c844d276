"""Tool: read chunks in short."""

from collections.abc import Sequence

from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
    model_roles,
)
from inspect_ai.tool import Tool, tool
from inspect_ai.util import collect

from arag_inspect._util.bounds import QUERY, cut
from arag_inspect._util.encodable import encodable
from arag_inspect.corpus import Chunk
from arag_inspect.models.call import call_model, one_off_config
from arag_inspect.models.recorded import is_recorded
from arag_inspect.models.request_key import asking
from arag_inspect.prompts import fence, fill, load_prompt
from arag_inspect.systems.tools.results import join_paragraphs
from arag_inspect.systems.tools.search import (
    Ids,
    open_scoped,
    passage,
    read_requested,
    show_passage,
)
from arag_inspect.types.trace import current_loop, current_trace

DEFAULT_SUMMARIZER = "anthropic/claude-haiku-4-5-20251001"
WORDS = 100
"""Approximate words of a summary."""

_MAX_TOKENS = 300
"""Token limit of a summary, not a target."""

_OFFLINE = "offline/extractive"


@tool(max_output=0)
def chunk_summarize(*, corpus: str, doc_ids: Sequence[str] | None = None) -> Tool:
    """Read chunks in short: each compressed to about 100 words by a cheap model.

    For long documents that would fill the conversation if read in full. Its
    calls are the system's: their tokens and dollars are in the trace. The
    chunk counts as read (a claim is checked against the whole of it), and can
    still be read in full.

    Args:
        corpus: Prepared corpus to read from, by name or path.
        doc_ids: Documents to read from; None for the whole corpus.

    Model Roles:
        summarizer: Compresses, at temperature 0. Default claude-haiku-4-5; with
        `offline/extractive` or a recording as the model, itself.
    """

    async def execute(chunk_ids: Ids, focus: str | None = "") -> str:
        """Read shortened chunks, about 100 words each, when reading them in full would take too much room.

        Use this to look through many chunks of a long document. A summary can leave out what you need: read a chunk in full with chunk_read before you copy figures from it.

        Args:
            chunk_ids: Ids from search results, at most 20, e.g. [12, 13].
            focus: What matters most, e.g. "segment margins and their reasons".
        """
        focus, notice = cut(encodable((focus or "").strip()), QUERY)
        opened, allowed = await open_scoped(corpus, doc_ids)
        passages, note = await read_requested(chunk_ids, opened, allowed)
        trace = current_trace()
        loop = current_loop()
        how_read = {item.chunk_id: item.how for item in trace.passages}
        chunks = [chunk for chunk in passages if how_read.get(chunk.chunk_id) != "read"]
        ids_in_full = [str(chunk.chunk_id) for chunk in passages if chunk not in chunks]
        parts = await opened.parts(chunks)
        requests = [_compress_chunk(chunk, parts[chunk.chunk_id], focus) for chunk in chunks]
        texts = await collect(*requests)
        trace.passages.extend(
            passage(chunk, loop, parts[chunk.chunk_id], how="summarized")
            for chunk in chunks
            if chunk.chunk_id not in how_read
        )
        if ids_in_full:
            texts.append(f"Already read in full, see above: {', '.join(ids_in_full)}.")
        return join_paragraphs(*texts, note, notice)

    return execute


async def _compress_chunk(chunk: Chunk, part: str, focus: str) -> str:
    model = summarizer()
    config = GenerateConfig(max_tokens=_MAX_TOKENS)
    if model.config.temperature is None:
        config.temperature = 0
    focus_line = f"Keep above all: {focus}" if focus else "Keep what matters most."
    instructions = fill(
        load_prompt("systems/chunk_summarize"), target_length=WORDS, focus=focus_line
    )
    messages: list[ChatMessage] = [
        ChatMessageSystem(content=instructions),
        ChatMessageUser(content=show_passage(chunk)),
    ]
    config = one_off_config(model, config)
    with asking(purpose="shorten", part=f"chunk {chunk.chunk_id}"):
        output = await call_model(model, messages, config=config)
    text = _text(output) or "No summary could be made; read the chunk in full."
    attributes = {"chunk_id": chunk.chunk_id, "source": chunk.prefix, "part": part}
    return fence("passage", text, **attributes, form="summary")


def _text(output: ModelOutput) -> str:
    unusable = output.stop_reason in ("content_filter", "model_length")
    return "" if unusable else output.completion.strip()


def summarizer() -> Model:
    """Return the model bound to the role `summarizer`, else the default."""
    if "summarizer" in model_roles():
        return get_model(role="summarizer")
    model = get_model()
    return model if str(model) == _OFFLINE or is_recorded(model) else get_model(DEFAULT_SUMMARIZER)
