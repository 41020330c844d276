"""Model calls, with rules for window overflow, interrupted replies and caching.

Window overflow is an output, an interrupted reply an error, and one-off prompts are not cached.
"""

import re
from collections.abc import Sequence
from typing import Any

import anyio
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, get_model_info
from inspect_ai.tool import Tool, ToolChoice, ToolSource
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_random_exponential

from .._util.encodable import encodable
from .call_monitor import calling, resumable_set, stop_run
from .provider_faults import HalfReplyError, RefusedError, UnreadableReplyError, call_error
from .recorded.keys import with_key
from .reply_cache import event_of, one_at_a_time, with_cache, with_conditions

_OVER = re.compile(
    r"exceeds? the available context size|exceed_context_size|context_length_exceeded"
    r"|maximum (?:context|prompt) length|context length of|exceeds the context window"
    r"|model's context length|must have less than \d+ tokens|should not exceed max_num_tokens"
    r"|(?:prompt|input) is too long|too many tokens|reduce the length of|exceeds the maximum number of"
    r" tokens|tokens` \+ `max_new_tokens` must be",
    re.IGNORECASE,
)


CUT = ("max_tokens", "content_filter")
"""Stop reasons of a final though incomplete reply."""


_AGAIN = 5
"""Maximum retries of a reply that broke off."""

_AGAIN_UNREADABLE = 1
"""Maximum retries of a malformed reply."""


async def generate(
    model: Model,
    messages: Sequence[ChatMessage],
    *,
    tools: Sequence[Tool | ToolSource] = (),
    tool_choice: ToolChoice | None = None,
    config: GenerateConfig = GenerateConfig(),  # noqa: B008
    broken: list[ModelOutput] | None = None,
) -> ModelOutput:
    """Call a model; an input over its window gives the stop reason `model_length`.

    Most providers report this. OpenAI-compatible ones do if the server uses OpenAI's error code;
    llama.cpp and others have other codes; Inspect raises. The text of such an output is an error,
    not an answer. Lone surrogates are replaced in input and output. A reply that broke off or
    cannot be read is retried, like the transient faults that Inspect retries.

    Args:
        model: Model to ask.
        messages: Conversation.
        tools: Tools that it may call.
        tool_choice: Which of them it must call.
        config: Settings.
        broken: Receives the replies that broke off and were paid for.

    Raises:
        HalfReplyError: The reply broke off each time.
        RefusedError: The provider rejects all calls.
        CallError: The provider did not answer this call.
    """
    asking = AsyncRetrying(
        retry=retry_if_exception_type(HalfReplyError),
        stop=_is_enough,
        wait=model.api.retry_wait() or wait_random_exponential(max=30),
        sleep=anyio.sleep,
        reraise=True,
    )
    prepared_messages = with_key(with_conditions(encodable(list(messages))))
    return await asking(_ask, model, prepared_messages, tools, tool_choice, config, broken)


def _is_enough(state: RetryCallState) -> bool:
    error = state.outcome and state.outcome.exception()
    is_unreadable = isinstance(error, UnreadableReplyError)
    return state.attempt_number > (_AGAIN_UNREADABLE if is_unreadable else _AGAIN)


async def answer(model: Model, messages: Sequence[ChatMessage], **options: Any) -> ModelOutput:
    """Call a model like `generate`, and retry once if it gives neither text nor tool calls."""
    output = await generate(model, messages, **options)
    is_given = output.completion.strip() or output.message.tool_calls
    if is_given or output.stop_reason in (*CUT, "model_length"):
        return output
    return await generate(model, messages, **options)


async def _ask(
    model: Model,
    messages: list[ChatMessage],
    tools: Sequence[Tool | ToolSource],
    tool_choice: ToolChoice | None,
    config: GenerateConfig,
    broken: list[ModelOutput] | None,
) -> ModelOutput:
    while True:
        try:
            settings = with_cache(config, model, messages, resumable_set())
            async with one_at_a_time(settings):
                with calling(model) as call:
                    output = await model.generate(
                        messages, tools=list(tools), tool_choice=tool_choice, config=settings
                    )
        except RefusedError:  # the run was stopped
            raise
        except Exception as error:
            overflow_output = over_window(str(model), error)
            if overflow_output is not None:
                return overflow_output
            fault = call_error(model, error)
            if fault is error:
                raise
            if isinstance(fault, RefusedError):
                stop_run(fault.message)
            raise fault from None  # the cause is named; its frames are slow to render
        if _ended_at_window(model, output):
            output.choices[0].stop_reason = "model_length"
        try:
            _check_completeness(model, config, output)
        except HalfReplyError:
            if broken is not None and output.usage is not None:
                broken.append(output)
            if call.cached:  # an earlier start cached it; the next request has another key
                continue
            raise
        return encodable(output)


def _ended_at_window(model: Model, output: ModelOutput) -> bool:
    """Return whether the window ended a reply of Anthropic, which Inspect reports as unknown.

    A stream that broke off looks the same. The raw reply tells them apart; Inspect keeps that of
    few calls, so without it the reply must have filled the model's window.
    """
    if output.empty or output.stop_reason != "unknown":
        return False
    event = event_of(output)
    response = event.call.response if event is not None and event.call is not None else None
    if response is not None:
        return response.get("stop_reason") == "model_context_window_exceeded"
    info = get_model_info(model)
    window = info.context_length if info is not None else None
    return bool(window and output.usage and output.usage.total_tokens >= window)


def _check_completeness(model: Model, config: GenerateConfig, output: ModelOutput) -> None:
    """Raise on an interrupted reply, which is neither an answer nor a verdict.

    A reply that reached its token limit or was refused is final. A provider that never gives a stop
    reason leaves Inspect's default unset. Servers that speak OpenAI's protocol may give none: their
    reply is whole if it did not come as a stream, or if the stream ended with the usage.

    Raises:
        HalfReplyError: The reply is missing, or has no stop reason.
    """
    if output.empty:
        raise HalfReplyError(output.error or f"{model} gave no reply")
    choice = output.choices[0]
    if choice.stop_reason != "unknown" or "stop_reason" not in choice.model_fields_set:
        return
    # only providers of OpenAI's protocol have it
    streams = getattr(model.api, "resolve_stream", None)
    if streams is None or (output.usage is None and streams(model.config.merge(config))):
        raise HalfReplyError(f"the reply of {model} was broken off (its stop reason is unknown)")


def unpaid(output: ModelOutput) -> bool:
    """Return whether a provider refused a call, so that it cost nothing."""
    return output.usage is None and output.stop_reason in ("model_length", "content_filter")


def sent_once(model: Model, config: GenerateConfig | None = None) -> GenerateConfig:
    """Disable the provider's cache for a call whose text is not sent again.

    Inspect's default writes every prompt to Anthropic's cache, which costs a quarter more than
    plain input. The user's `cache_prompt` setting takes precedence.
    """
    config = config or GenerateConfig()
    if config.cache_prompt is None and model.config.cache_prompt is None:
        return config.model_copy(update={"cache_prompt": False})
    return config


def over_window(model: str, error: BaseException) -> ModelOutput | None:
    """Return the output for a window-overflow error; None for any other error."""
    message = str(error.__cause__ or error)
    if _OVER.search(message) is None:
        return None
    return ModelOutput.from_content(model, message, stop_reason="model_length")
