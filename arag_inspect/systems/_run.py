"""Common parts of all systems: trace, clock, prompts and a single call of the model."""

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Literal

import anyio
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessageSystem, ModelOutput, get_model
from inspect_ai.solver import TaskState
from inspect_ai.util import LimitExceededError, sample_limits

from .._util.errors import InputError, check_choice
from .._util.files import digest
from ..corpus import Chunk, Corpus, Manifest, read_manifest
from ..models import context_window
from ..models.call_monitor import stopping
from ..models.mock_tokens import estimate_mock_tokens
from ..models.pricing import warn_of_unknown
from ..models.recorded.keys import asking
from ..models.reply_cache import answering
from ..models.spending import measuring_waits
from ..models.usage import add_calls
from ..prompts import (
    built_in,
    custom_prompt,
    fence,
    fill,
    load_prompt,
    prompt_file,
    prompts_digest,
)
from ..types.sample import SampleMetadata, most_words, replace_surrogates
from ..types.trace import ContextSource, TraceRecord, recording
from .tools.search import passage, show_passage

Scope = Literal["corpus", "sample_documents"]
"""Search scope: the whole corpus, or the documents of the sample."""

DEFAULT_LENGTH = 150
"""Words of a summary whose sample sets no length."""

_BASES: dict[ContextSource, str] = {"document": "document", "none": "memory"}
"""Sources that systems answer from instead of passages."""

OVER_WINDOW = "the prompt is over the model's window"


@contextmanager
def traced_run(
    state: TaskState,
    system: str,
    context: ContextSource,
    *,
    reads_once: bool = False,
    **parameters: object,
) -> Iterator[TraceRecord]:
    """Record a run of a system: its corpus, time, cost and reason for stopping.

    The cost is taken from Inspect's events, which include every call, even one that exceeded a
    limit and whose output was not used.

    Args:
        state: The sample.
        system: Name of the system.
        context: Kind of its passages.
        reads_once: Whether it reads once and then answers, by design.
        parameters: Parameters of the system; replies given under others are not reused.
    """
    if not any(message.role == "user" for message in state.messages):
        raise InputError(f"input of sample {state.sample_id} has no message of a user to answer")
    replace_surrogates(state)
    fence("passage", "")  # compiles its pattern once, before the clock runs
    about = asking(system=system, sample=str(state.sample_id), epoch=state.epoch)
    with stopping(), about, recording(state) as record:
        record.system = system
        record.context = context
        record.reads_once = reads_once
        manifest = _manifest(state)
        record.corpus_sha256 = manifest.chunks_sha256 if manifest else None
        warn_of_unknown([get_model()])
        estimate_mock_tokens([get_model()])
        first_event = len(transcript().events)
        try:
            conditions = _describe_conditions(manifest, parameters)
            with answering(f"{system} {state.sample_id}", conditions), _record_times(record):
                yield record
        except (LimitExceededError, anyio.get_cancelled_exc_class()) as error:
            record.stopped_by = "limit"  # a time limit cancels the task
            record.loops += isinstance(error, LimitExceededError)
            raise
        except Exception:
            record.stopped_by = "error"
            raise
        finally:
            add_calls(record, transcript().events[first_event:])


@contextmanager
def _record_times(record: TraceRecord) -> Iterator[None]:
    """Record the times of a block, unless the block sets them itself."""
    clock = sample_limits().working
    start = clock.usage
    wall_start = time.perf_counter()
    wait_times: list[float] = []
    try:
        with measuring_waits() as wait_times:
            yield
    finally:
        if record.wall_ms is None:
            record.wall_ms = round((time.perf_counter() - wall_start) * 1000, 1)
        if record.latency_ms is None:
            record.latency_ms = round((clock.usage - start - sum(wait_times)) * 1000, 1)


def _manifest(state: TaskState) -> Manifest | None:
    """Return the manifest of the sample's corpus; None if it names none that can be read."""
    corpus = (state.metadata or {}).get("corpus")
    if isinstance(corpus, str) and corpus:
        with suppress(InputError):  # systems that search report it
            return read_manifest(Corpus.locate(corpus))
    return None


def _describe_conditions(manifest: Manifest | None, parameters: Mapping[str, object]) -> str:
    """Return the digest of everything answers depend on besides the conversation."""
    texts = [version("arag_inspect"), prompts_digest(), json.dumps(parameters, default=str)]
    if manifest is not None:
        texts += [manifest.chunks_sha256, json.dumps(manifest.embedding.settings)]
    return digest(*texts)


def skip(state: TaskState, trace: TraceRecord, reason: str) -> TaskState:
    """End a sample without an answer; every scorer leaves it unscored.

    Args:
        state: The sample.
        trace: Its record.
        reason: Why, as a clause without a full stop.
    """
    trace.stopped_by = "skipped"
    trace.skipped = reason
    state.output = ModelOutput.from_content(model=str(state.model), content="")
    state.completed = True
    return state


def system_message(
    metadata: SampleMetadata,
    default: str,
    custom: str | None = None,
    context: ContextSource = "retrieved",
    **more: str,
) -> ChatMessageSystem:
    """Return the system prompt: how to work, then what to write in the sample's style.

    Args:
        metadata: Metadata of the sample.
        default: Name of our prompt.
        custom: The user's prompt instead, as text or path; it may hold `{{writing}}`,
            `{{target_length}}`, `{{most_words}}` and `{{company}}`, `{{period}}`.
        context: Kind of the system's passages.
        more: Further fields of our prompt.
    """
    length = metadata.target_length or DEFAULT_LENGTH
    if prompt_file(f"styles/{metadata.style}") is None:
        check_choice("style of the sample's metadata", metadata.style, built_in("styles"))
    writing = writing_instructions(metadata.style, length, context)
    fields = {
        "target_length": length,
        "most_words": most_words(length),
        "company": metadata.company,
        "period": metadata.period,
    }
    extra_fields = more if custom is None else {}
    try:
        prompt = custom_prompt(custom, _prompt_for_style(default, metadata.style))
        text = fill(prompt, writing=writing, **fields, **extra_fields)
    except KeyError as error:
        names = ", ".join(["writing", *fields])
        raise InputError(f"prompt names an unknown field {error}; it may hold {names}") from None
    return ChatMessageSystem(content=text)


def writing_instructions(style: str, target_length: int, context: ContextSource) -> str:
    """Return writing instructions: the same for all systems, except for the permitted source.

    Only a system that reads the whole document can know that something is not in it, and one that
    reads nothing has no source.

    Args:
        style: Style of the sample.
        target_length: Words.
        context: Kind of the system's passages.
    """
    basis = _BASES.get(context, "passages")
    return fill(
        load_prompt(f"styles/{style}"),
        target_length=target_length,
        most_words=most_words(target_length),
        support=load_prompt(_prompt_for_style(f"support/{basis}", style)),
    )


def _prompt_for_style(name: str, style: str) -> str:
    """Return the name of a style's variant of a prompt, else of the prompt itself."""
    folder, _, file = name.rpartition("/")
    variant = f"{folder}/{style}/{file}"
    return variant if prompt_file(variant) else name


def check_prompt(prompt: object) -> None:
    """Raise if a user's prompt cannot be filled, when the solver is created.

    Raises:
        InputError: It is not text, names a missing file, or has an unknown field.
    """
    if prompt is None:
        return
    if not isinstance(prompt, str) or not prompt.strip():
        raise InputError(f"prompt must be text or the path of a file, got {prompt!r}")
    is_single_word = "\n" not in prompt and " " not in prompt.strip()
    looks_like_path = is_single_word and re.search(r"[/\\]|\.(?:md|txt)$", prompt)
    if looks_like_path and not Path(prompt).is_file():
        raise InputError(f"prompt file {prompt} not found")
    system_message(SampleMetadata(), "systems/closed_book", prompt)


def require_corpus(metadata: SampleMetadata, state: TaskState) -> str:
    """Return the corpus of the sample.

    Raises:
        InputError: The sample names none.
    """
    if not metadata.corpus:
        raise InputError(
            f"sample {state.sample_id} names no corpus in its metadata; give it that of one made by "
            "`arag-inspect prepare`: Sample(..., metadata={'corpus': 'NAME'})"
        )
    return metadata.corpus


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
    config = context_window.sent_once(model)
    state.output = await context_window.answer(model, state.messages, config=config)
    state.messages.append(state.output.message)
    if state.output.stop_reason == "model_length":
        return skip(state, trace, OVER_WINDOW)
    trace.loops = 1
    trace.stopped_by = "answer"
    return state
