"""One-line errors of failed model calls, and which of them affect every call."""

import re
from collections.abc import Iterator
from itertools import chain
from json import JSONDecodeError

from inspect_ai.model import Model

from .._util.errors import InputError, one_line

_LONGEST = 300
"""Maximum characters of a reason."""

_OUT_OF_CREDIT = re.compile(
    r"insufficient[ _](?:\w+[ _])?(?:quota|credit|balance|funds)|credit balance", re.IGNORECASE
)
_ACCOUNT_OR_MODEL = re.compile(
    r"credit|billing|balance|payment|quota|usage limit|spend"
    r"|\bmodel\b.*\b(?:not?|invalid|unknown|unsupported|denied|deprecated|retired)\b"
    r"|\b(?:not|invalid|unknown|unsupported|no)\b.*\bmodel\b",
    re.IGNORECASE,
)
_OF_REQUEST = re.compile(
    r"\btools?\b|function call|moderat|flagged|response_format|json_schema|\bseed\b|\btemperature\b"
    r"|log[ _-]?prob",
    re.IGNORECASE,
)
"""Reasons that concern one request or system, whatever the status; others may succeed."""


class CallError(RuntimeError):
    """A failed call, with model, status and the provider's reason in one line."""


class HalfReplyError(CallError):
    """A reply that the provider interrupted, or that is not JSON."""


class UnreadableReplyError(HalfReplyError):
    """A reply in a form that the provider's library does not expect."""


class RefusedError(InputError):
    """A call that the provider rejects on every attempt, like all other calls."""


def call_error(model: Model | str, error: Exception) -> Exception:
    """Return the error of a failed call as one line.

    Returns:
        `RefusedError` if no other call can succeed either, `HalfReplyError` if the reply broke off
        or is not JSON, `UnreadableReplyError` if it has an unexpected form, and `CallError` for
        other replies with a status. Any other error is returned unchanged.
    """
    status = _status(error)
    reason = _reason(error)
    if status is not None and status >= 400:
        text = f"{model} refused a call (status {status}): {reason}"
        if not _is_final(status, reason):
            return CallError(text)
        return RefusedError(text)
    kinds = {*chain.from_iterable(type(cause).__mro__ for cause in _causes(error))}
    is_not_json = not kinds.isdisjoint((JSONDecodeError, AssertionError)) or status == 200
    if is_not_json or "TransportError" in {kind.__name__ for kind in kinds}:
        return HalfReplyError(f"the reply of {model} was broken off ({reason})")
    if isinstance(error, ValueError | TypeError | AttributeError | LookupError):
        return UnreadableReplyError(f"the reply of {model} cannot be read ({reason})")
    return error


def is_out_of_credit(status: int | None, reason: str) -> bool:
    """Return whether a rate limit means that the account has no credit left."""
    return status == 429 and _OUT_OF_CREDIT.search(reason) is not None


def _is_final(status: int, reason: str) -> bool:
    """Return whether a provider rejects all calls, not just this one."""
    if status == 429:
        return is_out_of_credit(status, reason)
    if status in (401, 402):
        return True
    affects_all = status in (403, 404) or (
        status in (400, 422) and _ACCOUNT_OR_MODEL.search(reason)
    )
    return bool(affects_all) and not _OF_REQUEST.search(reason)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _status(error: BaseException) -> int | None:
    for raised_error in (error, error.__cause__):
        for source in (raised_error, getattr(raised_error, "response", None)):
            for name in ("status_code", "code"):
                status = getattr(source, name, None)
                if isinstance(status, int):
                    return status
    return None


def _reason(error: BaseException) -> str:
    """Return the provider's message on one line."""
    cause = error.__cause__ or error
    body = getattr(cause, "body", None)
    if isinstance(body, dict):
        inner = body.get("error")
        inner = inner if isinstance(inner, dict) else body
        code = inner.get("code") or inner.get("type")
        parts = [inner.get("message"), f"({code})" if code else None]
        text = " ".join(str(part) for part in parts if part)
    else:
        text = str(cause)
    return bare(text or type(cause).__name__)


def bare(message: str, longest: int = _LONGEST) -> str:
    """Return an error's message on one line, without the type name that Inspect adds."""
    text = message.strip()
    quoted = re.fullmatch(r"\w+\((['\"])(.*)\1,?\)", text, re.DOTALL)
    if quoted:
        text = re.sub(r"\\(['\"\\])", r"\1", quoted[2])
    return one_line(ValueError(text))[:longest]
