"""Calls of a model that end in an output also where the input is over its window."""

import re
from collections.abc import Sequence

from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput
from inspect_ai.tool import Tool, ToolChoice

_OVER = re.compile(
    r"exceeds? the available context size|exceed_context_size|context_length_exceeded"
    r"|maximum context length|exceeds the context window|prompt is too long",
    re.IGNORECASE,
)


async def generate(
    model: Model,
    messages: Sequence[ChatMessage],
    *,
    tools: Sequence[Tool] = (),
    tool_choice: ToolChoice | None = None,
    config: GenerateConfig = GenerateConfig(),  # noqa: B008
) -> ModelOutput:
    """Call a model; an input that is over its window gives the stop reason `model_length`.

    Most providers report it so. Those of OpenAI's kind do where the server
    uses OpenAI's error code; llama.cpp and others have their own, and Inspect
    raises. The text of such an output is an error, not an answer.
    """
    try:
        return await model.generate(
            list(messages), tools=list(tools), tool_choice=tool_choice, config=config
        )
    except Exception as error:
        output = over_window(str(model), error)
        if output is None:
            raise
        return output


def over_window(model: str, error: BaseException) -> ModelOutput | None:
    """The output for an error that says that the input is over the model's window; None for any other."""
    said = str(error.__cause__ or error)
    if _OVER.search(said) is None:
        return None
    return ModelOutput.from_content(model, said, stop_reason="model_length")
