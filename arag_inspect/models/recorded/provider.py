"""The provider `recorded`: answers each request with the reply that was recorded for its key."""

from typing import Any

import anyio.to_thread
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    modelapi,
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo
from inspect_ai.util import StoreModel, store_as
from pydantic import Field

from ..._util.errors import InputError
from ..._util.files import file_digest
from ..call_monitor import count_fault
from ..request_key import RequestKey, asked_about, key_of
from . import PROVIDER
from .recording import AGAIN, RecordedReply, Request, missing_from, read_recording, read_request

CHANGED = "prompts have changed since the recording"
MISSING = "questions to the judge are not in the recording and have no verdict"


class Replayed(StoreModel):
    """A sample's use of recordings, for its log."""

    of: list[str] = Field(default_factory=list)
    """Description of each recording."""

    changed: int = 0
    """Replies to requests whose wording has changed since."""

    missing: int = 0
    """Questions of scorers that were not recorded."""


@modelapi(name=PROVIDER)
def recorded() -> type[ModelAPI]:
    """Return the models whose replies were recorded: `recorded/NAME`, or `recorded/PATH.jsonl`."""
    return Recorded


class Recorded(ModelAPI):
    """Replays a run: tools and program scorers run, with recorded answers and verdicts.

    A reply is found by the subject of its request (`RequestKey`). It is refused only if it relies
    on a text or form that has changed: a chunk read, an answer judged, a quoted passage, the
    schema. Other changes of the request are counted. A scorer's question that was not recorded has
    no verdict, and is counted too. Tokens and dollars are taken from the recorded call; times are
    unknown.
    """

    def __init__(
        self,
        model_name: str,
        *,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008
        **_: Any,
    ) -> None:
        super().__init__(model_name, config=config)
        path, self._recording = read_recording(model_name)
        self.version = file_digest(path)
        self.as_json = self._recording.header.as_json
        """Whether verdicts were requested as JSON."""

    def canonical_name(self) -> str:
        """Return the whole name, so that prices of models of the same name do not apply."""
        return f"{PROVIDER}/{self.model_name}"

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Return the reply to a request.

        Raises:
            InputError: A system's reply is missing, or relies on a text that is gone.
        """
        key = key_of(input, asked_about())
        if key is None:
            raise InputError(
                f"{PROVIDER}/{self.model_name} replays what systems and scorers of arag-inspect "
                "ask about a sample, but this request names no sample"
            )
        request = await anyio.to_thread.run_sync(read_request, input, tools, config)
        reply = self._recording.replies.get(key)
        if reply is None and key.is_of_judge:
            return self._no_verdict(key)
        if reply is None:
            raise self._refusal(key, "is not in the recording")
        missing_basis = await anyio.to_thread.run_sync(missing_from, reply, request)
        if missing_basis:
            raise self._refusal(key, f"is no longer valid: {missing_basis}")
        self._note(reply, request)
        return _make_output(reply, request)

    def _refusal(self, key: RequestKey, problem: str) -> InputError:
        name = f"{PROVIDER}/{self.model_name}"
        return InputError(f"{name}: the reply to {key.describe()} {problem}; {AGAIN}")

    def _no_verdict(self, key: RequestKey) -> ModelOutput:
        """Count an unrecorded question; scorers do not read the returned output as a verdict."""
        if key.turn == 1:
            store_as(Replayed).missing += 1
            count_fault(MISSING)
        return ModelOutput.from_content(self.model_name, f"Not in the recording; {AGAIN}")

    def _note(self, reply: RecordedReply, request: Request) -> None:
        replayed = store_as(Replayed)
        name = self._recording.header.describe()
        if name not in replayed.of:
            replayed.of = [*replayed.of, name]
        if reply.request != request.digest:
            replayed.changed += 1
            count_fault(CHANGED)


def _make_output(reply: RecordedReply, request: Request) -> ModelOutput:
    text = reply.text.replace(reply.code, request.code) if reply.code else reply.text
    calls = [ToolCall(**call.model_dump()) for call in reply.calls]
    message = ChatMessageAssistant(
        content=text, tool_calls=calls or None, source="generate", model=reply.model
    )
    choice = ChatCompletionChoice(message=message, stop_reason=reply.stop_reason)
    usage = reply.usage.model_copy() if reply.usage is not None else None
    return ModelOutput(model=reply.model, choices=[choice], usage=usage)
