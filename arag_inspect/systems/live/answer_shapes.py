"""Shapes of services' answers: texts in parts, failures, stop reasons."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from inspect_ai.model import StopReason

TEXT_NAMES = ("answer", "text", "output", "response", "result", "content")
STOP_NAMES = ("stop_reason", "finish_reason", "finishReason", "stopReason", "done_reason")

_THINKING = re.compile(r"think|reason|thought", re.IGNORECASE)
_FULL_STOP = re.compile(r"[.!?]$")
_ERRORS = ("error", "errors", "error_msg", "error_message", "errorMessage", "is_error", "isError")
_FAILED = re.compile(
    r"error|exception|fail(?:ed|ure)?|abort(?:ed)?|timeout|timed_out|cancell?ed|expired|rejected"
    r"|stopped"
)
_TRUE_AT_THE_END = ("success", "ok", "done", "finished", "completed")
_SUCCEEDED = re.compile(r"ok\b|success|succeed", re.IGNORECASE)
_UNFINISHED = re.compile(r"queued|pending|running|processing|started|in_progress|requires_action")
_BROKEN_OFF = re.compile(
    r"error|timeout|cancel|pause|tool_?(?:use|call)|function_?call|abort|interrupt|insufficient"
    r"|disconnect",
    re.IGNORECASE,
)
"""Part of a stop reason of an answer that is incomplete or waits for a tool."""

_STOPS: tuple[tuple[re.Pattern[str], StopReason], ...] = (
    (re.compile(r"context_?window|model_length|context_?length", re.IGNORECASE), "model_length"),
    (
        re.compile(r"length|max_?(?:output_?|new_?)?tokens|token_?limit", re.IGNORECASE),
        "max_tokens",
    ),
    (
        re.compile(
            r"filter|safety|refus|block|prohibited|recitation|spii|guardrail|interven|toxic",
            re.IGNORECASE,
        ),
        "content_filter",
    ),
    (
        re.compile(
            r"stop|(?<![a-z])(?:end|eo[st])|(?<!in)complete|(?<!un)(?:finished|succe)|done"
            r"|(?<!ab)normal|none\Z|ok\Z",
            re.IGNORECASE,
        ),
        "stop",
    ),
)
_ERROR_AS_ANSWER = re.compile(r"^[ \t]*\*\*ERROR\*\*\s*[:：].*", re.MULTILINE)
"""RAGFlow's errors, which it returns as the answer, or after its beginning."""


class Refused(str):
    """A model's refusal to answer; may be empty."""


def text_of(value: object) -> object:
    """Return the text of an answer that may be in parts, without a model's thoughts.

    Parts are joined unchanged, with a space between a full stop and a capital letter.

    Returns:
        The text; the value itself if it contains no text.
    """
    if isinstance(value, Mapping):
        refusal = _stated_refusal(value)
        return _text_within(value) if refusal is None else refusal
    if not isinstance(value, list):
        return value
    texts = [text_of(part) for part in value if not is_thought(part)]
    parts = [text for text in texts if isinstance(text, str)]
    refusals = [text for text in parts if isinstance(text, Refused)]
    if refusals:
        return refusals[0]
    return _join_parts(parts) if parts else value


def _stated_refusal(fields: Mapping[Any, Any]) -> Refused | None:
    refusal = fields.get("refusal")
    return Refused(refusal) if isinstance(refusal, str) and refusal.strip() else None


def _text_within(fields: Mapping[Any, Any]) -> object:
    inner = fields.get("text", fields.get("value"))
    if inner is None and fields.get("role") == "assistant":
        inner = fields.get("content")
    return text_of(inner) if isinstance(inner, str | Mapping | list) else fields


def _join_parts(parts: Iterable[str]) -> str:
    joined = ""
    for part in parts:
        is_new_sentence = _FULL_STOP.search(joined) and part[:1].isupper()
        joined += f" {part}" if is_new_sentence else part
    return joined


def is_thought(part: object) -> bool:
    """Return whether a part of an answer contains a model's thoughts."""
    if not isinstance(part, Mapping):
        return False
    return part.get("thought") is True or bool(_THINKING.search(str(part.get("type", ""))))


def refusal_in(value: object) -> Refused | None:
    """Return the refusal anywhere in a response without an answer; None if missing."""
    if isinstance(value, Mapping):
        refusal = _stated_refusal(value)
        if refusal is not None:
            return refusal
        reasons = [value.get(name) for name in (*STOP_NAMES, "blockReason", "block_reason")]
        if any(stop_reason_of(reason) == "content_filter" for reason in reasons):
            return Refused()
    inner: Iterable[Any] = ()
    if isinstance(value, Mapping | list):
        inner = value.values() if isinstance(value, Mapping) else value
    refusals = (refusal_in(item) for item in inner)
    return next((refusal for refusal in refusals if refusal is not None), None)


def stop_reason_of(word: object) -> StopReason:
    """Translate why a model stopped from any service's vocabulary.

    Returns:
        The reason; `stop` if the service gives none, and `unknown` for other words.
    """
    if word is None or not str(word).strip():
        return "stop"
    reasons = (reason for pattern, reason in _STOPS if pattern.search(str(word)))
    return next(reasons, "unknown")


def error_in(text: object) -> str | None:
    """Return the error that a service gives as its answer; None if the text is not an error."""
    error = _ERROR_AS_ANSWER.search(text) if isinstance(text, str) else None
    return error[0].strip() if error else None


def failure_in(fields: Mapping[Any, Any]) -> str | None:
    """Return the field that marks a response, or a part of it, as unfinished.

    Returns:
        `name: value`; None if there is no such field.
    """
    for name in _ERRORS:
        if _is_true(fields.get(name)):
            return f"{name}: {fields[name]}"
    failures = (
        _failed_flag(fields),
        _failed_state(fields),
        _broken_off(fields),
        _failed_code(fields),
    )
    return next((failure for failure in failures if failure is not None), None)


def _failed_flag(fields: Mapping[Any, Any]) -> str | None:
    """Return a flag such as `success` that is not set."""
    for name in _TRUE_AT_THE_END:
        if name in fields and not _is_true(fields[name]) and fields[name] is not None:
            details = fields.get("message") or fields.get("detail") or fields[name]
            return f"{name} is false: {details}"
    return None


def _failed_state(fields: Mapping[Any, Any]) -> str | None:
    """Return the state of a failed or unfinished job."""
    for name in ("status", "state", "type", "event", "object"):
        word = str(fields.get(name)).lower()
        is_job = name in ("status", "state") and _UNFINISHED.fullmatch(word)
        if is_job or _FAILED.fullmatch(word):
            details = fields.get("message") or fields.get("detail") or ""
            return f"{name}: {word} {details}".strip()
    return None


def _broken_off(fields: Mapping[Any, Any]) -> str | None:
    """Return the stop reason of an incomplete answer."""
    for name in STOP_NAMES:
        word = str(fields.get(name))
        if stop_reason_of(word) in ("stop", "unknown") and _BROKEN_OFF.search(word):
            return f"{name}: {word}"
    return None


def _failed_code(fields: Mapping[Any, Any]) -> str | None:
    """Return a status of HTTP, or a service's own code, that is an error."""
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
