"""Parse verdicts strictly."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, Generic, Literal, TypeVar, cast

from inspect_ai.model import ResponseSchema
from inspect_ai.util import json_schema
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model

from .._util.errors import first_error
from .._util.files import digest
from ..prompts import fill, load_prompt
from ..text.model_marks import (
    starts_with_thought,
    starts_within_thought,
    without_thoughts,
    without_tokens,
    without_unseen,
)
from ..text.replies import ReplyParseError
from .json_replies import last_object, verdict_json, whole_object

T = TypeVar("T")
U = TypeVar("U")
M = TypeVar("M", bound=BaseModel)

Value = float | Mapping[str, float]
"""Value of a score: a number, or numbers by key."""

_STRICT = ConfigDict(extra="forbid", strict=True)
_EMPHASIS = " \t*_`"
"""Spaces and Markdown allowed around a verdict."""

_WRAPPER = re.compile(r"</?(?:answer|response|solution|output)>", re.IGNORECASE)
_ITEM = r"(?:(?:\#{1,6}|[-+•*]|\d{1,2}[.)])[ \t]++)?"
"""Mark of a heading or of a list item."""

_SHOWN = 40
"""Maximum characters of an unusable verdict that an error quotes."""


class StrictModel(BaseModel):
    """Base of JSON verdicts: no other keys, and no conversion of types."""

    model_config = _STRICT


def verdict_code(prompt: str) -> str:
    """Return the code of a question: six digits of its digest that do not occur in it.

    Texts in the question cannot contain the code, so the judge wrote any line with it.
    """
    code = digest(prompt)[:6]
    while code in prompt.lower():
        code = digest(code, prompt)[:6]
    return code


class ContradictionError(ReplyParseError):
    """A verdict is well formed but contradicts itself.

    Args:
        reason: How, for the judge.
        verdict: The verdict, which counts if the judge repeats it.
    """

    def __init__(self, reason: str, verdict: Any) -> None:
        super().__init__(reason)
        self.verdict = verdict


@dataclass(frozen=True)
class VerdictForm(Generic[T]):
    """The form of a verdict: how to ask for it, and how to parse it.

    A reply counts in two forms:

    1. One JSON object that fits `schema`, alone, in a code fence, or after prose (see
       `last_object`).
    2. A last line `VERDICT <code>: <verdict>`; Markdown around it and a full stop are allowed. The
       code may occur elsewhere only with the same verdict.

    Preceding thoughts, special tokens and invisible characters are ignored. An integer may be
    written `4.0`, but not with a scale (`4/5`), in words or as a range.
    """

    shape: str
    """Description of the text after the code."""

    json_shape: str
    """Description of the verdict in JSON."""

    schema: ResponseSchema
    """Form of a reply that is one JSON object."""

    adapter: TypeAdapter[Any]
    """Validates the JSON value of the verdict."""

    to_json: Callable[[str], Any]
    """JSON value of the text after the code."""

    wrapped: bool
    """Whether the JSON object has the keys `reasoning` and `verdict`; if not, it is the verdict."""

    accept: Callable[[Any], T]
    """Returns the result of a valid verdict, or raises `ReplyParseError`."""

    to_value: Callable[[T], Value] | None = None
    """Converts a verdict to the value of a score, unless the scorer does."""

    def then(self, accept: Callable[[T], U]) -> "VerdictForm[U]":
        """Return the same form with one more check or conversion of its verdicts."""
        form = cast("VerdictForm[Any]", self)
        return replace(form, accept=lambda verdict: accept(self.accept(verdict)), to_value=None)

    def instructions(self, code: str, *, as_json: bool = False) -> str:
        """Return the judge's instructions about the form.

        Args:
            code: Code of the question.
            as_json: Whether the reply is held to `schema`; else its last line is the verdict.
        """
        if not as_json:
            return fill(load_prompt("judge/verdict"), tag=code, shape=self.shape)
        name = "verdict_json" if self.wrapped else "object_json"
        return fill(load_prompt(f"judge/{name}"), shape=self.json_shape)

    def read(self, reply: str, code: str, prompt: str = "", *, as_json: bool = False) -> T:
        """Parse the verdict of a reply.

        Args:
            reply: The reply.
            code: Code of the question, see `verdict_code`.
            prompt: The question.
            as_json: Whether JSON was requested; the other form is read as well.

        Raises:
            ReplyParseError: The reply has neither form.
        """
        reply = _tidy_reply(reply)
        record = whole_object(reply)
        if record is None:
            reply = _strip_wrapping(reply, code)
            has_code = _count(code, reply) > 0
            if not has_code:
                keys = (self.schema.json_schema.properties or {}).keys()
                record = last_object(reply, keys, prompt, self.shape)
            if record is None and as_json and not has_code:
                raise ReplyParseError("it is not one JSON object")
        value = self._value_after_code(reply, code) if record is None else self._value_in(record)
        try:
            verdict = self.adapter.validate_json(json.dumps(value), strict=True)
        except ValidationError as error:
            shown_value = json.dumps(value, ensure_ascii=False)[:_SHOWN]
            raise ReplyParseError(
                f"{shown_value} is not {self.shape} ({first_error(error)})"
            ) from None
        return self.accept(verdict)

    def _value_after_code(self, reply: str, code: str) -> Any:
        """Return the JSON value of the verdict after the code.

        Raises:
            ReplyParseError: The verdict is missing, or there are different verdicts.
        """
        values = [self._value(text) for text in _texts_after_code(reply, code)]
        if any(value != values[0] for value in values):
            raise ReplyParseError(f"the verdicts after the code {code} differ; write it once")
        return values[0]

    def _value_in(self, record: dict[str, Any]) -> Any:
        """Return the JSON value of the verdict in a reply that is a JSON object."""
        if not self.wrapped:
            return record
        value = _unwrap_verdict(record)
        return self._value(value) if isinstance(value, str) else value

    def _value(self, text: str) -> Any:
        """Return the JSON value of a verdict in words, with or without a full stop.

        Raises:
            ReplyParseError: The text is not such a verdict.
        """
        value = self.to_json(text)
        if value is None and text.endswith((".", "。")):
            value = self.to_json(text[:-1].rstrip(_EMPHASIS))
        if value is None:
            raise ReplyParseError(f"{text[:_SHOWN]!r} is not {self.shape}")
        return value


@cache
def choice_form(choices: tuple[str, ...]) -> VerdictForm[str]:
    """Return a verdict that is one of some choices, case-insensitive.

    The value has a key in lower case for each choice, 0 or 1.
    """
    kind = Literal[choices]  # type: ignore[valid-type]
    shape = f"one of {', '.join(choices)}"
    form = _form(shape, kind, lambda text: _match_choice(text, choices))
    return replace(
        form, to_value=lambda verdict: {key.lower(): float(key == verdict) for key in choices}
    )


@cache
def integer_form(low: int, high: int) -> VerdictForm[int]:
    """Return a verdict that is one integer of a scale, and the value."""
    kind = Annotated[int, Field(ge=low, le=high)]
    form = _form(f"one integer from {low} to {high}", kind, _match_integer)
    return replace(form, to_value=float)


@cache
def labels_form(labels: tuple[str, ...]) -> VerdictForm[list[str]]:
    """Return a verdict that is any number of labels, separated by commas, or `none`."""
    kind = list[Literal[labels]]  # type: ignore[valid-type]

    def split(text: str) -> list[str] | None:
        if text.casefold() == "none":
            return []
        labels_found = [_match_choice(part.strip(), labels) for part in text.split(",")]
        return None if None in labels_found else cast("list[str]", labels_found)

    names = ", ".join(labels)
    shape = f"one or several of {names}, with commas, or none"
    json_shape = f"a list of one or several of {names}, empty if none applies"
    return _form(shape, kind, split, json_shape=json_shape).then(_check_distinct)


@cache
def numbers_reply(key: str, *others: str) -> type[BaseModel]:
    """Return the model of a JSON verdict with lists of numbers from 1 under its keys."""
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
    return _form(f"one JSON object such as {example}", kind, verdict_json, wrapped)


@cache
def _form(
    shape: str,
    kind: Any,
    to_json: Callable[[str], Any],
    wrapped: bool = True,
    json_shape: str | None = None,
) -> VerdictForm[Any]:
    name = getattr(kind, "__name__", "Verdict").strip("_").lower()
    reply = kind
    if wrapped:
        reply = create_model("Reply", __config__=_STRICT, reasoning=(str, ...), verdict=(kind, ...))
    schema = ResponseSchema(name=name, json_schema=json_schema(reply))
    return VerdictForm(
        shape,
        json_shape or shape,
        schema,
        TypeAdapter(kind),
        to_json,
        wrapped,
        lambda verdict: verdict,
    )


def _match_integer(text: str) -> int | None:
    number = re.fullmatch(r"(-?[0-9]{1,9})(?:\.0{1,9})?", text)
    return int(number[1]) if number else None


def _match_choice(text: str, choices: Sequence[str]) -> str | None:
    return next((choice for choice in choices if choice.casefold() == text.casefold()), None)


def _check_distinct(labels: list[str]) -> list[str]:
    if len(set(labels)) < len(labels):
        raise ReplyParseError("duplicate label")
    return labels


def _unwrap_verdict(record: dict[str, Any]) -> Any:
    if set(record) != {"reasoning", "verdict"} or not isinstance(record["reasoning"], str):
        raise ReplyParseError("the JSON object must have a text `reasoning`, a `verdict`, no more")
    return record["verdict"]


def _tidy_reply(reply: str) -> str:
    """Return a reply with plain line ends and spaces, without invisible characters."""
    lines = "\n".join(reply.splitlines())
    return without_unseen(re.sub(r"[^\S\n\t]", " ", lines)).strip()


def _strip_wrapping(reply: str, code: str) -> str:
    """Return a reply without thoughts, special tokens and tags around its answer.

    Thoughts after the start of a reply are omitted only if they lack the code.
    """
    visible = without_thoughts(reply)
    begins_with_thought = starts_with_thought(reply) or starts_within_thought(reply)
    if not begins_with_thought and _count(code, visible) < _count(code, reply):
        visible = reply
    return _WRAPPER.sub(" ", without_tokens(visible))


def _count(code: str, text: str) -> int:
    """Count a code in a text, even where spaces or invisible characters split it."""
    return re.sub(r"[^!-~]", "", text.lower()).count(code)


def _texts_after_code(reply: str, code: str) -> list[str]:
    """Return the text after each statement of the code; the last extends to the reply's end.

    Raises:
        ReplyParseError: The reply does not end with a statement, or has the code elsewhere.
    """
    line = f"`VERDICT {code}: ...`"
    times = _count(code, reply)
    start = rf"[ \t]*+{_ITEM}[ \t*_`]*+verdict[ \t]+{code}[*_`]*[ \t]*[:：]"
    reply = _drop_last_fence(reply, start)
    statements = list(re.finditer(f"^{start}", reply, re.IGNORECASE | re.MULTILINE))
    if times > max(1, len(statements)):
        raise ReplyParseError(f"the code {code} occurs {times} times; write {line} once")
    ends = [statement.end() for statement in statements]
    texts = [reply[end:].partition("\n")[0] for end in ends[:-1]]
    texts += [reply[end:] for end in ends[-1:]]
    values = [text.rstrip().strip(_EMPHASIS) for text in texts]
    if not values or any(not value or value != value.strip() for value in values):
        raise ReplyParseError(f"the last line is not {line}")
    return values


def _drop_last_fence(reply: str, start: str) -> str:
    """Return a reply without a code fence around all of it, or around its verdict at the end."""
    fenced = re.search(
        r"^[ \t]*(?P<fence>```|~~~)\w*[ \t]*\n"
        r"(?P<body>(?:(?!(?P=fence)).)*)\n[ \t]*(?P=fence)\s*\Z",
        reply,
        re.MULTILINE | re.DOTALL,
    )
    if fenced is None:
        return reply
    is_verdict = re.match(start, fenced["body"], re.IGNORECASE) is not None
    is_whole = not reply[: fenced.start()].strip()
    return reply[: fenced.start()] + fenced["body"] if is_verdict or is_whole else reply
