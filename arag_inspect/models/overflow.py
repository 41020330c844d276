"""Inputs and replies over a model's window."""

import re

from inspect_ai.model import Model, ModelOutput, get_model_info

from .reply_cache import event_of

_OVER = re.compile(
    r"exceeds? the available context size|exceed_context_size|context_length_exceeded"
    r"|maximum (?:context|prompt) length|context length of|exceeds the context window"
    r"|model's context length|must have less than \d+ tokens|should not exceed max_num_tokens"
    "|(?:prompt|input) is too long|too many tokens|reduce the length of"
    r"|exceeds the maximum number of tokens|tokens` \+ `max_new_tokens` must be",
    re.IGNORECASE,
)


def overflow_output(model: str, error: BaseException) -> ModelOutput | None:
    """Return the output for a window-overflow error; None for other errors."""
    message = str(error.__cause__ or error)
    if _OVER.search(message) is None:
        return None
    return ModelOutput.from_content(model, message, stop_reason="model_length")


def ended_at_window(model: Model, output: ModelOutput) -> bool:
    """Return whether the window ended a reply of Anthropic, which Inspect reports as unknown.

    An interrupted stream looks the same, but its raw reply differs. Inspect keeps few raw replies;
    without one, the reply must have filled the model's window.
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
