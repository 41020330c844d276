"""Shapes of services' answers: texts in parts, passages, failures, stop reasons."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from numbers import Integral
from typing import Any

from inspect_ai.model import StopReason
from pydantic import BaseModel

from ..._util.bounds import PASSAGES, check

TEXT_NAMES = ("text", "answer", "output", "response", "result", "content")
PASSAGES_NAMES = (
    "passages",
    "contexts",
    "sources",
    "documents",
    "source_documents",
    "sourceDocuments",
    "source_nodes",
)
STOP_NAMES = ("stop_reason", "finish_reason", "finishReason", "stopReason", "done_reason")

_PASSAGE_TEXT = ("text", "content", "page_content", "pageContent", "passage", "snippet")
_INSIDE = ("node", "document", "chunk", "content", "text")
"""Mappings within a passage that hold its text."""

_DOCUMENT = ("doc_id", "document_id", "document", "doc_name", "source")
"""Fields that name the document of a passage; `document` may also hold its text."""

_LONGEST_NAME = 1_000
"""Characters; a longer `document` is a text."""

_GROUPS = ("document", "documents", "chunks", "passages", "results", "nodes")
"""Lists of passages within a source."""

_USAGE = ("usage", "usage_metadata", "usageMetadata", "tokens")
_INPUT = (
    "input_tokens",
    "prompt_tokens",
    "inputTokens",
    "promptTokens",
    "promptTokenCount",
    "prompt_eval_count",
)
_OUTPUT = (
    "output_tokens",
    "completion_tokens",
    "outputTokens",
    "completionTokens",
    "candidatesTokenCount",
    "eval_count",
)
_BESIDE_INPUT = ("cache_creation_input_tokens", "cache_read_input_tokens")
"""Anthropic's fields of input tokens that its `input_tokens` excludes."""

_BESIDE_OUTPUT = ("thoughtsTokenCount",)
"""Gemini's field of output tokens that its output count excludes."""

_THINKING = re.compile(r"think|reason|thought", re.IGNORECASE)
_JOIN = re.compile(r"[.!?]$")
_REFERENCE = re.compile(
    r"[!-~]{1,2000}|.{1,200}\.(?:pdf|docx?|pptx?|xlsx?|html?|txt|md|csv|json)", re.I
)
"""An address, an id or the name of a file: one word of ASCII, or a name with a suffix."""

_ERRORS = ("error", "errors", "error_msg", "error_message", "errorMessage", "is_error", "isError")
_FAILED = re.compile(
    r"error|exception|fail(?:ed|ure)?|abort(?:ed)?|timeout|timed_out|cancell?ed|expired|rejected"
    r"|stopped"
)
_TRUE_AT_THE_END = ("success", "ok", "done", "finished", "completed")
_SUCCEEDED = re.compile(r"ok\b|success|succeed", re.IGNORECASE)
_UNFINISHED = re.compile(r"queued|pending|running|processing|started|in_progress|requires_action")
_BROKEN_OFF = re.compile(r"error|timeout|cancel|pause|tool_?(?:use|call)|function_?call", re.I)
"""In a stop reason: the answer is not whole, or waits for a tool."""

_STOPS: tuple[tuple[re.Pattern[str], StopReason], ...] = (
    (re.compile(r"context_?window|model_length|context_?length", re.IGNORECASE), "model_length"),
    (re.compile(r"length|max_?(?:output_?)?tokens|token_?limit", re.IGNORECASE), "max_tokens"),
    (
        re.compile(
            r"filter|safety|refus|block|prohibited|recitation|spii|guardrail|interven|toxic",
            re.IGNORECASE,
        ),
        "content_filter",
    ),
)


class Refused(str):
    """A model's refusal to answer; may be empty."""


def text_of(value: object) -> object:
    """Return the text of an answer that may be in parts, without a model's thoughts.

    Parts are joined as they are; a full stop is separated from the capital letter after it.

    Returns:
        The text; the value itself if there is none in it.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        refusal = value.get("refusal")
        if isinstance(refusal, str) and refusal.strip():
            return Refused(refusal)
        inner = value.get("text", value.get("value"))
        if inner is None and value.get("role") == "assistant":
            inner = value.get("content")
        return text_of(inner) if isinstance(inner, str | Mapping | list) else value
    if not isinstance(value, list):
        return value
    texts = [text_of(part) for part in value if not is_thought(part)]
    parts = [text for text in texts if isinstance(text, str)]
    refusals = [text for text in parts if isinstance(text, Refused)]
    if refusals:
        return refusals[0]
    joined = ""
    for part in parts:
        is_new_sentence = _JOIN.search(joined) and part[:1].isupper()
        joined += f" {part}" if is_new_sentence else part
    return joined if parts else value


def is_thought(part: object) -> bool:
    """Return whether a part of an answer holds a model's thoughts."""
    if not isinstance(part, Mapping):
        return False
    return part.get("thought") is True or bool(_THINKING.search(str(part.get("type", ""))))


def refusal_in(value: object) -> Refused | None:
    """Return the refusal anywhere in a response without an answer; None if missing."""
    if isinstance(value, Mapping):
        refusal = value.get("refusal")
        if isinstance(refusal, str) and refusal.strip():
            return Refused(refusal)
        reasons = [value.get(name) for name in (*STOP_NAMES, "blockReason", "block_reason")]
        if any(stop_reason_of(reason) == "content_filter" for reason in reasons):
            return Refused()
    inner: Iterable[Any] = ()
    if isinstance(value, Mapping | list):
        inner = value.values() if isinstance(value, Mapping) else value
    refusals = (refusal_in(item) for item in inner)
    return next((refusal for refusal in refusals if refusal is not None), None)


def stop_reason_of(word: object) -> StopReason:
    """Translate why a model stopped from any service's vocabulary; unknown words mean `stop`."""
    reasons = (reason for pattern, reason in _STOPS if pattern.search(str(word or "")))
    return next(reasons, "stop")


def failure_in(fields: Mapping[Any, Any]) -> str | None:
    """Return the field that marks a response, or a part of it, as no finished answer.

    Returns:
        `name: value`; None if nothing does.
    """
    for name in _ERRORS:
        if _is_true(fields.get(name)):
            return f"{name}: {fields[name]}"
    for name in _TRUE_AT_THE_END:
        if name in fields and not _is_true(fields[name]) and fields[name] is not None:
            details = fields.get("message") or fields.get("detail") or fields[name]
            return f"{name} is false: {details}"
    for name in ("status", "state", "type", "event", "object"):
        word = str(fields.get(name)).lower()
        is_job = name in ("status", "state") and _UNFINISHED.fullmatch(word)
        if is_job or _FAILED.fullmatch(word):
            details = fields.get("message") or fields.get("detail") or ""
            return f"{name}: {word} {details}".strip()
    for name in STOP_NAMES:
        word = str(fields.get(name))
        if stop_reason_of(word) == "stop" and _BROKEN_OFF.search(word):
            return f"{name}: {word}"
    message = str(fields.get("message") or "")
    for name in ("code", "status", "status_code", "statusCode"):
        number = fields.get(name)
        if isinstance(number, int) and 400 <= number < 600:
            return f"{name}: {number} {message}".strip()
    code = fields.get("code")
    is_code = isinstance(code, int) and code != 0 and not 200 <= code < 300
    if is_code and message and not _SUCCEEDED.match(message):
        return f"code: {code} {message}"
    return None


def _is_true(value: object) -> bool:
    if isinstance(value, str):
        return value.strip().lower() not in ("", "null", "none", "false", "no")
    return bool(value)


def passages_of(value: object) -> list[Any] | None:
    """Return the passages of an answer as one list: texts, ids and mappings.

    Returns:
        The passages, without addresses, file names and other references whose text was not read;
        None if there is no list at all, or only references.

    Raises:
        ValueError: There are more than are taken.
    """
    if not isinstance(value, str | list | tuple | Mapping):
        return None
    items = flatten(value)
    passages = [item for item in items if not _is_reference(item)]
    return passages if passages or not items else None


def flatten(value: Any) -> list[Any]:
    """Return passages of any nesting as one list.

    Understands lists of lists, a mapping of ids to passages, sources with a list of passages, pairs
    of passage and score, models of pydantic (such as a document of LangChain), and one text.

    Raises:
        ValueError: There are more than are taken.
    """
    if isinstance(value, Mapping) and not _is_passage(value):
        value = [item for item in value.values() if isinstance(item, list | Mapping)]
    items = list(islice(_iterate_leaves(value), PASSAGES.maximum + 1))
    check(len(items), PASSAGES)
    return items


def _iterate_leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, BaseModel):
        value = value.model_dump()
    if isinstance(value, Mapping):
        groups = [value[name] for name in _GROUPS if isinstance(value.get(name), list)]
        if _is_passage(value) or not groups:
            yield value
        else:
            yield from _iterate_leaves(groups[0])
    elif isinstance(value, list | tuple):
        is_pair = len(value) == 2 and isinstance(value[1], float)
        if is_pair and not isinstance(value[0], list | tuple):
            yield from (_scored(item, value[1]) for item in _iterate_leaves(value[0]))
        else:
            for item in value:
                yield from _iterate_leaves(item)
    else:
        yield value


def _is_passage(value: Mapping[Any, Any]) -> bool:
    return passage_text(value) is not None or chunk_id_of(value) is not None


def _scored(passage: Any, score: float) -> Any:
    """Return a passage of a pair with its score."""
    if isinstance(passage, Mapping):
        return {"score": score, **passage}
    name = "text" if isinstance(passage, str) else "chunk_id"
    return {name: passage, "score": score}


def _is_reference(item: object) -> bool:
    if isinstance(item, str):
        return not item.strip() or _REFERENCE.fullmatch(item.strip()) is not None
    if isinstance(item, Mapping):
        return not _is_passage(item)
    return isinstance(item, bool) or not isinstance(item, Integral)


def passage_text(passage: Mapping[Any, Any]) -> str | None:
    """Return the text of a passage, or of a mapping within it."""
    for name in _PASSAGE_TEXT:
        text = passage.get(name)
        if isinstance(text, str) and text.strip():
            return text
    for name in _INSIDE:
        inner = passage.get(name)
        inner_text = passage_text(inner) if isinstance(inner, Mapping) else None
        if inner_text is not None:
            return inner_text
        if name == "document" and isinstance(inner, str) and inner.strip():
            return inner
    return None


def chunk_id_of(passage: Mapping[Any, Any]) -> int | None:
    """Return the whole number under `chunk_id`, or in the metadata; None if missing."""
    for mapping in _passage_mappings(passage):
        number = mapping.get("chunk_id")
        if isinstance(number, str) and re.fullmatch(r"-?\d{1,9}", number):
            return int(number)
        if isinstance(number, int) and not isinstance(number, bool):
            return number
    return None


def doc_id_of(passage: Mapping[Any, Any]) -> str | None:
    """Return the name under the first of `_DOCUMENT`, or in the metadata; None if missing."""
    for name in _DOCUMENT:
        for mapping in _passage_mappings(passage):
            document = mapping.get(name)
            if isinstance(document, str) and 0 < len(document.strip()) <= _LONGEST_NAME:
                return document
    return None


def _passage_mappings(passage: Mapping[Any, Any]) -> tuple[Mapping[Any, Any], ...]:
    metadata = passage.get("metadata")
    return (passage, metadata) if isinstance(metadata, Mapping) else (passage,)


def tokens_of(fields: Mapping[Any, Any]) -> tuple[Any, Any]:
    """Return the input and output tokens that a response names in any service's words."""
    usages = [fields[name] for name in _USAGE if isinstance(fields.get(name), Mapping)]
    mappings = [fields, *usages]
    tokens = fields.get("tokens")
    if isinstance(tokens, Mapping):
        mappings.append({f"{name}_tokens": tokens.get(name) for name in ("input", "output")})
    counts = [_first_count(mappings, names) for names in (_INPUT, _OUTPUT)]
    for index, extra_names in enumerate((_BESIDE_INPUT, _BESIDE_OUTPUT)):
        extra_counts = _values(mappings, extra_names)
        if isinstance(counts[index], int):
            counts[index] += sum(number for number in extra_counts if isinstance(number, int))
    return counts[0], counts[1]


def _first_count(mappings: list[Any], names: tuple[str, ...]) -> Any:
    """Return the first count under one of the names; lists and mappings do not count."""
    values = _values(mappings, names)
    counts = (value for value in values if not isinstance(value, list | Mapping | None))
    return next(counts, None)


def _values(mappings: Iterable[Mapping[Any, Any]], names: tuple[str, ...]) -> Iterator[Any]:
    """Yield what each mapping has under each of the names."""
    for mapping in mappings:
        for name in names:
            yield mapping.get(name)
