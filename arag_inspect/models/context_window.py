"""Model calls, with rules for window overflow, interrupted replies and caching.

Window overflow is an output, an interrupted reply an error, and one-off prompts are not cached.
"""

import re
from collections.abc import Sequence

from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput
from inspect_ai.tool import Tool, ToolChoice, ToolSource

from .._util.encodable import encodable
from .spending import calling, kept

_OVER = re.compile(
    r"exceeds? the available context size|exceed_context_size|context_length_exceeded"
    r"|maximum context length|exceeds the context window|prompt is too long",
    re.IGNORECASE,
)


CUT = ("max_tokens", "content_filter")
"""Stop reasons of a final though incomplete reply."""


class HalfReplyError(RuntimeError):
    """A reply that the provider interrupted."""


async def generate(
    model: Model,
    messages: Sequence[ChatMessage],
    *,
    tools: Sequence[Tool | ToolSource] = (),
    tool_choice: ToolChoice | None = None,
    config: GenerateConfig = GenerateConfig(),  # noqa: B008
) -> ModelOutput:
    """Call a model; an input over its window gives the stop reason `model_length`.

    Most providers report it so. OpenAI-compatible ones do if the server
    uses OpenAI's error code; llama.cpp and others have their own, and Inspect
    raises. The text of such an output is an error, not an answer.
    Lone surrogates are replaced in input and output.

    Raises:
        HalfReplyError: The provider interrupted the reply.
    """
    sent = encodable(list(messages))
    while True:
        try:
            with calling(model) as call:
                output = await model.generate(
                    sent,
                    tools=list(tools),
                    tool_choice=tool_choice,
                    config=kept(model, sent, config),
                )
        except Exception as error:
            if (over := over_window(str(model), error)) is None:
                raise
            return over
        try:
            _check_whole(output)
        except HalfReplyError:
            if call.cached:  # of an earlier start: its next asking has another key
                continue
            raise
        return encodable(output)


def _check_whole(output: ModelOutput) -> None:
    """Raise on an interrupted reply, which is neither an answer nor a verdict.

    A reply that reached its token limit or was refused is final.
    A provider that never gives a stop reason leaves Inspect's default unset.

    Raises:
        HalfReplyError: The reply is missing, or has no stop reason.
    """
    if output.empty:
        raise HalfReplyError(output.error or f"{output.model} gave no reply")
    choice = output.choices[0]
    if choice.stop_reason == "unknown" and "stop_reason" in choice.model_fields_set:
        raise HalfReplyError(
            f"the reply of {output.model} was broken off (its stop reason is unknown)"
        )


def sent_once(model: Model, config: GenerateConfig | None = None) -> GenerateConfig:
    """Disable the provider's cache for a call whose text is not sent again.

    Inspect's default writes every prompt to Anthropic's cache, which costs a
    quarter more than plain input. The user's `cache_prompt` setting takes precedence.
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
