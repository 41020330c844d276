"""Extract facts from a conversation into a form given by a JSON Schema."""

import json
import re
from typing import Any

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
from arag_inspect._util.json_text import ReplyParseError, read_json
from arag_inspect.models import context_window
from arag_inspect.prompts import fence, fill, load_prompt
from arag_inspect.solvers._run import skip, traced_run
from arag_inspect.types.trace import TraceRecord

from .client_file import transcript_of
from .schema import Schema, load_schema

NOTES = "extract_facts"
"""Key of the sample's store that says how the answer was obtained."""

_SCHEMA_REFUSED = re.compile(
    r"compiled grammar|grammar is too large|(?:schema|response_format|output_format)\b.{0,80}"
    r"\b(?:too complex|invalid|unsupported|not supported|not permitted|too many|exceed)"
    r"|(?:invalid|unsupported|too many)\b.{0,80}\b(?:schema|response_format|output_format)",
    re.IGNORECASE | re.DOTALL,
)


@solver
def extract_facts(
    *, schema: str | None = None, review: bool = False, structured: bool = True
) -> Solver:
    """Extract what is said in a transcript, as one JSON object that fits a schema.

    The schema is in the prompt, and enforced by providers that can. A provider that rejects
    it (they limit its complexity) is asked once more without it. A reply without a JSON object
    is asked for once more, with the reason; then the sample is marked as skipped with that
    reason, and every scorer leaves it unscored. A reply that is refused or cut off at its token
    limit the second time as well is the answer, and scored. The answer is the JSON object
    alone; `schema_validity` measures whether it fits the schema.

    Args:
        schema: Path of a JSON Schema. Default: a client's finances.
        review: Let the model check its own extraction against the transcript in a second pass. If
            that cannot be read, the first pass is the answer.
        structured: Let the provider enforce the schema, instead of asking in the prompt alone.

    Raises:
        InputError: The schema is invalid.
    """
    form = load_schema(schema)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        transcript = transcript_of(state)
        if not transcript.strip():
            raise InputError(f"sample {state.sample_id} has no transcript, as input or metadata")
        with traced_run(state, "extract_facts", "document") as trace:
            conversation = _Extraction(state, trace, form, structured, transcript, again=review)
            state.messages.clear()
            try:
                record = await conversation.ask("extraction/extract_facts")
            except ReplyParseError as error:
                conversation.note()
                if state.output.stop_reason in context_window.CUT:
                    trace.stopped_by = "answer"
                    return state
                return skip(state, trace, str(error))
            if review:
                record = await _review(conversation, record)
            conversation.note()
            state.output.completion = _to_json(record)
            trace.stopped_by = "answer"
            return state

    return solve


async def _review(conversation: "_Extraction", record: dict[str, Any]) -> dict[str, Any]:
    first_output = conversation.state.output
    try:
        reviewed_record = await conversation.ask(
            "extraction/review_facts", extraction=fence("extraction", _to_json(record))
        )
    except ReplyParseError as error:
        conversation.notes["review"] = f"left out: {error}"
        conversation.state.output = first_output
        return record
    conversation.notes["review"] = "unchanged" if reviewed_record == record else "changed"
    return reviewed_record


class _Extraction:
    """The conversation with the model under test.

    If another question on the transcript follows, the transcript comes first
    and is marked for the provider's prompt cache.
    """

    def __init__(
        self,
        state: TaskState,
        trace: TraceRecord,
        schema: Schema,
        structured: bool,
        transcript: str,
        *,
        again: bool,
    ) -> None:
        self.state, self._trace, self._schema = state, trace, schema
        self._transcript, self._again = fence("transcript", transcript), again
        response = schema.response if structured else None
        self._response_schema = (
            None if response is None else ResponseSchema(name="extraction", json_schema=response)
        )
        self.notes: dict[str, Any] = {
            "schema": schema.digest,
            "structured": "asked for" if self._response_schema else "not asked for",
            "repairs": 0,
        }

    def note(self) -> None:
        """Record in the sample's store how the answer was obtained."""
        self.state.store.set(NOTES, self.notes)

    async def ask(self, prompt: str, **fenced: str) -> dict[str, Any]:
        """Ask for a JSON object, and once more if there is none.

        Raises:
            ReplyParseError: The second reply has none either.
        """
        transcript = "" if self._again else self._transcript
        schema = self._schema.text.strip()
        text = fill(load_prompt(prompt), schema=schema, transcript=transcript, **fenced)
        start = len(self.state.messages)
        transcript_part = ContentText(text=self._transcript, cache_breakpoint=True)
        content: str | list[Content] = text
        if self._again:
            content = [transcript_part, ContentText(text=text.strip())]
        self.state.messages.append(ChatMessageUser(content=content))
        try:
            return _parse(await self._call(start))
        except ReplyParseError as error:
            if self.state.output.stop_reason == "model_length":
                raise
            self.notes["repairs"] += 1
            repair = fill(load_prompt("extraction/repair"), reason=str(error))
            self.state.messages.append(ChatMessageUser(content=repair))
            return _parse(await self._call(start))

    async def _call(self, start: int) -> ModelOutput:
        """Call the model with the messages from `start` on: one pass."""
        messages, model = self.state.messages[start:], get_model()
        config = GenerateConfig() if self._again else context_window.sent_once(model)
        try:
            schema_config = config.model_copy(update={"response_schema": self._response_schema})
            output = await context_window.generate(model, messages, config=schema_config)
        except Exception as error:
            if self._response_schema is None or _SCHEMA_REFUSED.search(str(error)) is None:
                raise
            self._response_schema = None
            self.notes["structured"] = f"refused: {' '.join(str(error).split())[:300]}"
            output = await context_window.generate(model, messages, config=config)
        self.state.output = output
        self.state.messages.append(output.message)
        self._trace.loops += 1
        return output


def _parse(output: ModelOutput) -> dict[str, Any]:
    if output.stop_reason == "model_length":
        raise ReplyParseError("the transcript is over the model's window")
    if output.stop_reason == "content_filter":
        raise ReplyParseError("the reply was refused")
    record = read_json(output.completion)
    if record is not None:
        return record
    if output.stop_reason == "max_tokens":
        raise ReplyParseError("the reply was cut off before the JSON object ended; be brief")
    raise ReplyParseError("the reply holds no JSON object")


def _to_json(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False)
