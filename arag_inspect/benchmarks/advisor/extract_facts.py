"""Extract facts from a conversation into a form given by a JSON Schema."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

from inspect_ai.model import (
    ChatMessageUser,
    Content,
    ContentText,
    GenerateConfig,
    ModelOutput,
    ResponseSchema,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver

from arag_inspect._util.errors import InputError
from arag_inspect.judge.refused_settings import call_with_accepted_settings
from arag_inspect.models.call import INCOMPLETE_STOPS, one_off_config
from arag_inspect.prompts import fence, fill, load_prompt
from arag_inspect.systems.tracing import skip, traced_run
from arag_inspect.text.replies import ReplyParseError, read_json
from arag_inspect.types.system import System

from .schema import Schema, load_schema
from .tracked import transcript_of

T = TypeVar("T")

_SYSTEM = System("extract_facts", "document")


async def ask(
    state: TaskState,
    content: str | list[Content],
    read: Callable[[ModelOutput], T],
    *,
    config: GenerateConfig = GenerateConfig(),  # noqa: B008
    start: int = 0,
) -> T:
    """Ask, and retry once with the reason if the reply is unreadable.

    A JSON schema that the server rejects is omitted from then on.

    Args:
        state: Gets the messages and the output.
        content: The question.
        read: Reads a reply.
        config: Settings.
        start: First message of the state that is sent.

    Raises:
        ReplyParseError: The second reply is unreadable too, or the first exceeds the window.
    """
    state.messages.append(ChatMessageUser(content=content))
    try:
        return read(await _reply(state, config, start))
    except ReplyParseError as error:
        if state.output.stop_reason == "model_length":
            raise
        repair = fill(load_prompt("extraction/repair"), reason=str(error))
        state.messages.append(ChatMessageUser(content=repair))
        return read(await _reply(state, config, start))


async def _reply(state: TaskState, config: GenerateConfig, start: int) -> ModelOutput:
    messages = state.messages[start:]
    call = await call_with_accepted_settings(get_model(), lambda _: messages, config)
    state.output = call.output
    state.messages.append(state.output.message)
    return state.output


@solver
def extract_facts(*, schema: str | None = None, review: bool = False) -> Solver:
    """Extract what is said in a transcript, as one JSON object that fits a schema.

    The schema is in the prompt, and enforced by providers that can. A provider that rejects it
    (they limit its complexity) is asked once more without it. After a reply without a JSON
    object, the model is asked once more, with the reason; then the sample is marked as skipped with
    that reason, and every scorer leaves it unscored. A reply that is refused or cut off at its
    token limit twice is the answer, and is scored. The answer is the JSON object alone;
    `client_file` measures whether it fits the schema.

    Args:
        schema: Path of a JSON Schema. Default: a client's finances.
        review: Let the model check its own extraction against the transcript in a second pass. If
            that is unreadable, the first pass is the answer.

    Raises:
        InputError: The schema is invalid.
    """
    form = load_schema(schema)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        transcript = transcript_of(state)
        if not transcript.strip():
            raise InputError(f"sample {state.sample_id} has no transcript, as input or metadata")
        with traced_run(state, _SYSTEM, review=review) as trace:
            state.messages.clear()
            config = GenerateConfig() if review else one_off_config(get_model())
            config.response_schema = ResponseSchema(name="extraction", json_schema=form.response)
            fenced = fence("transcript", transcript)
            try:
                record = await _ask(state, "extract_facts", form, config, fenced)
                state.output.completion = _format_json(record)
                if review:
                    outcome = await _review(state, record, form, config, fenced)
                    state.store.set("extract_facts", {"review": outcome})
            except ReplyParseError as error:
                if state.output.stop_reason not in INCOMPLETE_STOPS:
                    return skip(state, trace, str(error))
            finally:
                trace.loops = sum(message.role == "assistant" for message in state.messages)
            trace.stopped_by = "answer"
            return state

    return solve


async def _ask(
    state: TaskState,
    prompt: str,
    form: Schema,
    config: GenerateConfig,
    transcript: str,
    **fields: str,
) -> dict[str, Any]:
    """Ask for a JSON object.

    The transcript comes first, so that the provider can cache it for the next question.

    Raises:
        ReplyParseError: The second reply lacks a JSON object too.
    """
    template = load_prompt(f"extraction/{prompt}")
    text = fill(template, schema=form.text.strip(), **fields).strip()
    is_kept = config.cache_prompt is not False
    parts = [ContentText(text=transcript, cache_breakpoint=is_kept), ContentText(text=text)]
    return await ask(state, [*parts], _parse, config=config, start=len(state.messages))


async def _review(
    state: TaskState, record: dict[str, Any], form: Schema, config: GenerateConfig, transcript: str
) -> str:
    """Let the model check its record, and report the outcome; ignore an unreadable reply."""
    previous_output = state.output
    extraction = fence("extraction", _format_json(record))
    try:
        reviewed = await _ask(
            state, "review_facts", form, config, transcript, extraction=extraction
        )
    except ReplyParseError as error:
        state.output = previous_output
        return f"left out: {error}"
    state.output.completion = _format_json(reviewed)
    return "unchanged" if reviewed == record else "changed"


def _parse(output: ModelOutput) -> dict[str, Any]:
    reasons = {
        "model_length": "the transcript is over the model's window",
        "content_filter": "the reply was refused",
    }
    if output.stop_reason in reasons:
        raise ReplyParseError(reasons[output.stop_reason])
    record = read_json(output.completion)
    if record is None:
        is_cut = output.stop_reason == "max_tokens"
        cut_off_message = "the reply was cut off before the JSON object ended; be brief"
        raise ReplyParseError(cut_off_message if is_cut else "the reply has no JSON object")
    return record


def _format_json(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False)
