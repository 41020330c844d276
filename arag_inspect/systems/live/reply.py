"""The answer of a live system: its text, passages and cost."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from inspect_ai.model import StopReason
from pydantic import BaseModel, BeforeValidator, Field, StrictStr, ValidationError

from arag_inspect._util.bounds import PASSAGES, STEPS, check
from arag_inspect._util.encodable import encodable
from arag_inspect.systems.live.answer_shapes import (
    STOP_NAMES,
    TEXT_NAMES,
    Refused,
    error_in,
    failure_in,
    refusal_in,
    stop_reason_of,
    text_of,
)
from arag_inspect.systems.live.passage_shapes import (
    PASSAGES_NAMES,
    chunk_id_of,
    doc_id_of,
    passage_text,
    passages_of,
)
from arag_inspect.systems.live.usage import ForeignCost, amount, cost_of, tokens_of
from arag_inspect.text.model_marks import (
    ends_within_thought,
    starts_with_thought,
    starts_within_thought,
    without_thoughts,
    without_unseen,
)

MOST_TEXT = 2_000_000
"""Maximum characters of an answer and its passages together."""

_MOST_NESTED = 5
"""Maximum depth at which a text is searched for the answer."""

_LONGEST_ERROR = 1_500
"""Maximum characters shown of an error message."""


class TargetError(RuntimeError):
    """A live system gave no usable answer; the message says why in one line."""


def excerpt(error: str) -> str:
    """Return a system's error message in one line, with an ellipsis where it is cut."""
    line = " ".join(error.split())
    return line if len(line) <= _LONGEST_ERROR else f"{line[:_LONGEST_ERROR]} …"


def no_answer_within(seconds: float) -> str:
    """Return the message of a system, or of one of its tools, that took too long."""
    return f"gave no answer within {seconds:g} s"


@dataclass(frozen=True)
class Note:
    """A part of an answer that was not understood."""

    kind: Literal[
        "empty_passages", "names_of_sources", "foreign_cost", "unknown_ids", "foreign_ids"
    ]
    text: str


class ReportedPassage(BaseModel):
    """A passage as the system reports it: by chunk id, by text, or both."""

    chunk_id: int | None = None
    text: StrictStr | None = None
    doc_id: str | None = None
    """Document of the text, which decides if several documents contain it."""

    score: float | None = None


def _parse_passage(value: object) -> object:
    if isinstance(value, Mapping):
        score = value.get("score")
        is_finite = isinstance(score, int | float) and math.isfinite(score)
        return {
            "chunk_id": chunk_id_of(value),
            "text": passage_text(value),
            "doc_id": doc_id_of(value),
            "score": score if is_finite else None,
        }
    if isinstance(value, str):
        return {"text": value}
    return {"chunk_id": int(value)}  # type: ignore[call-overload]


def _parse_amount(value: object) -> object:
    """Read dollars, which may be text; None if they are not a number."""
    return None if isinstance(value, Mapping | ForeignCost) else amount(value)


def _parse_steps(value: object) -> object:
    """Read searches; steps of another shape are counted."""
    if not isinstance(value, list):
        return None if isinstance(value, str | Mapping) else value
    check(len(value), STEPS)
    for step in value:
        chunk_ids = step.get("chunk_ids") if isinstance(step, Mapping) else None
        check(len(chunk_ids) if isinstance(chunk_ids, list) else 0, PASSAGES)
    are_searches = all(
        isinstance(step, Mapping) and isinstance(step.get("query"), str) for step in value
    )
    return value if are_searches else len(value)


def _parse_count(value: object) -> object:
    return value.replace(",", "") if isinstance(value, str) else value


_Count = Annotated[int | None, Field(ge=0, le=10**12), BeforeValidator(_parse_count)]


def _parse_ids(value: object) -> object:
    """Return chunk ids; ids of other types do not belong to the corpus."""
    ids = value if isinstance(value, list) else []
    return [number for number in ids if type(number) is int]


class _ReportedStep(BaseModel):
    """A search that the system made."""

    query: str
    tool: str = "search"
    chunk_ids: Annotated[list[int], BeforeValidator(_parse_ids)] = Field(default_factory=list)


class EndpointReply(BaseModel):
    """An answer in the form that the solver works with; only `text` is needed."""

    text: StrictStr
    passages: list[Annotated[ReportedPassage, BeforeValidator(_parse_passage)]] | None = None
    """None: the system does not report what it read."""

    input_tokens: _Count = None
    output_tokens: _Count = None
    cost_usd: Annotated[float | None, Field(ge=0, le=1e9), BeforeValidator(_parse_amount)] = None
    steps: Annotated[_Count | list[_ReportedStep], BeforeValidator(_parse_steps)] = None
    """Calls of a model, or a list of searches."""

    stop_reason: StopReason = "stop"
    notes: list[Note] = Field(default_factory=list)


def read_reply(
    answer: object, redact: Callable[[str], str] = str, questions: Collection[str] = ()
) -> EndpointReply:
    """Read a system's answer: text, or a mapping with `text` and optional fields.

    Args:
        answer: The answer.
        redact: Removes credentials from a text that is shown in an error.
        questions: Wordings of the question: a field of a mapping that repeats one is not an answer.

    Raises:
        TargetError: It is of another type, reports a failure, is empty or too large, ends in a
            model's thoughts, or a field is invalid.
    """
    fields = {"text": answer} if isinstance(answer, str) else answer
    if not isinstance(fields, Mapping):
        raise TargetError(
            f"returned a value of type {type(answer).__name__}; return a string, or a mapping with "
            "`text` and optionally `passages`"
        )
    repeated = questions if fields is answer else ()
    fields = _flatten_answer(_drop_questions(fields, repeated))
    failure = failure_in(fields) or error_in(text_of(_first_text(fields)))
    if failure is not None:
        raise TargetError(f"answered that it failed ({excerpt(redact(failure[:10_000]))})")
    try:
        reply = encodable(EndpointReply.model_validate(_select_known_fields(fields)))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        if first["type"] == "missing":
            problem = f"returned no answer text; {redact(_suggest_path(answer, questions))}"
        else:
            problem = f"returned a wrong value for {field} of the answer: {first['msg']}"
        raise TargetError(f"{problem}; got {redact(f'{fields!s:.10000}'):.300}") from None
    except ValueError as error:
        raise TargetError(f"the answer {error}") from None
    size = len(reply.text) + sum(len(passage.text or "") for passage in reply.passages or ())
    if size > MOST_TEXT:
        raise TargetError(
            f"answer and passages have {size:,} characters; the limit is {MOST_TEXT:,}"
        )
    if not without_unseen(reply.text).strip() and reply.stop_reason != "content_filter":
        raise TargetError("answered with empty text")
    return reply


def _suggest_path(answer: object, questions: Collection[str]) -> str:
    """Say which field of an answer without a text looks like one, or which fields it has."""
    texts = {path: text for path, text in _nested_texts(answer) if text not in questions}
    if texts:
        longest = max(texts, key=lambda path: len(texts[path]))
        return (
            f"its longest text is {longest}: if that is the answer of an HTTP endpoint, "
            f"add paths='{{text: $.{longest}}}'"
        )
    names = ", ".join(map(str, answer)) if isinstance(answer, Mapping) else ""
    return f"it has {excerpt(names)}; for an HTTP endpoint, set the path of the text in `paths`"


def _nested_texts(value: object, path: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield texts of several words outside lists, such as passages, each with its path."""
    if isinstance(value, str) and path and len(value.split()) > 1:
        yield path, value.strip()
    if isinstance(value, Mapping) and depth < _MOST_NESTED:
        for name, field in value.items():
            if isinstance(name, str) and name.isidentifier():
                yield from _nested_texts(field, f"{path}.{name}" if path else name, depth + 1)


def _flatten_answer(fields: dict[str, Any]) -> dict[str, Any]:
    """Merge the fields of an answer nested in an answer with the outer ones."""
    inner_answer = text_of(_first_text(fields))
    if not isinstance(inner_answer, Mapping):
        return fields
    outer_fields = {name: value for name, value in fields.items() if name not in TEXT_NAMES}
    return _flatten_answer({**outer_fields, **inner_answer})


def _drop_questions(fields: Mapping[str, Any], questions: Collection[str]) -> dict[str, Any]:
    """Return the fields of an answer, except texts that repeat the question."""
    return {
        name: value
        for name, value in fields.items()
        if name not in TEXT_NAMES or not isinstance(value, str) or value.strip() not in questions
    }


def _first_text(fields: Mapping[str, Any]) -> Any:
    """Return the first answer under these names; an empty one only if there is no other."""
    texts = [fields[name] for name in TEXT_NAMES if fields.get(name) not in (None, "")]
    return texts[0] if texts else _first_value(fields, TEXT_NAMES)


def _select_known_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of an answer under our names, whatever their names and shapes.

    Raises:
        TargetError: The text was cut within a model's thoughts.
        ValueError: There are too many passages.
    """
    text = text_of(_first_text(fields))
    if not isinstance(text, str):
        refusal = refusal_in(fields)
        text = text if refusal is None else refusal
    is_refused = isinstance(text, Refused)
    stop_reason = stop_reason_of(_first_value(fields, STOP_NAMES))
    if is_refused:
        stop_reason = "content_filter"
    input_tokens, output_tokens = tokens_of(fields)
    source = _first_value(fields, PASSAGES_NAMES)
    passages, names = passages_of(source)
    cost = cost_of(fields)
    parts = {
        "passages": passages,
        "input_tokens": input_tokens,
        "output_tokens": output_tokens,
        "cost_usd": cost,
        "steps": fields.get("steps"),
        "stop_reason": stop_reason,
        "notes": list(_notes(source, passages, names, cost)),
    }
    if isinstance(text, str):
        parts["text"] = str(text) if is_refused else _drop_opening_thoughts(text)
    elif text is not None:
        parts["text"] = text
    return parts


def _drop_opening_thoughts(text: str) -> str:
    """Return an answer without the thoughts with which it begins.

    Raises:
        TargetError: It contains nothing else, because it was cut.
    """
    begun = text.lstrip()
    if ends_within_thought(begun):
        raise TargetError("the answer was cut while thinking: its thoughts have no end")
    if starts_with_thought(begun) or starts_within_thought(begun):
        return without_thoughts(begun)
    return text


def _notes(source: object, passages: object, names: int, cost: object) -> Iterator[Note]:
    """Yield the parts of an answer that were not understood."""
    if source is not None and passages is None:
        text = "its passages have neither a text nor a chunk id and count as unknown"
        yield Note("empty_passages", text)
    elif names:
        text = f"passages without a text, only with a title or an address, were ignored: {names}"
        yield Note("names_of_sources", text)
    if isinstance(cost, ForeignCost):
        yield Note("foreign_cost", f"its cost is in {cost}, not in dollars, and is ignored")


def _first_value(fields: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """Return the first value that is present; None if missing."""
    return next((fields[name] for name in names if fields.get(name) is not None), None)
