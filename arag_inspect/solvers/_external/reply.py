"""The answer of a live system: its text, passages and cost."""

from collections.abc import Callable, Mapping
from typing import Annotated

from inspect_ai.model import StopReason
from pydantic import (
    AliasChoices,
    AliasPath,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictStr,
    ValidationError,
)

from ..._util.encodable import encodable

MOST_TEXT = 2_000_000
"""Most characters of an answer and its passages together."""

_Count = Annotated[int | None, Field(ge=0)]
_Amount = Annotated[float | None, Field(ge=0, allow_inf_nan=False)]


class TargetError(RuntimeError):
    """A live system gave no usable answer; the message says why in one line."""


class GivenPassage(BaseModel):
    """A passage as the system names it: by chunk id, by its text, or by both."""

    chunk_id: int | None = Field(
        None, validation_alias=AliasChoices("chunk_id", AliasPath("metadata", "chunk_id"))
    )
    text: StrictStr | None = Field(
        None, validation_alias=AliasChoices("text", "content", "page_content", "passage")
    )
    score: float | None = Field(None, allow_inf_nan=False)


def _as_passage(value: object) -> object:
    if isinstance(value, str):
        return {"text": value}
    if isinstance(value, BaseModel):  # e.g. a LangChain document
        return value.model_dump()
    return {"chunk_id": value} if isinstance(value, int) else value


class Step(BaseModel):
    """A search that the system made."""

    query: str
    tool: str = "search"
    chunk_ids: list[int] = Field(default_factory=list)


class EndpointReply(BaseModel):
    """An answer in the form that the solver works with; only `text` is needed."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)

    text: StrictStr = Field(
        validation_alias=AliasChoices("text", "answer", "output", "response", "result")
    )
    passages: list[Annotated[GivenPassage, BeforeValidator(_as_passage)]] | None = Field(
        None, validation_alias=AliasChoices("passages", "contexts", "sources", "documents")
    )
    """None: the system does not report what it read."""

    input_tokens: _Count = Field(
        None,
        validation_alias=AliasChoices(
            "input_tokens", AliasPath("tokens", "input"), AliasPath("usage", "prompt_tokens")
        ),
    )
    output_tokens: _Count = Field(
        None,
        validation_alias=AliasChoices(
            "output_tokens", AliasPath("tokens", "output"), AliasPath("usage", "completion_tokens")
        ),
    )
    cost_usd: _Amount = Field(
        None, validation_alias=AliasChoices("cost_usd", "cost", "total_cost_usd")
    )
    steps: int | list[Step] | None = None
    """Calls of a model, or a list of searches."""

    stop_reason: StopReason = "stop"


def read_reply(answer: object, redact: Callable[[str], str] = str) -> EndpointReply:
    """Read a system's answer: text, or a mapping with `text` and optional fields.

    Raises:
        TargetError: It is of another type, empty, too large, or a field is invalid.
    """
    fields = {"text": answer} if isinstance(answer, str) else answer
    if not isinstance(fields, Mapping):
        raise TargetError(
            f"answered with a value of type {type(answer).__name__}; give text, or a mapping with "
            "text and perhaps passages"
        )
    try:
        reply = encodable(EndpointReply.model_validate(dict(fields)))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise TargetError(
            f"{field} of the answer: {first['msg']}; got {redact(f'{fields!s:.10000}'):.300}"
        ) from None
    size = len(reply.text) + sum(len(passage.text or "") for passage in reply.passages or ())
    if size > MOST_TEXT:
        raise TargetError(
            f"answer and passages hold {size:,} characters; at most {MOST_TEXT:,} are taken"
        )
    if not reply.text.strip():
        raise TargetError("answered with empty text")
    for number, passage in enumerate(reply.passages or (), start=1):
        if passage.chunk_id is None and not (passage.text or "").strip():
            raise TargetError(f"passage {number} has neither chunk_id nor text")
    return reply
