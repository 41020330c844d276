"""Calls of a model: over its window is an output, half a reply an error; what is not to be cached."""

import re
from collections.abc import Sequence

from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput
from inspect_ai.tool import Tool, ToolChoice, ToolSource

from .._util.encodable import encodable

_OVER = re.compile(
    r"exceeds? the available context size|exceed_context_size|context_length_exceeded"
    r"|maximum context length|exceeds the context window|prompt is too long",
    re.IGNORECASE,
)


CUT = ("max_tokens", "content_filter")
"""Stop reasons of a reply that is the model's last word, though not a whole one."""


class HalfReplyError(RuntimeError):
    """A reply that the provider did not bring to its end."""


async def generate(
    model: Model,
    messages: Sequence[ChatMessage],
    *,
    tools: Sequence[Tool | ToolSource] = (),
    tool_choice: ToolChoice | None = None,
    config: GenerateConfig = GenerateConfig(),  # noqa: B008
) -> ModelOutput:
    """Call a model; an input that is over its window gives the stop reason `model_length`.

    Most providers report it so. Those of OpenAI's kind do where the server
    uses OpenAI's error code; llama.cpp and others have their own, and Inspect
    raises. The text of such an output is an error, not an answer.
    Half a character neither goes out nor comes in.

    Raises:
        HalfReplyError: The provider broke the reply off.
    """
    try:
        output = await model.generate(
            encodable(list(messages)), tools=list(tools), tool_choice=tool_choice, config=config
        )
    except Exception as error:
        if (over := over_window(str(model), error)) is None:
            raise
        return over
    _check_whole(output)
    return encodable(output)


def _check_whole(output: ModelOutput) -> None:
    """Refuse a reply that its provider broke off: half of one is neither an answer nor a verdict.

    A reply that reached its token limit or was refused is the model's last word.
    A provider that never gives a stop reason leaves Inspect's default unset.

    Raises:
        HalfReplyError: There is none, or the provider gave no reason for its end.
    """
    if output.empty:
        raise HalfReplyError(output.error or f"{output.model} gave no reply")
    choice = output.choices[0]
    if choice.stop_reason == "unknown" and "stop_reason" in choice.model_fields_set:
        raise HalfReplyError(
            f"the reply of {output.model} was broken off (its stop reason is unknown)"
        )


def sent_once(model: Model, config: GenerateConfig | None = None) -> GenerateConfig:
    """Switch the provider's cache off for a call whose text is not sent again.

    Inspect's default writes every prompt to Anthropic's cache, which costs a
    quarter more than plain input. What the user says of `cache_prompt` wins.
    """
    config = config or GenerateConfig()
    if config.cache_prompt is None and model.config.cache_prompt is None:
        return config.model_copy(update={"cache_prompt": False})
    return config


def over_window(model: str, error: BaseException) -> ModelOutput | None:
    """The output for an error that says that the input is over the model's window; None for any other."""
    said = str(error.__cause__ or error)
    if _OVER.search(said) is None:
        return None
    return ModelOutput.from_content(model, said, stop_reason="model_length")
