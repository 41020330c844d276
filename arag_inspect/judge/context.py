"""Find the texts from which an answer was written."""

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any

import anyio.to_thread
from inspect_ai.log import transcript
from inspect_ai.solver import TaskState
from pydantic import BeforeValidator

from .._util.errors import InputError
from ..types.sample import sample_metadata
from ..types.trace import Passage, read_record, tool_texts
from .material import GradingMaterial
from .prompt_source import prompt_source
from .unscored import UnscoredError

_NAMES = ("passages", "tools", "input")


def metadata_key(parameter: str) -> str | None:
    """Return the key in `metadata:KEY`; None for other values."""
    mark, _, key = parameter.partition(":")
    return key if mark == "metadata" and key else None


def check_context(context: Any) -> Any:
    """Return a context if it is valid.

    Raises:
        InputError: The context is unknown.
    """
    names = ("auto", "document", *_NAMES)
    if callable(context) or context in names or metadata_key(str(context)):
        return context
    raise InputError(
        f"context {context!r} is unknown; choose from {', '.join((*names, 'metadata:KEY'))}"
    )


Context = Annotated[str | Callable[[TaskState], list[str]], BeforeValidator(check_context)]
"""`auto`, `passages`, `tools`, `input`, `document`, `metadata:KEY`, or a function of the state."""


async def resolve_context(state: TaskState, context: Context = "auto") -> GradingMaterial:
    """Find the texts from which the answer was written.

    Args:
        state: The sample.
        context: `passages` of the trace, `tools` (see `tool_texts`), `input` of the sample,
            `document` (see `whole_document`), `metadata:KEY` (text or list of texts), a function,
            or `auto`: the first of passages, tools and prompt (see `prompt_source`) that is not
            empty. For the systems of this package `auto` never uses the prompt, whose passages are
            in the trace. For replayed answers it uses the whole document, then the prompt if there
            is no corpus.

    Returns:
        The texts with their origin; no texts if none are found.
    """
    if callable(context):
        return _source("function", context(state))
    key = metadata_key(context)
    if key is not None:
        return _source(context, _metadata_texts(state, key))
    names = _sources_to_try(state) if context == "auto" else (context,)
    for name in names:
        source = await _read_source(state, name)
        if source.texts:
            return source
    return _source(names[-1], [])


def _sources_to_try(state: TaskState) -> tuple[str, ...]:
    """Return the sources of the text that a system read, best first."""
    trace = read_record(state)
    if not trace.has_unknown_passages:
        return ("passages", "tools") if trace.system else ("passages", "tools", "prompt")
    if state.metadata.get("corpus"):
        return ("passages", "tools", "document")
    return ("passages", "tools", "document", "prompt")


async def _read_source(state: TaskState, name: str) -> GradingMaterial:
    """Read one source; no texts if it is empty."""
    if name == "document":
        return await whole_document(state)
    if name == "passages":
        trace = read_record(state)
        passages = [passage for passage in trace.passages if passage.text.strip()]
        return _source_of_passages(name, passages, whole=trace.context == "document")
    if name == "tools":
        return _source(name, tool_texts(state.messages, transcript().events))
    if name == "input":
        return _source(name, [state.input_text])
    return _source(name, [prompt_source(state, transcript().events)])


def _source(origin: str, texts: Iterable[str], whole: bool = False) -> GradingMaterial:
    nonempty_texts = [text for text in texts if text.strip()]
    return GradingMaterial("source", origin, texts=nonempty_texts, whole=whole)


def _source_of_passages(origin: str, passages: Sequence[Passage], whole: bool) -> GradingMaterial:
    texts = [passage.text for passage in passages]
    return GradingMaterial("source", origin, texts=texts, passages=passages, whole=whole)


def _metadata_texts(state: TaskState, key: str) -> list[str]:
    value = state.metadata.get(key)
    items = value if isinstance(value, list | tuple) else [value]
    return [str(item) for item in items if item is not None]


def no_source(origin: str, otherwise: str) -> UnscoredError:
    """Return the error for an answer without a text to check it against.

    Args:
        origin: Origin of the source, which has no texts.
        otherwise: Explanation, unless the model was sent only the request.
    """
    if origin != "prompt":
        return UnscoredError("no_passages", otherwise)
    return UnscoredError(
        "only_request",
        "The log records only the request, no passages. If the metadata holds the text that was "
        "read, pass context=metadata:KEY.",
    )


async def texts_to_check(state: TaskState, context: Context) -> tuple[str, Sequence[str]]:
    """Return the origin and the texts of `source_to_check`."""
    source = await source_to_check(state, context)
    return source.origin, source.texts


async def source_to_check(state: TaskState, context: Context) -> GradingMaterial:
    """Find the texts from which the answer was written, at least one, and their origin.

    Raises:
        UnscoredError: No text is found.
    """
    source = await resolve_context(state, context)
    if not source.texts:
        key = None if callable(context) else metadata_key(context)
        if key is not None and key not in state.metadata:
            keys = ", ".join(state.metadata) or "nothing"
            raise UnscoredError("no_passages", f"The metadata has no `{key}`; it has {keys}.")
        raise no_source(source.origin, "The sample has no text to check the answer against.")
    return source


async def whole_document(state: TaskState) -> GradingMaterial:
    """Return the full text of the sample's documents.

    It comes from the trace if the system was given the whole document, else from the sample's
    metadata (`document`: text or list of texts), else from the prepared corpus in the metadata.
    Only then is a log alone insufficient.

    Returns:
        The texts in order; empty if the documents are not found.
    """
    trace = read_record(state)
    if trace.context == "document" and trace.passages:
        return _source_of_passages("document", trace.passages, whole=True)
    if "document" in state.metadata:
        return _source("document", _metadata_texts(state, "document"), whole=True)
    passages = await _document_passages(state)
    return _source_of_passages("document", passages, whole=True)


async def _document_passages(state: TaskState) -> list[Passage]:
    """Read the sample's documents from its prepared corpus, if any."""
    try:
        metadata = sample_metadata(state)
        if not metadata.corpus or not metadata.doc_ids:
            return []
        from ..corpus import Corpus  # loads pyarrow only if a corpus is read

        corpus = await Corpus.open_async(metadata.corpus)
        chunks = await anyio.to_thread.run_sync(corpus.document_chunks, metadata.doc_ids)
        parts = await corpus.parts(chunks)
    except InputError:
        return []
    return [
        Passage(c.chunk_id, c.doc_id, c.prefix, c.text, loop=0, part=parts[c.chunk_id])
        for c in chunks
    ]
