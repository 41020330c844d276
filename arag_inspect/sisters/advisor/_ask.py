"""Ask the model under test or the author, with one repair of each reply."""

from collections.abc import Callable
from typing import TypeVar

from inspect_ai.model import ChatMessageUser, Content, GenerateConfig, ModelOutput, get_model
from inspect_ai.solver import TaskState

from arag_inspect._util.json_text import ReplyParseError
from arag_inspect.judge._settings import generate
from arag_inspect.prompts import fill, load_prompt

T = TypeVar("T")


async def ask(
    state: TaskState,
    content: str | list[Content],
    read: Callable[[ModelOutput], T],
    *,
    config: GenerateConfig = GenerateConfig(),  # noqa: B008
    start: int = 0,
) -> T:
    """Ask, and once more with the reason if the reply cannot be read.

    A JSON schema that the server refuses is left out from then on.

    Args:
        state: Gets the messages and the output.
        content: The question.
        read: Reads a reply.
        config: Settings.
        start: First message of the state that is sent.

    Raises:
        ReplyParseError: The second reply cannot be read either, or the first is over the window.
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
    state.output = await generate(get_model(), state.messages[start:], config, [])
    state.messages.append(state.output.message)
    return state.output
