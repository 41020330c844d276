"""Parse verdicts strictly."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, Generic, Literal, Self, TypeVar, cast

from inspect_ai.model import ResponseSchema
from inspect_ai.util import json_schema
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model

from .._util.files import digest
from .._util.untrusted import ReplyParseError, strict_json
from ..prompts import fill, load_prompt
from ..text.citations import without_thoughts

T = TypeVar("T")
U = TypeVar("U")
M = TypeVar("M", bound=BaseModel)

_STRICT = ConfigDict(extra="forbid", strict=True)
_EMPHASIS = " \t*_`"
"""Spaces and Markdown allowed around a verdict."""

_FENCED = re.compile(r"\s*```(?:json)?[ \t]*\n(?P<body>.*)```\s*", re.IGNORECASE | re.DOTALL)
_END_TOKENS = ("<|im_end|>", "<|eot_id|>", "<|end|>", "<|endoftext|>", "<|end_of_turn|>", "</s>", "<end_of_turn>")  # fmt: skip
_END = re.compile(
    rf"(?<!\s){''.join(f'(?<!{re.escape(token)})' for token in _END_TOKENS)}"
    rf"(?:\s*(?:{'|'.join(map(re.escape, _END_TOKENS))}))++\s*\Z"
)
_ITEM = r"(?:(?:\#{1,6}|[-+•*]|\d{1,2}[.)])[ \t]+)?"
"""Mark of a heading or of a list item."""

_SHOWN = 40
"""Characters of an unusable verdict quoted in an error."""


class StrictModel(BaseModel):
    """Base of JSON verdicts: no other keys, and no conversion of types."""

    model_config = _STRICT


def verdict_tag(prompt: str) -> str:
    """Return the code of a question: six digits of its digest that do not occur in it.

    No text inside the question can contain the code, so a line that has
    it is the judge's own, not a quotation.
    """
    tag = digest(prompt)[:6]
    while tag in prompt.lower():
        tag = digest(tag, prompt)[:6]
    return tag


class _SharedSchema(ResponseSchema):
    """A schema that is not changed: Inspect copies the settings of each call several times."""

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        """Return the same object."""
        return self


@dataclass(frozen=True)
class VerdictForm(Generic[T]):
    """The form of a verdict: how to ask for it, and how to parse it.

    A reply counts in two forms only: the whole reply is one JSON object that fits
    `schema`, perhaps in a code fence, or its last line is `VERDICT <code>: <verdict>`, perhaps as
    a heading or list item and with a full stop, where the code occurs nowhere else in the reply.
    Blocks of thought before it and marks of its end are no part of a reply.
    """

    shape: str
    """Description of the text after the code."""

    schema: ResponseSchema
    """Form of a reply that is one JSON object."""

    adapter: TypeAdapter[Any]
    """Validates the JSON value of the verdict."""

    to_json: Callable[[str], Any]
    """JSON value of the text after the code."""

    wrapped: bool
    """Whether the JSON object has the keys `reasoning` and `verdict`, or is the verdict."""

    accept: Callable[[Any], T]
    """Returns the result of a valid verdict, or raises `ReplyParseError`."""

    def then(self, accept: Callable[[T], U]) -> "VerdictForm[U]":
        """Return the same form with one more check or conversion of its verdicts."""
        form = cast("VerdictForm[Any]", self)
        return replace(form, accept=lambda verdict: accept(self.accept(verdict)))

    def instructions(self, tag: str) -> str:
        """Return the judge's instructions about the form."""
        return fill(load_prompt("judge/verdict"), tag=tag, shape=self.shape)

    def read(self, reply: str, tag: str) -> T:
        """Parse the verdict of a reply.

        Args:
            reply: The reply, its lines ended by line feeds.
            tag: Code of the question, see `verdict_tag`.

        Raises:
            ReplyParseError: The reply has neither form.
        """
        reply = _without_wrapping(reply, tag)
        fenced = _FENCED.fullmatch(reply)
        record = strict_json(fenced["body"] if fenced else reply)
        if isinstance(record, dict):
            value = _unwrap(record) if self.wrapped else record
        else:
            text = _text_after_tag(reply, tag)
            value = self.to_json(text)
            if value is None and text.endswith((".", "。")):
                value = self.to_json(text[:-1].rstrip(_EMPHASIS))
            if value is None:
                raise ReplyParseError(f"{text[:_SHOWN]!r} is not {self.shape}")
        try:
            verdict = self.adapter.validate_json(json.dumps(value), strict=True)
        except ValidationError as error:
            first = error.errors()[0]
            path = ".".join(str(part) for part in first["loc"])
            raise ReplyParseError(
                f"{json.dumps(value, ensure_ascii=False)[:_SHOWN]} is not {self.shape} "
                f"({f'{path}: ' if path else ''}{first['msg']})"
            ) from None
        return self.accept(verdict)


@cache
def choice_form(choices: tuple[str, ...]) -> VerdictForm[str]:
    """Return a verdict that is one of some choices, case-insensitive."""
    kind = Literal[choices]  # type: ignore[valid-type]
    return _form(f"one of {', '.join(choices)}", kind, lambda text: _canonical(text, choices))


@cache
def integer_form(low: int, high: int) -> VerdictForm[int]:
    """Return a verdict that is one integer of a scale."""
    kind = Annotated[int, Field(ge=low, le=high)]
    return _form(
        f"one integer from {low} to {high}",
        kind,
        lambda text: int(text) if re.fullmatch(r"-?[0-9]{1,9}", text) else None,
    )


@cache
def labels_form(labels: tuple[str, ...]) -> VerdictForm[list[str]]:
    """Return a verdict that is any number of labels, separated by commas, or `none`."""
    kind = list[Literal[labels]]  # type: ignore[valid-type]

    def split(text: str) -> list[str] | None:
        if text.casefold() == "none":
            return []
        chosen = [_canonical(part.strip(), labels) for part in text.split(",")]
        return None if None in chosen else cast("list[str]", chosen)

    shape = f"one or several of {', '.join(labels)}, with commas, or none"
    return _form(shape, kind, split).then(_check_distinct)


@cache
def numbers_reply(key: str, *others: str) -> type[BaseModel]:
    """Return the model of a JSON verdict that lists numbers from 1 under a key, and perhaps others."""
    numbers = list[Annotated[int, Field(ge=1)]]
    fields: Any = {key: (numbers, ...), **{name: (numbers, []) for name in others}}
    return create_model(key, __base__=StrictModel, **fields)


def json_form(kind: type[M], example: str, wrapped: bool = True) -> VerdictForm[M]:
    """Return a verdict that is a JSON object.

    Args:
        kind: Pydantic model of the object, best a `StrictModel`.
        example: An example object for the judge.
        wrapped: Whether a reply in JSON has the keys `reasoning` and `verdict`.
    """
    return _json_form(kind, example, wrapped)


@cache
def _json_form(kind: type[BaseModel], example: str, wrapped: bool) -> VerdictForm[Any]:
    return _form(f"one JSON object such as {example}", kind, strict_json, wrapped)


def _form(
    shape: str, kind: Any, to_json: Callable[[str], Any], wrapped: bool = True
) -> VerdictForm[Any]:
    name = getattr(kind, "__name__", "Verdict").strip("_").lower()
    reply = kind
    if wrapped:
        reply = create_model("Reply", __config__=_STRICT, reasoning=(str, ...), verdict=(kind, ...))
    schema = _SharedSchema(name=name, json_schema=json_schema(reply))
    return VerdictForm(shape, schema, TypeAdapter(kind), to_json, wrapped, lambda verdict: verdict)


def _canonical(text: str, choices: Sequence[str]) -> str | None:
    return next((choice for choice in choices if choice.casefold() == text.casefold()), None)


def _check_distinct(labels: list[str]) -> list[str]:
    if len(set(labels)) < len(labels):
        raise ReplyParseError("duplicate label")
    return labels


def _unwrap(record: dict[str, Any]) -> Any:
    if set(record) != {"reasoning", "verdict"} or not isinstance(record["reasoning"], str):
        raise ReplyParseError("the JSON object must have a text `reasoning`, a `verdict`, no more")
    return record["verdict"]


def _without_wrapping(reply: str, tag: str) -> str:
    """Return a reply without byte-order mark, end-of-turn tokens and the thoughts before it.

    Thoughts whose opening tag is missing are left out only if they do not name the code.
    """
    reply = _END.sub("", reply.replace("\ufeff", "").replace("\xa0", " ")).lstrip()
    rest = without_thoughts(reply)
    opened = re.match(r"<(?:think|thinking|thought|reasoning)>", reply) is not None
    return rest if opened or tag not in reply[: len(reply) - len(rest)].lower() else reply


def _text_after_tag(reply: str, tag: str) -> str:
    """Return the text after the code, up to the end of the reply."""
    line = f"`VERDICT {tag}: ...`"
    times = reply.lower().count(tag)
    if times > 1:
        raise ReplyParseError(f"the code {tag} occurs {times} times; write {line} once")
    match = re.search(
        rf"^[ \t]*{_ITEM}[ \t*_`]*verdict[ \t]+{tag}[*_`]*[ \t]*[:：](?P<value>.*)\Z",
        reply,
        re.I | re.M | re.S,
    )
    value = match["value"].rstrip().strip(_EMPHASIS) if match else ""
    if not value or value != value.strip():
        raise ReplyParseError(f"there is no last line {line}")
    return value
