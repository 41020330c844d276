"""The file of a recording: a line about the run, then a line for each reply."""

import json
import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, NamedTuple

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
    ResponseSchema,
    StopReason,
)
from inspect_ai.tool import ToolInfo
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..._util.errors import InputError, first_error, one_line
from ..._util.files import digest, replace_file
from ...prompts import TAGS
from ...text.matching import occurrences, quotations
from ..request_key import RequestKey

FOLDER = Path(str(files(__package__)))
ENDING = ".jsonl"
AGAIN = "record again: arag-inspect record LOGS --out FILE"

_FENCED = re.compile(
    rf"<(?P<tag>{'|'.join(TAGS)})(?P<attributes>(?: [^<>\n]*)?)>\n(?P<text>.*?)\n</(?P=tag)>",
    re.DOTALL,
)
"""Fenced data in a prompt; `fence` ensures that no text in it contains such a tag."""

_CHUNK = re.compile(r'\bchunk_id="(\d+)"')
_CODE = re.compile(r"\bVERDICT (?P<code>[0-9a-f]{6}):")
_RELIED_ON = (
    "passage document transcript summary answer claim statement fact reference gold criterion "
    "question"
).split()
"""Tags of texts that a reply depends on; it depends only on quotes of a judge's sources."""

_DESCRIBING = ("snippet", "record", "reasoning")
"""Tags of texts written by the package or a judge, whose wording may change."""

_WORDING = ("description", "title")
"""Parts of a schema that do not affect its form."""


class Header(BaseModel):
    """The run that was recorded."""

    recording: Literal[1] = 1
    """Version of the form."""

    made: str
    """Day of the run."""

    writers: dict[str, str]
    """Model by system."""

    judges: list[str]
    as_json: bool
    """Whether the judges' replies were held to a schema."""

    note: str = ""
    """How the recording was made, and its limits."""

    def describe(self) -> str:
        """Return writers, judges, day and limits as the end of a sentence."""
        models = dict.fromkeys(self.writers.values())
        parts = []
        if models:
            parts.append(f"written by {', '.join(models)}")
        if self.judges:
            parts.append(f"judged by {', '.join(self.judges)}")
        note = f". {self.note.rstrip('.')}" if self.note else ""
        return f"a recording of {self.made}, {' and '.join(parts)}{note}"


class RecordedCall(BaseModel):
    """A call of a tool."""

    id: str
    function: str
    arguments: dict[str, Any]


class RecordedReply(BaseModel):
    """A reply, and the request that it answered."""

    model_config = ConfigDict(extra="forbid")

    key: RequestKey
    model: str
    text: str = ""
    calls: list[RecordedCall] = Field(default_factory=list)
    stop_reason: StopReason = "stop"
    usage: ModelUsage | None = None
    seconds: float | None = None
    request: str
    """Digest of the request."""

    relies_on: list[tuple[str, str]] = Field(default_factory=list)
    """Name and digest of each text that the reply depends on."""

    quotes: list[str] = Field(default_factory=list)
    """Quotations from the data of the request."""

    form: str | None = None
    """Digest of the requested schema."""

    code: str = ""
    """Code of the requested verdict."""


class Request(NamedTuple):
    """The parts of a request that a recording keeps, and compares with later requests."""

    digest: str
    relies_on: list[tuple[str, str]]
    data: list[str]
    """Its texts from documents and models, which a reply may quote."""

    form: str | None
    code: str


def read_request(
    messages: Sequence[ChatMessage], tools: Iterable[ToolInfo], config: GenerateConfig
) -> Request:
    """Read a request as providers receive it and logs keep it."""
    text = "\n".join(map(_message_text, messages))
    codes = _CODE.findall(text)
    code = codes[-1] if codes else ""
    offered = (tool.model_dump_json(exclude_none=True) for tool in tools)
    wording = text.replace(code, "CODE") if code else text
    relies_on = []
    data = []
    for match in _FENCED.finditer(text):
        if match["tag"] not in _DESCRIBING:
            data.append(match["text"])
        if match["tag"] in _RELIED_ON:
            chunk = _CHUNK.search(match["attributes"])
            name = f"chunk {chunk[1]}" if chunk else f"the {match['tag']}"
            relies_on.append((name, digest(match["text"])))
    return Request(digest(wording, *offered), relies_on, data, _form(config.response_schema), code)


def _form(schema: ResponseSchema | None) -> str | None:
    """Return the digest of a schema without its wording."""
    if schema is None:
        return None
    content = schema.json_schema.model_dump(exclude_none=True)
    return digest(json.dumps(_drop_wording(content), sort_keys=True))


def _message_text(message: ChatMessage) -> str:
    calls = (message.tool_calls or ()) if isinstance(message, ChatMessageAssistant) else ()
    lines = [message.role, message.text]
    for call in calls:
        lines.append(f"{call.function} {json.dumps(call.arguments, sort_keys=True)}")
    return "\n".join(lines)


def _drop_wording(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_drop_wording(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: _drop_wording(value)
        for name, value in schema.items()
        if name not in _WORDING or not isinstance(value, str)
    }


def recorded_reply(
    key: RequestKey, model: str, request: Request, output: ModelOutput, seconds: float | None
) -> RecordedReply:
    """Return the record of a reply."""
    message = output.message
    calls = message.tool_calls or ()
    quotes = quotations(message.text)
    matches = occurrences(quotes, request.data)
    return RecordedReply(
        key=key,
        model=model,
        text=message.text,
        calls=[RecordedCall(id=c.id, function=c.function, arguments=c.arguments) for c in calls],
        stop_reason=output.stop_reason,
        usage=output.usage,
        seconds=seconds,
        request=request.digest,
        relies_on=request.relies_on,
        quotes=[quote for quote, occurs in zip(quotes, matches, strict=True) if occurs],
        form=request.form,
        code=request.code,
    )


def missing_from(reply: RecordedReply, request: Request) -> str | None:
    """Describe a text or form that a reply depends on and a request lacks; None if complete."""
    texts = {text for _, text in request.relies_on}
    for name, text in reply.relies_on:
        if text not in texts:
            return f"{name} is gone or has another text"
    matches = occurrences(reply.quotes, request.data)
    for quote, occurs in zip(reply.quotes, matches, strict=True):
        if not occurs:
            return f"the passage that it quotes is gone: “{quote[:80]}”"
    if reply.form not in (None, request.form):
        return "the schema that it fills has changed"
    return None


class Recording(NamedTuple):
    """A recorded run."""

    header: Header
    replies: dict[RequestKey, RecordedReply]

    def write(self, path: Path) -> None:
        """Write the file atomically."""
        replies = [reply.model_dump_json(exclude_defaults=True) for reply in self.replies.values()]
        replace_file(path, "\n".join([self.header.model_dump_json(), *replies, ""]))


def read_recording(name: str) -> tuple[Path, Recording]:
    """Read a recording of the package by its name, or a file by its path.

    Raises:
        InputError: The recording is missing, or has an invalid line.
    """
    path = Path(name).expanduser() if name.endswith(ENDING) else FOLDER / f"{name}{ENDING}"
    names = ", ".join(sorted(path.stem for path in FOLDER.glob(f"*{ENDING}"))) or "none"
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"recording {name} cannot be read: {one_line(error)}; the package has {names}, or give "
            f"the path of a {ENDING} file"
        ) from None
    if not lines:
        raise InputError(f"recording {name} is empty; {AGAIN}")
    number = 1
    try:
        header = Header.model_validate_json(lines[0])
        replies = []
        for line in lines[1:]:
            number += 1
            replies.append(RecordedReply.model_validate_json(line))
    except ValidationError as error:
        raise InputError(f"{path}, line {number}: {first_error(error)}; {AGAIN}") from None
    return path, Recording(header, {reply.key: reply for reply in replies})
