"""The call of a model: retried, cached, and with one-line errors."""

from collections.abc import Sequence
from typing import Any

import anyio
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput
from inspect_ai.tool import Tool, ToolChoice, ToolSource
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_random_exponential

from .._util.encodable import encodable
from .call_monitor import calling, resumable_set, stop_run
from .overflow import ended_at_window, overflow_output
from .provider_faults import HalfReplyError, RefusedError, UnreadableReplyError, call_error
from .reply_cache import one_at_a_time, with_cache, with_conditions
from .request_key import with_key

INCOMPLETE_STOPS = ("max_tokens", "content_filter")
"""Stop reasons of a final though incomplete reply."""


_AGAIN = 5
"""Maximum retries of a reply that broke off."""

_AGAIN_UNREADABLE = 1
"""Maximum retries of a malformed reply."""


async def call_model(
    model: Model,
    messages: Sequence[ChatMessage],
    *,
    tools: Sequence[Tool | ToolSource] = (),
    tool_choice: ToolChoice | None = None,
    config: GenerateConfig = GenerateConfig(),  # noqa: B008
    broken: list[ModelOutput] | None = None,
) -> ModelOutput:
    """Call a model; an input over its window gives the stop reason `model_length`.

    Most providers report this. OpenAI-compatible providers do if the server uses OpenAI's error
    code; for other codes, as of llama.cpp, Inspect raises. The text of such an output is an error,
    not an answer. Lone surrogates are replaced in input and output. An unreadable reply, or
    one that broke off, is retried, like the transient faults that Inspect retries.

    Args:
        model: Model to ask.
        messages: Conversation.
        tools: Tools that it may call.
        tool_choice: The tool that it must call.
        config: Settings.
        broken: Receives the interrupted replies that were paid for.

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
    return await asking(
        _call_until_complete, model, prepared_messages, tools, tool_choice, config, broken
    )


def _is_enough(state: RetryCallState) -> bool:
    error = state.outcome.exception() if state.outcome is not None else None
    is_unreadable = isinstance(error, UnreadableReplyError)
    return state.attempt_number > (_AGAIN_UNREADABLE if is_unreadable else _AGAIN)


async def call_for_answer(
    model: Model, messages: Sequence[ChatMessage], **options: Any
) -> ModelOutput:
    """Call a model like `call_model`, and retry once if it gives neither text nor tool calls."""
    output = await call_model(model, messages, **options)
    is_given = output.completion.strip() or output.message.tool_calls
    if is_given or output.stop_reason in (*INCOMPLETE_STOPS, "model_length"):
        return output
    return await call_model(model, messages, **options)


async def _call_until_complete(
    model: Model,
    messages: list[ChatMessage],
    tools: Sequence[Tool | ToolSource],
    tool_choice: ToolChoice | None,
    config: GenerateConfig,
    broken: list[ModelOutput] | None,
) -> ModelOutput:
    """Call a model, and again while Inspect's cache gives interrupted replies."""
    while True:
        output, is_cached = await _request(model, messages, tools, tool_choice, config)
        if ended_at_window(model, output):
            output.choices[0].stop_reason = "model_length"
        try:
            _check_completeness(model, config, output)
        except HalfReplyError:
            if broken is not None and output.usage is not None:
                broken.append(output)
            if not is_cached:  # an earlier start cached it; the next request has another key
                raise
        else:
            return encodable(output)


async def _request(
    model: Model,
    messages: list[ChatMessage],
    tools: Sequence[Tool | ToolSource],
    tool_choice: ToolChoice | None,
    config: GenerateConfig,
) -> tuple[ModelOutput, bool]:
    """Return the output of one request, and whether Inspect's cache gave it."""
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
        overflow = overflow_output(str(model), error)
        if overflow is not None:
            return overflow, False
        fault = call_error(model, error)
        if fault is error:
            raise
        if isinstance(fault, RefusedError):
            stop_run(fault.message)
        raise fault from None  # the message has the cause; its frames are slow to render
    return output, call.cached


def _check_completeness(model: Model, config: GenerateConfig, output: ModelOutput) -> None:
    """Raise on an interrupted reply, which is neither an answer nor a verdict.

    A reply that reached its token limit or was refused is final. A provider that never gives a stop
    reason leaves Inspect's default unset. Servers with OpenAI's protocol may omit it: their reply
    is complete if it is not a stream, or if the stream ended with the usage.

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


def is_unpaid(output: ModelOutput) -> bool:
    """Return whether a provider refused a call, so that it cost nothing."""
    return output.usage is None and output.stop_reason in ("model_length", "content_filter")


def one_off_config(model: Model, config: GenerateConfig | None = None) -> GenerateConfig:
    """Disable the provider's cache for a call whose text is not sent again.

    Inspect's default writes every prompt to Anthropic's cache, which costs a quarter more than
    plain input. The user's `cache_prompt` setting takes precedence.
    """
    config = config or GenerateConfig()
    if config.cache_prompt is None and model.config.cache_prompt is None:
        return config.model_copy(update={"cache_prompt": False})
    return config
